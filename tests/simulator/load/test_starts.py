"""How long servers take to start, and who says that they have."""

import pytest

from eks_accelerators.accelerators import data
from eks_accelerators.accelerators.start_times import start_time
from eks_accelerators.simulator.kubernetes.slow_pods import STARTED
from eks_accelerators.simulator.load.starts import Starts

PROBE = {"failureThreshold": 60}


class Cluster:
    """Writes down which pods were said to have started."""

    def __init__(self):
        self.started = []

    def patch(self, _version, _kind, name, _namespace, change):
        assert change == {"metadata": {"annotations": {STARTED: "true"}}}
        self.started.append(name)


def pod(name, node=None, phase="Pending"):
    container = {"image": "vllm:1", "startupProbe": PROBE}
    spec = {"containers": [container], **({"nodeName": node} if node else {})}
    return {"metadata": {"name": name, "namespace": "llm", "uid": name}, "spec": spec, "status": {"phase": phase}}


def test_the_first_server_waits_for_the_image_and_the_next_does_not():
    cluster, time = Cluster(), start_time(3.1e9)
    starts = Starts(cluster, time)
    both = [pod("first", "a"), pod("waits")]
    moments = {}
    for now in range(900):
        if now == 500:
            both[1] = pod("waits", "a")
        starts.look(both, float(now))
        for name in cluster.started:
            moments.setdefault(name, now)

    assert moments["first"] == pytest.approx(time.whole, abs=1)
    assert moments["waits"] == pytest.approx(500 + time.without_image, abs=1)


def test_one_that_runs_already_has_its_image_there():
    cluster, time = Cluster(), start_time(3.1e9)
    starts = Starts(cluster, time)
    starts.look([pod("old", "a", "Running")], 0.0)
    for now in range(1, 900):
        starts.look([pod("old", "a", "Running"), pod("new", "a")], float(now))
        if cluster.started:
            break

    assert cluster.started == ["new"]
    assert now == pytest.approx(1 + time.without_image, abs=1)


def test_parts_are_those_of_the_cold_start_that_was_measured():
    """3.1 GB of weights, ready six minutes after the pod was scheduled, as the facts of Deployments say too."""
    (known,) = [
        row for kind in [data.load("resource-types")] for name, row in kind["sources"].items() if name == "cold-start"
    ]

    assert all(text in known for text in ("3 min 44 s", "3.1 GB 58 s", "engine 46 s", "6 min"))
    assert start_time(3.1e9).whole == pytest.approx(360)
    assert (start_time(3.1e9).image, start_time(3.1e9).weights, start_time(3.1e9).engine) == (224, 58, 46)


def test_larger_weights_take_longer():
    assert start_time(16e9).weights > 4 * start_time(3.1e9).weights


def test_another_machine_with_the_name_of_one_before_has_no_image():
    cluster, time = Cluster(), start_time(3.1e9)
    starts = Starts(cluster, time)
    starts.look([pod("old", "a", "Running")], 0.0, {"a": "i-1"})
    for now in range(1, 900):
        starts.look([pod("new", "a")], float(now), {"a": "i-2"})
        if cluster.started:
            break

    assert now == pytest.approx(1 + time.whole, abs=1)
