"""The closed loop where nodes are Karpenter's: the stack's own NodePool in the hands of the real program.

The pool begins with nothing: the first server waits for the first node, and further ones for theirs.
"""

import pytest

from eks_accelerators.accelerators import durations
from eks_accelerators.simulator.alert_causes import CAUSES, Site
from tests.simulator.closed_loops import OF_SERVERS, changes, destroyed, load_on, nodes, way, when
from tests.simulator.fault_names import fault_names
from tests.simulator.further import further
from tests.simulator.lives import every, to

pytestmark = [pytest.mark.slow, pytest.mark.thorough, pytest.mark.usefixtures("engines")]

POOL = {
    "instanceType": "g6.2xlarge",
    "size": {"min": 0, "desired": 0, "max": 3},
    "disk": {"sizeGib": 150},
    "autoscaler": "karpenter",
}
FOLLOWS = every(
    to("workloads.vllm.llama.autoscaling", {"min": 1, "max": 3, "targetConcurrency": 14}),
    to("workloads.vllm.llama.nodeGroup", "l4"),
    to("nodeGroups", {"l4": POOL}),
    to("monitoring", {"prometheus": "stack"}),
)
"""Servers follow the load, each on a GPU of its own."""


DOWN = 24
"""Minutes: when Karpenter is scaled to 0."""
GONE = ("no-capacity:l4@+8m", f"autoscaler-down=karpenter@+{DOWN}m")
LIMIT = "nodes up to the limit of a NodePool"
STRUCK = [cause for cause in CAUSES if cause.site is Site.POOLS and cause.text in {LIMIT, *fault_names(GONE)}]
LATE = 6
"""Minutes that an alert may come later, on a machine that does other things too."""


@pytest.fixture(autouse=True)
def programs():
    further(*OF_SERVERS, "karpenter")


def fired(report):
    return {name for sample in report["samples"] for name in sample["alerts"]}


def test_karpenter_makes_a_node_for_every_server_that_waits(tmp_path, capsys):
    report = load_on("dev", tmp_path, capsys, FOLLOWS, requests=40, lasts="40m", pace=15.0)

    first = when(report, "nodes of l4 0 → 1")
    assert first >= durations.node_seconds(POOL["instanceType"])
    answers = when(report, "servers that answer 0 → 1")
    assert first < answers
    more = when(report, "replicas 1 →", after=answers)
    assert more <= when(report, "servers without a place 0 →", after=more) < when(report, "nodes of l4 1 →", after=more)
    assert nodes(report, "l4") <= {0, 1, 2, 3}
    last = report["samples"][-1]
    assert last["ready"] == last["replicas"] == last["nodes"]["l4"] == 3
    assert last["waiting"] <= 4
    assert float(last["usdPerHour"]) > float(report["samples"][0]["usdPerHour"])
    assert {part["name"] for part in report["parts"]} >= {"node autoscaler", "node", "image"}
    assert changes(report["samples"], "replicas", answers + 2 * way(report)) <= 2
    assert report["without"] == []
    assert {name for cause in STRUCK if cause.text == LIMIT for name in cause.fires} <= fired(report)
    full = next(sample["at"] for sample in report["samples"] if sample["nodes"].get("l4") == 3)
    assert full + 10 * 60 <= when(report, "KarpenterLimitNearlyReached fires") <= full + (16 + LATE) * 60
    assert not fired(report) & {"KarpenterNodesNotLaunching", "AutoscalerMissing", "AcceleratorMetricsMissing"}
    assert destroyed("dev", tmp_path, capsys)["nodes"] == []  # nothing is held by a program that runs no more


def test_without_capacity_it_says_that_no_node_came_and_a_quarter_of_an_hour_later_pods_say_it(tmp_path, capsys):
    """After the first node: what Karpenter gives up before Prometheus has seen it once, nobody sees."""
    report = load_on("dev", tmp_path, capsys, FOLLOWS, requests=40, lasts="42m", pace=15.0, faults=GONE)

    waits = when(report, "servers without a place 0 →", after=8 * 60)
    assert waits <= when(report, "KarpenterNodesNotLaunching fires") <= waits + (3 + LATE) * 60
    told = when(report, "AcceleratorPodUnschedulable fires", after=waits)
    assert waits + 14 * 60 <= told <= waits + (16 + LATE) * 60
    assert nodes(report, "l4") == {0, 1}
    assert (DOWN + 10) * 60 <= when(report, "AutoscalerMissing fires") <= (DOWN + 11 + LATE) * 60
    assert {name for cause in STRUCK if cause.text != LIMIT for name in cause.fires} <= fired(report)
    assert not fired(report) & {"KarpenterLimitNearlyReached", "AcceleratorMetricsMissing"}
