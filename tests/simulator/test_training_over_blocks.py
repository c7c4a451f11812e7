"""A training job over two Capacity Blocks: it starts when the first begins, is told to save before the drain, and goes on in the next.

What the program does when it is told is tried with real processes: `tests/components/training/test_launch.py` (it saves at STOP_AT and
waits for the end of its pod) and `tests/components/training/test_train_small_model.py` (it goes on from its checkpoint).
"""

import copy
from datetime import UTC, datetime, timedelta

import pytest
import yaml

from eks_accelerators.accelerators.scheduling import NODE_GROUP_LABEL
from eks_accelerators.settings.load import load_stack_file
from eks_accelerators.simulator.stack import simulated_stack
from tests.polls import until
from tests.simulator.lives import ACCOUNT, BLOCK, NEXT_BLOCK
from tests.simulator.worlds import NOW, PROJECT, simulation

pytestmark = [pytest.mark.slow, pytest.mark.thorough]

FILE = PROJECT / "examples" / "training" / "Pulumi.training.yaml"
JOB, NAMESPACE, NODES = "four-by-eight", "training", 4
BEGUN, NEXT_BEGUN = (datetime(2026, 11, day, 12, 0, tzinfo=UTC) for day in (24, 27))
ENDS, NEXT_ENDS = (datetime(2026, 11, day, 11, 30, tzinfo=UTC) for day in (26, 29))
DRAIN, SAVING = timedelta(minutes=40), timedelta(seconds=600)


def over_two_blocks(folder):
    """The example with a second block that follows the first, and without its other jobs."""
    read = yaml.safe_load(FILE.read_text())
    config = copy.deepcopy(read["config"])
    key = "eks-accelerators:{}".format
    config[key("capacityBlocks")] = {"first": {"reservationId": BLOCK}, "second": {"reservationId": NEXT_BLOCK}}
    group = {**config[key("nodeGroups")]["p5"], "capacityBlock": "first", "nextCapacityBlocks": ["second"]}
    config[key("nodeGroups")] = {"p5": group}
    config[key("workloads")] = {"pytorchJob": {JOB: config[key("workloads")]["pytorchJob"][JOB]}}
    path = folder / "Pulumi.training.yaml"
    path.write_text(yaml.safe_dump({**read, "config": config}))
    return path


class Training:
    """The job in its cluster."""

    def __init__(self, sim):
        self.sim = sim

    @property
    def job(self):
        return self.sim.cluster.api.get("batch/v1", "Job", JOB, NAMESPACE)

    def told(self, name):
        """What its pods find in a variable."""
        (container,) = self.job["spec"]["template"]["spec"]["containers"]
        return next(each["value"] for each in container["env"] if each["name"] == name)

    @property
    def pods(self):
        """Phases and node groups of those that have not ended."""
        api = self.sim.cluster.api
        groups = {
            each["metadata"]["name"]: each["metadata"]["labels"].get(NODE_GROUP_LABEL)
            for each in api.list("v1", "Node")
        }
        found = api.list("v1", "Pod", NAMESPACE, f"batch.kubernetes.io/job-name={JOB}")
        return sorted(
            (each["status"]["phase"], groups.get(each["spec"].get("nodeName"), ""))
            for each in found
            if each["status"]["phase"] != "Failed" and "deletionTimestamp" not in each["metadata"]
        )

    def is_(self, phase, group):
        return self.pods == [(phase, group)] * NODES

    def has_much_to_do(self):
        """The work of its pods lasts longer than this test: by itself it would be two seconds."""
        api = self.sim.cluster.api
        for each in api.list("v1", "Pod", NAMESPACE, f"batch.kubernetes.io/job-name={JOB}"):
            change = {"metadata": {"annotations": {"eks-accelerators/work": "3600s"}}}
            api.patch("v1", "Pod", each["metadata"]["name"], NAMESPACE, change)

    def blocks(self):
        """Reservations, by how many instances run in them."""
        groups = self.sim.account.state.scaling_groups()
        found = [each.reservation_id for group in groups for each in group.instances if each.reservation_id]
        return {block: found.count(block) for block in found}


def test_a_job_goes_on_in_the_next_block(engines, tmp_path):
    file = over_two_blocks(tmp_path)
    settings = load_stack_file(file, NOW).require().settings
    stack = simulated_stack("training", file, PROJECT / "__main__.py", settings, NOW, ACCOUNT)
    with simulation(tmp_path, engines, stack) as sim:
        training = Training(sim)
        assert sim.run("up", stack.program).errors == []
        sim.settle()

        # It is there, costs nothing, and knows when it has to have saved.
        assert training.is_("Pending", "")
        assert datetime.fromisoformat(training.told("STOP_AT")) == ENDS - DRAIN - SAVING
        kept = training.told("CHECKPOINTS")
        training.has_much_to_do()

        # It starts when the block starts, and runs until its own end.
        sim.set_clock(BEGUN)
        until(lambda: training.is_("Running", "p5"))
        assert training.blocks() == {BLOCK: NODES}
        sim.set_clock(ENDS - DRAIN - SAVING)
        sim.settle()
        assert training.is_("Running", "p5")

        # EKS takes the nodes away; that is no fault of the job, and others wait in place of its pods.
        sim.set_clock(ENDS - DRAIN + timedelta(minutes=1))
        until(lambda: training.is_("Pending", ""))
        assert training.blocks() == {}
        assert not [each for each in training.job["status"].get("conditions", ()) if each["type"] == "Failed"]

        # The next deployment gives it the next block, where the same checkpoints are.
        assert sim.run("up", stack.program).errors == []
        sim.settle()
        assert training.is_("Pending", "")
        assert datetime.fromisoformat(training.told("STOP_AT")) == NEXT_ENDS - DRAIN - SAVING
        assert training.told("CHECKPOINTS") == kept
        training.has_much_to_do()
        sim.set_clock(NEXT_BEGUN)
        until(lambda: training.is_("Running", "p5"))
        assert training.blocks() == {NEXT_BLOCK: NODES}
