"""The Pulumi program: with an error among the settings it stops before anything is registered."""

import json
import runpy
from pathlib import Path

import pytest

from eks_accelerators.accelerators import clock
from eks_accelerators.settings import SettingsError
from eks_accelerators.settings.load import PROJECT
from tests.accel.plans import STACKS, shipped
from tests.components.harness import attempt
from tests.conftest import NOW
from tests.settings.example import patched

PROGRAM = Path(__file__).parents[1] / "__main__.py"
NAMES_A_SECRET = {"workloads.vllm.qwen.huggingFaceToken": {"configSecret": "huggingFaceToken"}}


def deployed(patch, secrets=None):
    """What comes of running the program with the patched example as the engine's configuration."""
    values = patched(patch)
    config = {"aws:region": values.pop("region")} if "region" in values else {}
    for key, value in values.items():
        config[f"{PROJECT}:{key}"] = value if isinstance(value, str) else json.dumps(value)
    config |= {f"{PROJECT}:{key}": value for key, value in (secrets or {}).items()}
    with clock.set_to(NOW):
        return attempt(
            lambda: runpy.run_path(str(PROGRAM), run_name="__main__"),
            preview=True,
            config=config,
            secrets=tuple(f"{PROJECT}:{key}" for key in secrets or {}),
        )


@pytest.mark.parametrize(
    ("patch", "code"),
    [
        pytest.param({"nodeGroups.gpu.size.desired": 9}, "size-order", id="values-that-do-not-fit"),
        pytest.param({"nodeGroups.gpu.instanceType": "g99.large"}, "unknown-instance-type", id="unknown-type"),
        pytest.param({"nodeGroup": {}}, "unknown-key", id="misspelt-setting"),
        pytest.param({"nodeGroups.gpu.size": "two"}, "wrong-type", id="wrong-shape"),
        pytest.param(NAMES_A_SECRET, "secret-unset", id="secret-that-is-not-set"),
        pytest.param({**NAMES_A_SECRET, "huggingFaceToken": "hf_token"}, "secret-inline", id="token-in-plain-text"),
    ],
)
def test_nothing_is_registered_with_an_error_among_the_settings(patch, code):
    deployment = deployed(patch)

    assert isinstance(deployment.error, SettingsError)
    assert code in {problem.code for problem in deployment.error.problems}
    assert deployment.resources == []


def test_every_problem_is_logged_too():
    deployment = deployed({"nodeGroups.gpu.size.desired": 9, "owner": "x" * 999})

    assert isinstance(deployment.error, SettingsError)
    assert len(deployment.log) == len(deployment.error.problems) >= 1


def test_without_errors_it_registers_everything():
    deployment = deployed(NAMES_A_SECRET, {"huggingFaceToken": "hf_token"})

    assert deployment.error is None
    assert {"Network", "Cluster", "AcceleratorNodeGroup", "VllmServer"} <= {r.kind for r in deployment.resources}


def releases(patch):
    return {r.name for r in deployed(patch).resources if r.kind == "Release"}


def test_each_gpu_group_has_the_program_that_serves_it():
    claimed = {"nodeGroups.claimed": {"instanceType": "g6.xlarge", "size": {"desired": 1, "max": 1}}}
    claimed["nodeGroups.claimed"]["dynamicResourceAllocation"] = True

    assert releases({}) == {"nvidia-device-plugin", "dcgm-exporter"}
    assert releases(claimed) == {"nvidia-device-plugin", "dra-driver", "dcgm-exporter", "dcgm-exporter-of-claims"}
    assert releases({"nodeGroups.gpu.dynamicResourceAllocation": True}) == {"dra-driver", "dcgm-exporter-of-claims"}


SHARED = {
    "nodeGroups.gpu.sharing": {"strategy": "timeSlicing", "replicas": 4},
    "workloads.vllm.qwen.replicas": 1,
    "workloads.cudaVectorAdd": {"hello": {"nodeGroup": "gpu"}, "beside": {"nodeGroup": "gpu", "namespace": "llm"}},
}


def test_a_namespace_is_made_once_for_all_workloads_in_it():
    deployment = deployed({**SHARED, "workloads.cudaVectorAdd.hello.namespace": "llm"})

    (space,) = [space for space in deployment.of("Namespace") if space.name == "llm"]
    reason = space.inputs["metadata"]["annotations"]["eks-accelerators/pod-security-reason"]
    assert "the vLLM image runs as root" in reason
    assert "NVIDIA's images run as root" in reason
    assert {job.inputs["metadata"]["namespace"] for job in deployment.of("Job")} == {"llm"}


CLAIMED = {
    "nodeGroups.gpu": {
        "instanceType": "g6.12xlarge",
        "size": {"desired": 1, "max": 1},
        "dynamicResourceAllocation": True,
    }
}


@pytest.mark.parametrize(
    ("stack", "plugin"),
    [
        pytest.param({}, "nvidia-device-plugin", id="charts"),
        pytest.param({"nvidia.stack": "operator"}, "gpu-operator", id="operator"),
        pytest.param(CLAIMED, "dra-driver", id="claims"),
    ],
)
def test_a_test_waits_for_its_nodes_and_for_what_serves_them(stack, plugin):
    deployment = deployed({**SHARED, **stack})
    by_urn = {resource.urn: resource for resource in deployment.resources}
    waited = {(by_urn[urn].kind, by_urn[urn].name) for urn in deployment.one("Job", "hello").dependencies}

    assert {("NodeGroup", "gpu"), ("Release", plugin)} <= waited


@pytest.mark.parametrize(
    ("servers", "waits"), [pytest.param(2, True, id="room-for-all"), pytest.param(3, False, id="one-too-many")]
)
def test_an_up_waits_for_tests_only_where_all_workloads_fit(servers, waits):
    deployment = deployed({**SHARED, "workloads.vllm.qwen.replicas": servers})

    annotations = deployment.one("Job", "hello").inputs["metadata"]["annotations"]
    assert ("pulumi.com/skipAwait" in annotations) is not waits


def waited_for(stack, kind, name):
    """Types and names of what one resource of a shipped stack, or the component that it is in, waits for."""
    resources = {resource.urn: resource for resource in shipped(stack).recording.resources}
    (found,) = (r for r in resources.values() if r.type.endswith(f":{kind}") and r.name == name)
    urns = {urn for r in (found, resources.get(found.parent, found)) for urn in r.dependencies}
    return {(resources[urn].type.rpartition(":")[2], resources[urn].name) for urn in urns}


@pytest.mark.parametrize("stack", STACKS)
def test_the_control_plane_waits_for_its_subnets_and_not_for_a_way_out(stack):
    kinds = {kind for kind, _ in waited_for(stack, "Cluster", f"eks-accelerators-{stack}-eksCluster")}

    assert kinds == {"Vpc", "Subnet", "Role", "RolePolicyAttachment"}


@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize("name", ["l4-shared", "eks-accelerators-{stack}-system"])
def test_nodes_wait_for_a_way_out_and_for_the_policies_of_their_role(stack, name):
    found = waited_for(stack, "NodeGroup", name.format(stack=stack))

    assert {"NatGateway", "Route", "VpcEndpoint", "Addon"} <= {kind for kind, _ in found}
    policies = {name.rpartition("-")[2] for kind, name in found if kind == "RolePolicyAttachment"}
    assert policies >= {"AmazonEKSWorkerNodePolicy", "AmazonEC2ContainerRegistryPullOnly"}


@pytest.mark.parametrize("stack", STACKS)
def test_a_workload_waits_for_its_own_nodes_only(stack):
    found = waited_for(stack, "Deployment", "llama")

    accelerated = {name for kind, name in found if kind == "NodeGroup"} - {f"eks-accelerators-{stack}-system"}
    assert accelerated == {"l4-shared"}
    assert ("Addon", f"eks-accelerators-{stack}-coredns") in found


def test_what_is_said_of_the_settings_is_said_as_a_warning_once():
    """The engine writes `warning:` ahead of it."""
    log = deployed({"cluster.endpoint.publicAccessCidrs": ["203.0.113.0/24"]}).log

    assert [text.partition(":")[0] for text in log] == ["cluster.endpoint.publicAccessCidrs[0]"]


def test_alerts_and_dashboards_link_to_where_people_read_the_runbooks():
    pages = "https://wiki.example.com/gpus"
    alerts = {"enabled": True, "runbooksUrl": f"{pages}/"}
    made = deployed({"monitoring": {"prometheus": "stack", "dashboards": True, "alerts": alerts}})

    groups = made.one("PrometheusRule").inputs["spec"]["groups"]
    linked = [rule["annotations"]["runbook_url"] for group in groups for rule in group["rules"] if "alert" in rule]
    assert linked
    assert all(link.startswith(f"{pages}/") for link in linked)
    boards = [
        each.inputs["data"] for each in made.of("ConfigMap") if "dashboard" in each.name or "accelerators-" in each.name
    ]
    assert f"{pages}/" in str(boards)
    assert "docs/runbooks" not in str([linked, boards])
