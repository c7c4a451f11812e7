"""The closed loop, whole: real Prometheus, KEDA, HPA controller and Cluster Autoscaler, simulated servers under load.

What is held is what happens and in which order; bounds are those of a machine that does other things too.
"""

import pytest

from tests.simulator.closed_loops import OF_SERVERS, changes, load_on, way, when
from tests.simulator.further import further
from tests.simulator.lives import every, to

pytestmark = [pytest.mark.slow, pytest.mark.thorough, pytest.mark.usefixtures("engines")]

FOLLOWS = every(
    to("workloads.vllm.llama.autoscaling", {"min": 1, "max": 12, "targetConcurrency": 8}),
    to("monitoring", {"prometheus": "stack"}),
    to("nodeGroups.l4-shared.autoscaler", "clusterAutoscaler"),
    to("nodeGroups.l4-shared.size", {"min": 1, "desired": 1, "max": 3}),
)
"""Servers and nodes follow the load."""

BLOCK = every(
    FOLLOWS,
    to("capacityBlocks", {"next": {"reservationId": "cr-0123456789abcdef0", "expect": {"zone": "us-east-2a"}}}),
    to(
        "nodeGroups.h100",
        {"instanceType": "p5.48xlarge", "capacityBlock": "next", "size": {"max": 2}, "disk": {"sizeGib": 500}},
    ),
)
"""Beside them a group on a Capacity Block that has not begun."""


@pytest.fixture
def load(tmp_path, capsys):
    """Puts a load on dev with changes, and returns the report; the next call goes on from there."""

    def run(change, **asked):
        return load_on("dev", tmp_path, capsys, change, **asked)

    return run


def test_servers_and_nodes_follow_the_load_and_then_stay(load):
    """Of a constant load replicas change at most twice once the objective holds and servers answer. A zone in which EC2 has no
    capacity does not hold up the node, which comes in another one.
    """
    further(*OF_SERVERS, "cluster-autoscaler")

    report = load(BLOCK, requests=40, lasts="45m", faults=("no-capacity:l4-shared/us-east-2b",))

    (step,) = report["steps"]
    assert step["restored"]
    assert when(report, "replicas 1 →") < when(report, "servers that answer 1 →")
    without_place = when(report, "servers without a place 0 →")
    node = when(report, "nodes of l4-shared 1 → 2")
    # At the very moment of the node one may answer that had a place.
    assert without_place < node < when(report, "servers that answer", after=node + 1)
    assert without_place < when(report, "(us-east-2b). Launched in us-east-2a.") < node
    assert when(report, "VllmFirstTokenSlow fires") < when(report, "VllmFirstTokenSlow is over")
    assert {part["name"] for part in report["parts"]} >= {"HPA sync", "node autoscaler", "node", "image"}
    assert changes(report["samples"], "replicas", 2 * way(report)) <= 2
    assert all("h100" not in sample["nodes"] for sample in report["samples"])
    last = report["samples"][-1]
    assert last["ready"] == last["replicas"] >= 5
    assert last["waiting"] <= 4
    assert float(last["usdPerHour"]) > float(report["samples"][0]["usdPerHour"])


def test_a_gpu_that_fails_is_told_and_its_node_replaced(load):
    """Servers on it end; alerts say which GPU; after ten minutes the node is another one, and they start again."""
    further("prometheus")

    report = load(None, requests=20, lasts="30m", faults=("xid=79:l4-shared@+3m",))

    struck = when(report, "xid=79:l4-shared")
    gone = when(report, "servers that answer 4 → 0")
    repaired = when(report, "node repair replaces")
    assert struck <= gone <= when(report, "GpuXidNeedsReset fires") < struck + 180
    assert struck + 600 <= repaired < struck + 720
    back = when(report, "nodes of l4-shared 0 → 1")
    assert back >= repaired + 110
    assert when(report, "servers that answer 0 → 4") >= back + 300
    assert report["totals"]["brokenOff"] >= 20
    assert report["held"]
    assert any("autoscaling" in line for line in report["without"])


def test_ec2_without_capacity_leaves_pods_without_a_place(load):
    further(*OF_SERVERS, "cluster-autoscaler")

    report = load(FOLLOWS, requests=40, lasts="25m", faults=("no-capacity:l4-shared",))

    assert when(report, "InsufficientInstanceCapacity") > when(report, "servers without a place 0 →")
    assert {sample["nodes"]["l4-shared"] for sample in report["samples"]} == {1}
    assert report["samples"][-1]["unscheduled"] > 0
