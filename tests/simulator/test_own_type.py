"""An instance type that only the stack file describes, from the stack file to pods on its GPUs."""

import pytest

from eks_accelerators.simulator.kubernetes.report import Count, node_reports, pod_reports
from tests.settings.rules.instance_types import P7
from tests.simulator.worlds import load, room_on, simulation

pytestmark = pytest.mark.slow

GPUS, SHARES = 8, 4


def on_p7(config):
    config["eks-accelerators:instanceTypes"] = {"p7.48xlarge": P7}
    config["eks-accelerators:budget"]["monthlyUsd"] = 100_000
    config["eks-accelerators:nodeGroups"]["l4-shared"] |= {
        "instanceType": "p7.48xlarge",
        "size": {"min": 0, "desired": 1, "max": 1},
    }


def test_servers_run_on_a_type_of_the_stack_file_s_own(engines, tmp_path):
    stack, planned = load(tmp_path, "dev", on_p7), room_on(tmp_path / "planned", "dev", "l4-shared", on_p7)

    with simulation(tmp_path, engines, stack) as sim:
        outcome = sim.run("up", stack.program)
        sim.settle()
        (node,) = [each for each in node_reports(sim.cluster.api, sim.notes) if not each.is_system]
        (servers,) = [each for each in pod_reports(sim.cluster.api) if each.owner == "Deployment/llama"]

    assert outcome.ok, outcome.errors
    assert (node.instance_type, node.ready) == ("p7.48xlarge", True)
    assert node.accelerators == {"nvidia.com/gpu": Count(GPUS * SHARES, GPUS * SHARES)}
    assert (servers.phase, servers.count) == ("Running", planned.workloads[0].placed)
