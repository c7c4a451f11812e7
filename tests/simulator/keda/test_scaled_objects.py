"""ScaledObjects as a KEDA gets them that goes by the wall clock."""

import copy

from eks_accelerators.simulator.keda.scaled_objects import compressed
from eks_accelerators.simulator.pace import Pace, PacedClock
from tests.simulator.keda.objects import IN_THE_CLUSTER, scaled_object

CLOCK = PacedClock(Pace(30.0), wall_begin=1000.0, simulated_begin=5000.0)
HERE = "http://127.0.0.1:9090"


def spec_of(**spec):
    return compressed(scaled_object("serving", **spec), CLOCK, HERE)["spec"]


def behavior(spec):
    return spec["advanced"]["horizontalPodAutoscalerConfig"]["behavior"]


def configured(behavior):
    return {"advanced": {"horizontalPodAutoscalerConfig": {"behavior": behavior}}}


def test_all_times_are_divided():
    spec = spec_of(pollingInterval=60, cooldownPeriod=900, initialCooldownPeriod=90)

    assert (spec["pollingInterval"], spec["cooldownPeriod"], spec["initialCooldownPeriod"]) == (2, 30, 3)
    assert behavior(spec) == {
        "scaleUp": {
            "stabilizationWindowSeconds": 0,
            "policies": [{"type": "Pods", "value": 4, "periodSeconds": 2}],
        },
        "scaleDown": {
            "stabilizationWindowSeconds": 20,
            "policies": [{"type": "Percent", "value": 100, "periodSeconds": 2}],
        },
    }


def test_what_is_not_written_is_divided_too():
    """Else KEDA and the API server would put in what is usual at the pace of life."""
    spec = spec_of(**configured({"scaleUp": {"stabilizationWindowSeconds": 60}}))

    assert (spec["pollingInterval"], spec["cooldownPeriod"], spec["initialCooldownPeriod"]) == (1, 10, 0)
    assert behavior(spec) == {
        "scaleUp": {
            "stabilizationWindowSeconds": 2,
            "policies": [
                {"type": "Pods", "value": 4, "periodSeconds": 1},
                {"type": "Percent", "value": 100, "periodSeconds": 1},
            ],
        },
        "scaleDown": {"policies": [{"type": "Percent", "value": 100, "periodSeconds": 1}]},
    }


def test_a_direction_that_is_disabled_stays_so():
    spec = spec_of(**configured({"scaleDown": {"selectPolicy": "Disabled"}}))

    assert behavior(spec)["scaleDown"] == {"selectPolicy": "Disabled"}


def test_without_a_behavior_there_is_none():
    """Then the controller counts the time to stabilise, which it is told when it starts."""
    assert "advanced" not in {key: value for key, value in spec_of(advanced={}).items() if value}


def test_it_asks_the_prometheus_that_is_here_in_wall_time():
    trigger = spec_of()["triggers"][0]

    assert trigger["metadata"]["serverAddress"] == HERE
    assert trigger["metadata"]["query"].count("[2s]") == 2
    assert (trigger["metadata"]["threshold"], trigger["metadata"]["ignoreNullValues"]) == ("5", "false")


def test_amazon_s_prometheus_is_not_asked_as_such():
    trigger = {
        "type": "prometheus",
        "metadata": {
            "serverAddress": "https://aps-workspaces.us-east-1.amazonaws.com/workspaces/ws-1",
            "query": "up",
            "threshold": "1",
            "awsRegion": "us-east-1",
        },
        "authenticationRef": {"name": "amp"},
    }

    assert spec_of(triggers=[trigger])["triggers"] == [
        {"type": "prometheus", "metadata": {"serverAddress": HERE, "query": "up", "threshold": "1"}}
    ]


def test_office_hours_go_by_the_simulated_clock():
    hours = {"timezone": "Etc/UTC", "start": "0 9 * * *", "end": "0 18 * * *", "desiredReplicas": "2"}

    (trigger,) = spec_of(triggers=[{"type": "cron", "metadata": hours}])["triggers"]

    assert (trigger["type"], trigger["metadata"]["serverAddress"]) == ("prometheus", HERE)
    simulated = "(5000.0 + 30.0 * (time() - 1000.0))"
    assert f"vector({simulated}) >= 32400 < 64800 or " in trigger["metadata"]["query"]


def test_other_triggers_stay():
    trigger = {"type": "cpu", "metadata": {"value": "50"}}

    assert spec_of(triggers=[trigger])["triggers"] == [trigger]


def test_what_was_written_is_not_touched():
    written = scaled_object("serving")
    before = copy.deepcopy(written)

    compressed(written, CLOCK, HERE)

    assert written == before
    assert written["spec"]["triggers"][0]["metadata"]["serverAddress"] == IN_THE_CLUSTER
