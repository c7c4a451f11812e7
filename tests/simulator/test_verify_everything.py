"""A thorough verification over a real API server, with nodes that exchange data, GPUs that are claimed and volumes that are mounted."""

from collections.abc import Iterator

import pytest

from eks_accelerators.accel.verify.gangs import gang
from eks_accelerators.accel.verify.simulated_cluster import simulated_cluster
from eks_accelerators.components.charts import catalogue
from eks_accelerators.settings.load import load_stack_file
from eks_accelerators.settings.resolved_stack import ResolvedStack, resolve_stack
from eks_accelerators.simulator.metrics.faults import parse
from eks_accelerators.verification.check_pod import MANAGED, NAMESPACE
from eks_accelerators.verification.device_checks import Level
from eks_accelerators.verification.findings import VerificationFinding
from eks_accelerators.verification.run import Verification
from tests.simulator.lives import Deployed, every, to
from tests.simulator.worlds import NOW, stack_file

pytestmark = pytest.mark.thorough

P5 = {
    "instanceType": "p5.48xlarge",
    "size": {"desired": 2, "max": 2},
    "zones": ["us-east-2a"],
    "efa": {"enabled": True},
    "disk": {"sizeGib": 300},
}
CLAIMED = {"instanceType": "g6.12xlarge", "size": {"desired": 1, "max": 1}, "dynamicResourceAllocation": True}
DIVIDED = {
    "instanceType": "p5.48xlarge",
    "size": {"desired": 1, "max": 1},
    "zones": ["us-east-2a"],
    "sharing": {"strategy": "mig", "mig": {"layout": {"1g.10gb": 7}, "strategy": "mixed"}},
    "disk": {"sizeGib": 300},
}
RUNS = {"fsxLustre": {"zone": "us-east-2a", "deploymentType": "PERSISTENT_2", "throughputMibpsPerTib": 125}}
EDITS = every(
    to("budget.monthlyUsd", 200_000),
    to("nodeGroups.p5", P5),
    to("nodeGroups.claimed", CLAIMED),
    to("nodeGroups.divided", DIVIDED),
    to("nodeGroups.l4-shared.zones", ["us-east-2a"]),
    to("storage", {"runs": RUNS}),
    to("workloads.vllm.llama.volumes", {"runs": {"mountPath": "/runs"}}),
)


@pytest.fixture
def stack(tmp_path) -> ResolvedStack:
    settings = load_stack_file(stack_file(tmp_path / "edited", "dev", EDITS), NOW).require().settings
    return resolve_stack(settings)


@pytest.fixture
def deployed(deployments, tmp_path) -> Iterator[Deployed]:
    with deployments.copied("dev", tmp_path) as made:
        assert made.run("up", EDITS).errors == []
        yield made


def verified(deployed: Deployed, stack: ResolvedStack, *faults: str) -> list[VerificationFinding]:
    images = {key: entry["image"] for key, entry in catalogue().items() if "image" in entry}
    struck = [parse(fault, set(stack.groups)) for fault in faults]
    with simulated_cluster(deployed.simulation, struck) as cluster:
        return Verification(stack, cluster, images, gang, Level.THOROUGH).findings()


def wrong(findings: list[VerificationFinding]) -> list[tuple[str, str]]:
    return [(each.code, each.found) for each in findings if each.severity.failed]


def test_everything_is_looked_at_and_nothing_stays(deployed, stack):
    well = verified(deployed, stack)

    assert wrong(well) == []
    passed = {(each.where.partition(" ")[0], each.code): each.found for each in well if each.severity == "pass"}
    assert passed["p5", "network-bandwidth"] == "487 GB/s at 16384 MiB"
    assert passed["p5", "network-over-efa"] == "EFA, from GPU to GPU"
    assert passed["workloads.vllm.llama.volumes.runs", "volume-bandwidth"] == "write 381 MiB/s, read 381 MiB/s"
    assert passed["claimed", "gpu-computes"].endswith("Done")

    broken = verified(deployed, stack, "slow-network=tcp:p5", "slow-volume=20:l4-shared", "mig-layout:divided")
    assert sorted((each.code, each.where.partition(" ")[0]) for each in broken if each.severity.failed) == [
        ("gpu-mig-layout", "divided"),
        ("network-over-efa", "p5"),
        ("volume-bandwidth", "workloads.vllm.llama.volumes.runs"),
    ]

    api = deployed.simulation.cluster.api
    deployed.simulation.settle()
    labels = ",".join(f"{key}={value}" for key, value in MANAGED.items())
    assert api.list("batch/v1", "Job", None, labels) == []
    assert [
        each for each in api.list("resource.k8s.io/v1", "ResourceClaim") if each["metadata"]["namespace"] == NAMESPACE
    ] == []
