"""The closed loop on servers that are not vLLM's on GPUs: each shows its load in its own names, and starts in its own time."""

import pytest

from eks_accelerators.simulator.alert_causes import CAUSES, Site
from tests.simulator.closed_loops import OF_SERVERS, load_on, when
from tests.simulator.fault_names import fault_names
from tests.simulator.further import further
from tests.simulator.lives import every, to

pytestmark = [pytest.mark.slow, pytest.mark.thorough, pytest.mark.usefixtures("engines")]

VISION = {
    "nodeGroup": "l4-shared",
    "repository": "/models/vision",
    "volumes": {"models": {"mountPath": "/models", "readOnly": True}},
    "gpuMemoryGib": 4.0,
    "autoscaling": {"min": 1, "max": 3, "startSeconds": 300},
}
TRITON = every(
    to("monitoring", {"prometheus": "stack"}),
    to("storage", {"models": {"s3Bucket": {"bucket": "models-of-ours"}}}),
    to("workloads", {"triton": {"vision": VISION}}),
)


SILENT, OBJECTS = 12, 1
"""Minutes: when Triton's pages and when kube-state-metrics say nothing any more."""
NO_TRITON, NO_OBJECTS = f"exporter-down=triton:l4-shared@+{SILENT}m", f"exporter-down=kube-state-metrics@+{OBJECTS}m"
STRUCK = [
    cause
    for cause in CAUSES
    if cause.site in (Site.OTHER_SERVERS, Site.OBJECTS) and cause.text in fault_names((NO_TRITON, NO_OBJECTS))
]
LATE = 6
"""Minutes that an alert may come later, on a machine that does other things too."""


def fires(report, fault, begins):
    """Every alert of the fault, after as many minutes as the table says."""
    (cause,) = (each for each in STRUCK if each.text in fault_names((fault,)))
    assert cause.fires
    for name, after in cause.fires.items():
        assert (begins + after - 1) * 60 <= when(report, f"{name} fires") <= (begins + after + LATE) * 60


def test_triton_follows_what_is_pending_and_is_missed_where_it_does_not_answer(tmp_path, capsys):
    """One request after the other, half a second each: of 20 users 19 wait, and three servers share one GPU no faster than one."""
    further(*OF_SERVERS)
    asked = {"requests": 20, "lasts": "30m", "request_seconds": 0.5, "faults": (NO_TRITON,)}

    report = load_on("dev", tmp_path, capsys, TRITON, **asked)

    added = when(report, "replicas 1 → 3")
    answers = when(report, "servers that answer 1 →", after=added)
    assert answers - added >= 300 - 224 - 30  # the image is there; moments are as exact as the pace allows
    last = report["samples"][-1]
    assert (last["replicas"], last["ready"]) == (3, 3)
    assert report["totals"]["answered"] == pytest.approx(30 * 60 * 2, rel=0.1)
    assert "one request at a time, 0.5 s each" in report["models"][0]
    assert report["parts"][-1] == {
        "name": "engine",
        "seconds": 76,
        "source": "measured by you, autoscaling.startSeconds",
    }
    fires(report, NO_TRITON, SILENT)


def test_a_server_on_neuron_devices_is_asked_by_name(tmp_path, capsys):
    """As `staging` is shipped: one on an Inferentia2, beside those on GPUs. Nobody tells of objects meanwhile."""
    further(*OF_SERVERS, "cluster-autoscaler")

    report = load_on("staging", tmp_path, capsys, server="llama-inf2", requests=2, lasts="20m", faults=(NO_OBJECTS,))

    assert report["server"] == "llama-inf2"
    assert report["samples"][-1]["ready"] == 1
    assert report["totals"]["answered"] > 0
    assert any("compiler takes" in line for line in report["models"])
    fires(report, NO_OBJECTS, OBJECTS)
