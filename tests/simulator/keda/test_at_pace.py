"""The ScaledObjects of a cluster, at the pace of a clock for a while, and then as they were written."""

import pytest

from eks_accelerators.simulator.keda.scaled_objects import API_VERSION, KIND, ORIGINAL, at_pace
from eks_accelerators.simulator.pace import Pace, PacedClock
from tests.simulator.keda.objects import IN_THE_CLUSTER, deployment, scaled_object

pytestmark = [pytest.mark.engines, pytest.mark.slow]

URL = "http://127.0.0.1:9090"


@pytest.fixture
def written(cluster, admitted, namespace):
    """What a stack has written, judged by KEDA, without scaling down: what that gets at a pace has to go again."""
    api = cluster.api
    spec = scaled_object(namespace)
    del spec["spec"]["advanced"]["horizontalPodAutoscalerConfig"]["behavior"]["scaleDown"]
    api.apply(deployment(namespace))
    before = api.apply(spec)["spec"]
    yield lambda: api.get(API_VERSION, KIND, "llama", namespace), before
    api.delete(API_VERSION, KIND, "llama", namespace, wait_seconds=60)


def as_written(found):
    """Its spec, without what a KEDA that runs adds to every one: that there are no modifiers."""
    found["spec"]["advanced"].pop("scalingModifiers", None)
    return found["spec"]


def window(found):
    behavior = found["spec"]["advanced"]["horizontalPodAutoscalerConfig"]["behavior"]
    return behavior["scaleUp"]["policies"][0]["periodSeconds"]


def test_they_are_put_back_as_they_were(cluster, written):
    now, before = written

    with at_pace(cluster.api, PacedClock.beginning_now(Pace(30)), URL) as originals:
        assert IN_THE_CLUSTER in {one["spec"]["triggers"][0]["metadata"]["serverAddress"] for one in originals}
        assert now()["spec"]["triggers"][0]["metadata"]["serverAddress"] == URL
        assert window(now()) == 2

    assert as_written(now()) == before
    assert ORIGINAL not in now()["metadata"].get("annotations", {})


def test_after_a_run_that_was_killed_they_are_not_compressed_twice(cluster, written):
    now, before = written
    killed = at_pace(cluster.api, PacedClock.beginning_now(Pace(30)), URL)
    killed.__enter__()

    with at_pace(cluster.api, PacedClock.beginning_now(Pace(10)), URL):
        assert window(now()) == 6

    assert as_written(now()) == before


def test_one_that_goes_meanwhile_is_not_missed(cluster, written):
    now, _ = written

    with at_pace(cluster.api, PacedClock.beginning_now(Pace(30)), URL):
        metadata = now()["metadata"]
        cluster.api.delete(API_VERSION, KIND, "llama", metadata["namespace"], wait_seconds=60)

    assert now() is None
