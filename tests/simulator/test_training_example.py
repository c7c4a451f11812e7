"""The example of training, deployed: jobs run on the nodes that they are meant for, and the one of a Capacity Block when it begins."""

from datetime import datetime, timedelta

import pytest

from eks_accelerators.accelerators.scheduling import NODE_GROUP_LABEL
from eks_accelerators.settings.load import load_stack_file
from eks_accelerators.simulator.stack import simulated_stack
from tests.simulator.worlds import NOW, PROJECT, simulation

pytestmark = pytest.mark.slow

FILE = PROJECT / "examples" / "training" / "Pulumi.training.yaml"


@pytest.fixture(scope="module")
def sim(engines, tmp_path_factory):
    """The deployed example."""
    settings = load_stack_file(FILE, NOW).require().settings
    stack = simulated_stack("training", FILE, PROJECT / "__main__.py", settings, NOW, None)
    with simulation(tmp_path_factory.mktemp("training"), engines, stack) as opened:
        assert opened.run("up", stack.program).errors == []
        opened.settle()
        yield opened


def pods(sim, name):
    """Phase and node group of the pods of one job."""
    nodes = sim.cluster.api.list("v1", "Node")
    groups = {node["metadata"]["name"]: node["metadata"]["labels"].get(NODE_GROUP_LABEL) for node in nodes}
    found = sim.cluster.api.list("v1", "Pod", "training", f"batch.kubernetes.io/job-name={name}")
    return [(each["status"]["phase"], groups.get(each["spec"].get("nodeName"))) for each in found]


def test_jobs_are_where_their_accelerators_are_and_one_waits_for_its_block(sim):
    assert pods(sim, "mixed-precision") == [("Running", "l4")]
    assert pods(sim, "four-by-eight") == [("Pending", None)] * 4

    (block,) = sim.account.call("ec2", "describe_capacity_reservations")["CapacityReservations"]
    begins = datetime.fromisoformat(str(block["StartDate"]))
    sim.set_clock(begins + timedelta(minutes=30))
    sim.settle()

    # Their work is short: one may be over before another is looked at.
    assert [(phase in ("Running", "Succeeded"), group) for phase, group in pods(sim, "four-by-eight")] == [
        (True, "p5")
    ] * 4
    assert pods(sim, "mixed-precision") == [("Succeeded", "l4")]
