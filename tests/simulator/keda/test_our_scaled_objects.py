"""What our own servers hand to KEDA, judged by its CRD and its webhooks, and what it makes of it."""

import pytest

from eks_accelerators.components.scaled_object import API_VERSION, scaled_object_spec
from eks_accelerators.settings.autoscaling import autoscaling_of
from eks_accelerators.simulator.kubernetes.api import ApiError
from tests.settings.example import check
from tests.simulator.keda.objects import deployment

pytestmark = [pytest.mark.engines, pytest.mark.slow]

OFFICE = {"start": "30 7 * * 1-5", "end": "0 19 * * MON-FRI", "timezone": "Europe/Berlin", "replicas": 2}
CASES = [
    pytest.param({}, None, id="by-load"),
    pytest.param({"min": 2, "schedule": [OFFICE]}, None, id="and-by-hours"),
    pytest.param({"min": 0, "schedule": [OFFICE]}, None, id="from-zero"),
    pytest.param({"metrics": ["concurrency"], "fallbackReplicas": 2, "startSeconds": 1800}, None, id="slow"),
    pytest.param({}, "us-east-2", id="amazon-s-prometheus"),
]


def ours(namespace, region=None, address="http://127.0.0.1:9090", **settings):
    patch = {"monitoring.prometheus": "stack", "workloads.vllm.qwen.autoscaling": {"max": 2, **settings}}
    (placed,) = check(patch).require().workloads
    scaling = autoscaling_of(placed.workload, placed.fit)
    return {
        "apiVersion": API_VERSION,
        "kind": "ScaledObject",
        "metadata": {"name": "qwen", "namespace": namespace},
        "spec": scaled_object_spec("qwen", namespace, scaling, address, region=region),
    }


@pytest.mark.parametrize(("settings", "region"), CASES)
def test_keda_admits_it_as_it_is(admitted, settings, region):
    wanted = ours("default", region, **settings)

    made = admitted(wanted)

    assert made["spec"] == wanted["spec"]


def test_a_field_of_the_wrong_kind_would_be_refused(admitted):
    wanted = ours("default")
    wanted["spec"]["triggers"][0]["metadata"]["threshold"] = 12

    with pytest.raises(ApiError, match="threshold"):
        admitted(wanted)


def test_keda_makes_an_autoscaler_of_it(made_of, namespace):
    """It reads every trigger, and Kubernetes gets the pace that follows from the start of a server."""
    target = deployment(namespace)
    target["metadata"]["name"] = "qwen"

    made = made_of(ours(namespace, min=1, schedule=[OFFICE]), target)["spec"]

    targets = [metric["external"]["target"] for metric in made["metrics"]]
    assert {"type": "AverageValue", "averageValue": "12"} in targets
    assert {"type": "Value", "value": "800m"} in targets
    assert len(targets) == 3
    assert (made["minReplicas"], made["maxReplicas"]) == (1, 2)
    assert made["behavior"]["scaleUp"]["policies"][0] == {"type": "Pods", "value": 2, "periodSeconds": 360}
    assert made["behavior"]["scaleDown"]["stabilizationWindowSeconds"] == 720
