"""The ScaledObject of a stack, as KEDA and Kubernetes judge it, and at every pace."""

import pytest

from eks_accelerators.simulator.keda.scaled_objects import compressed
from eks_accelerators.simulator.pace import Pace, PacedClock
from tests.components.test_scaled_object import ASLEEP, spec
from tests.simulator.keda.objects import deployment

pytestmark = [pytest.mark.engines, pytest.mark.slow]

SETTINGS = [{}, {"min": 2}, ASLEEP, {"metrics": ["concurrency"]}]


def scaled_object(namespace, **settings):
    metadata = {"name": "qwen", "namespace": namespace}
    return {"apiVersion": "keda.sh/v1alpha1", "kind": "ScaledObject", "metadata": metadata, "spec": spec(**settings)}


@pytest.mark.parametrize("settings", SETTINGS)
def test_it_is_admitted(admitted, settings):
    written = scaled_object("default", **settings)

    for made in (
        written,
        *(compressed(written, PacedClock.beginning_now(Pace(f)), "http://127.0.0.1:1") for f in (1, 60)),
    ):
        assert admitted(made)["spec"]["maxReplicaCount"] == 2


@pytest.mark.parametrize("settings", SETTINGS)
def test_keda_makes_an_autoscaler_of_it(made_of, namespace, settings):
    written = scaled_object(namespace, **settings)

    made = made_of(written, deployment(namespace, "qwen"))

    assert made["spec"]["maxReplicas"] == 2
    assert len(made["spec"]["metrics"]) == len(written["spec"]["triggers"])
    down = written["spec"]["advanced"]["horizontalPodAutoscalerConfig"]["behavior"]["scaleDown"]
    assert made["spec"]["behavior"]["scaleDown"] == down
