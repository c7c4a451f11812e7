"""The closed loop where nodes are Karpenter's: the stack's own NodePool in the hands of the real program.

The pool begins with nothing: the first server waits for the first node, and further ones for theirs.
"""

import pytest

from eks_accelerators.accelerators import durations
from tests.simulator.closed_loops import OF_SERVERS, changes, load_on, nodes, way, when
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


@pytest.fixture(autouse=True)
def programs():
    further(*OF_SERVERS, "karpenter")


def test_karpenter_makes_a_node_for_every_server_that_waits(tmp_path, capsys):
    report = load_on("dev", tmp_path, capsys, FOLLOWS, requests=40, lasts="40m", pace=15.0)

    first = when(report, "nodes of l4 0 → 1")
    assert first >= durations.node_seconds(POOL["instanceType"])
    answers = when(report, "servers that answer 0 → 1")
    assert first < answers
    more = when(report, "replicas 1 →", after=answers)
    assert more < when(report, "servers without a place 0 →", after=more) < when(report, "nodes of l4 1 →", after=more)
    assert nodes(report, "l4") <= {0, 1, 2, 3}
    last = report["samples"][-1]
    assert last["ready"] == last["replicas"] == last["nodes"]["l4"] == 3
    assert last["waiting"] <= 4
    assert float(last["usdPerHour"]) > float(report["samples"][0]["usdPerHour"])
    assert {part["name"] for part in report["parts"]} >= {"node autoscaler", "node", "image"}
    assert changes(report["samples"], "replicas", answers + 2 * way(report)) <= 2
    assert report["without"] == []
