"""A stack with claimed GPUs under the real engine: what it makes, what an edit of a claim does, and that all of it goes."""

import pytest

from eks_accelerators.simulator.kubernetes.resource_slices import published
from tests.simulator.lives import every, left, listed, objects, to, words

pytestmark = pytest.mark.thorough

OF_CLAIMS = {"DeviceClass", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice"}
ADDED = {"instanceType": "g6.12xlarge", "size": {"min": 1, "desired": 1, "max": 1}, "dynamicResourceAllocation": True}
QWEN = {
    "model": "Qwen/Qwen2.5-7B-Instruct",
    "nodeGroup": "claimed",
    "namespace": "claiming",
    "replicas": 1,
    "tensorParallelSize": 2,
    "resources": {"cpu": "4", "memoryGib": 16, "memoryLimitGib": 32},
}


def test_a_stack_with_claimed_gpus_from_its_first_to_its_last_day(deployments, tmp_path):
    claimed = every(
        to("nodeGroups.claimed", ADDED),
        to("workloads.vllm.qwen", QWEN),
        to("workloads.cudaVectorAdd.hello", {"nodeGroup": "claimed", "namespace": "claiming"}),
    )
    with deployments.copied("dev", tmp_path) as deployed:
        api = deployed.simulation.cluster.api
        before = listed(left(deployed.account))

        made = deployed.run("up", claimed)

        assert made.errors == []
        assert {"create ResourceClaimTemplate qwen-gpus", "create Release dra-driver"} <= words(made)
        assert (deployed.running("llama"), deployed.running("qwen")) == (4, 1)
        (job,) = api.list("batch/v1", "Job", "claiming")
        assert job["status"]["succeeded"] == 1
        assert deployed.run("up", claimed).changes == {}
        assert words(deployed.run("refresh", claimed)) == set()

        # A spec cannot be changed: the pods move to another template, and the old one goes.
        alone = every(claimed, to("workloads.vllm.qwen.tensorParallelSize", 1))
        changed = deployed.run("up", alone)
        assert changed.errors == []
        assert {word for word in words(changed) if "ResourceClaimTemplate" in word} == {
            "replace ResourceClaimTemplate qwen-gpus"
        }
        assert deployed.running("qwen") == 1
        assert len(api.list("resource.k8s.io/v1", "ResourceClaimTemplate", "claiming")) == 2
        assert deployed.run("up", alone).changes == {}

        assert deployed.run("up").errors == []
        assert listed(left(deployed.account)) == before
        assert {kind for kind, _, _ in objects(deployed.simulation)} & OF_CLAIMS == set()
        assert published(api) == {}
