"""The API server with KEDA's definitions, and KEDA's own webhooks, judge ScaledObjects."""

import pytest

from eks_accelerators.simulator.keda.scaled_objects import compressed
from eks_accelerators.simulator.kubernetes.api import ApiError
from eks_accelerators.simulator.pace import Pace, PacedClock
from tests.simulator.keda.objects import deployment, scaled_object

pytestmark = [pytest.mark.engines, pytest.mark.slow]


def triggers(**metadata):
    written = scaled_object("default")["spec"]["triggers"][0]
    return {"triggers": [{**written, "metadata": {**written["metadata"], **metadata}}]}


@pytest.mark.parametrize("factor", [1, 30, 1000])
def test_it_is_admitted_at_every_pace(admitted, factor):
    clock = PacedClock.beginning_now(Pace(factor))

    made = admitted(compressed(scaled_object("default"), clock, "http://127.0.0.1:9090"))

    assert made["spec"]["maxReplicaCount"] == 8


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({"pollingInterval": 0}, "spec.pollingInterval: Invalid value: 0"),  # the schema
        ({"minReplicaCount": 9}, "minReplicaCount must be less than or equal to maxReplicaCount"),
        ({"fallback": {"failureThreshold": 3, "replicas": 4, "behavior": "stay"}}, "spec.fallback.behavior"),
        ({"triggers": []}, "spec.triggers in body should have at least 1 items"),
        ({"triggers": [{"type": "cpu", "metadata": {"value": "50"}}]}, "at least one trigger"),  # the webhooks
        ({"idleReplicaCount": 1}, "IdleReplicaCount=1 must be less than MinReplicaCount=1"),
    ],
)
def test_what_is_refused_and_why(admitted, spec, said):
    with pytest.raises(ApiError) as error:
        admitted(scaled_object("default", **spec))

    assert said in error.value.message


def test_keda_makes_an_autoscaler_of_it(made_of, namespace):
    made = made_of(scaled_object(namespace), deployment(namespace))

    assert (made["spec"]["minReplicas"], made["spec"]["maxReplicas"]) == (1, 8)
    assert made["spec"]["metrics"][0]["external"]["target"] == {"type": "AverageValue", "averageValue": "5"}
    assert made["spec"]["behavior"]["scaleDown"]["stabilizationWindowSeconds"] == 600


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (triggers(threshold="five"), "threshold"),
        ({"scaleTargetRef": {"name": "nobody"}}, "nobody"),
    ],
)
def test_what_keda_cannot_use(made_of, namespace, spec, said):
    with pytest.raises(ApiError) as error:
        made_of(scaled_object(namespace, **spec), deployment(namespace))

    assert said in error.value.message
