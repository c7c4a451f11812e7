"""Jobs that test and load GPUs: what they ask for, where they go, and what a deployment waits for."""

import pulumi
import pytest

from eks_accelerators.components import CudaVectorAdd, DcgmProfTester
from eks_accelerators.settings.problems import SettingsError
from tests.components.examples import SERVED, deployed, run

FOUR = {**SERVED, "sharing": {"strategy": "timeSlicing", "replicas": 4}}
RENAMED = {**SERVED, "sharing": {"strategy": "timeSlicing", "replicas": 4, "rename_by_default": True}}
INSTANCES = {
    "name": "gpu",
    "instance_type": "p5.48xlarge",
    "size": {"desired": 1, "max": 1},
    "sharing": {"strategy": "mig", "mig": {"layout": {"3g.40gb": 1, "1g.10gb": 4}}},
}


def job(component, changes=None):
    return deployed(component, changes, name="hello-gpu").one("Job").inputs


def pod(component, changes=None):
    return job(component, changes)["spec"]["template"]["spec"]


def test_the_whole_job_of_a_vector_addition(snapshot):
    assert job(CudaVectorAdd, {"runs_on": FOUR}) == snapshot


def test_the_whole_job_of_a_pair(snapshot):
    assert job(DcgmProfTester, {"runs_on": FOUR}) == snapshot


@pytest.mark.parametrize(("field", "number"), [("tensor", "1004"), ("sm", "1002"), ("graphics", "1001")])
def test_a_load_names_dcgm_s_field_and_leaves_the_counters_to_the_exporter(field, number):
    (only,) = pod(DcgmProfTester, {"runs_on": FOUR, "field": field, "seconds": 60})["containers"]

    assert only["args"] == ["--no-dcgm-validation", "-t", number, "-d", "60"]


def test_pods_of_a_load_are_at_a_time_and_on_one_node():
    made = job(DcgmProfTester, {"runs_on": FOUR, "pods": 3})["spec"]
    template = made["template"]
    (term,) = template["spec"]["affinity"]["podAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]

    assert made["parallelism"] == made["completions"] == 3
    assert term["topologyKey"] == "kubernetes.io/hostname"
    assert term["labelSelector"]["matchLabels"] == template["metadata"]["labels"]
    assert "affinity" not in pod(CudaVectorAdd)


def test_a_pod_of_a_load_has_time_for_its_image_and_its_work():
    assert pod(DcgmProfTester, {"runs_on": FOUR, "seconds": 3600})["activeDeadlineSeconds"] == 4500


@pytest.mark.parametrize(
    ("changes", "resource"),
    [
        pytest.param({}, "nvidia.com/gpu", id="whole"),
        pytest.param({"runs_on": FOUR}, "nvidia.com/gpu", id="shared"),
        pytest.param({"runs_on": RENAMED}, "nvidia.com/gpu.shared", id="renamed"),
        pytest.param(
            {"runs_on": INSTANCES, "resource_name": "nvidia.com/mig-1g.10gb"}, "nvidia.com/mig-1g.10gb", id="mig"
        ),
    ],
)
def test_a_pod_asks_for_one_of_what_its_nodes_advertise(changes, resource):
    (only,) = pod(CudaVectorAdd, changes)["containers"]

    for kind in ("requests", "limits"):
        extended = {name: amount for name, amount in only["resources"][kind].items() if "/" in name}
        assert extended == {resource: "1"}


def test_pods_land_on_the_group_s_nodes_and_nowhere_else():
    made = pod(CudaVectorAdd, {"runs_on": {**SERVED, "taints": [{"key": "team", "value": "ml"}]}})

    assert made["nodeSelector"] == {"eks-accelerators/node-group": "gpu"}
    assert [toleration["key"] for toleration in made["tolerations"]] == ["nvidia.com/gpu", "team"]


def test_what_is_written_stands_in_place_of_what_follows():
    own = {"key": "team", "operator": "Exists"}
    served = {**SERVED, "node_selector": {"pool": "a"}}
    tolerations = [{"key": "nvidia.com/gpu", "operator": "Exists"}, own]
    made = pod(CudaVectorAdd, {"runs_on": served, "tolerations": tolerations, "image": "registry.example.com/add:1"})

    assert (made["nodeSelector"], made["tolerations"][1]) == ({"pool": "a"}, own)
    assert made["containers"][0]["image"] == "registry.example.com/add:1"


SIZES = [
    pytest.param({}, True, id="nodes"),
    pytest.param({"runs_on": {**SERVED, "size": {"desired": 0, "max": 2}}}, False, id="no-nodes-yet"),
    pytest.param({"wait_until_done": False}, False, id="as-told"),
]


@pytest.mark.parametrize(("changes", "waits"), SIZES)
def test_a_deployment_waits_for_a_test_that_can_run(changes, waits):
    made = job(CudaVectorAdd, changes)

    assert ("pulumi.com/skipAwait" in made["metadata"].get("annotations", {})) is not waits


@pytest.mark.parametrize(("changes", "waits"), [({}, False), ({"wait_until_done": True}, True)])
def test_a_deployment_leaves_a_load_to_work_unless_told_to_wait(changes, waits):
    made = job(DcgmProfTester, changes)

    assert ("pulumi.com/skipAwait" in made["metadata"].get("annotations", {})) is not waits


def test_a_job_that_waits_for_a_node_does_not_run_out_of_time():
    spec = job(CudaVectorAdd)["spec"]

    assert "activeDeadlineSeconds" not in spec
    assert spec["template"]["spec"]["activeDeadlineSeconds"] == 900


def test_a_namespace_that_is_given_is_not_made():
    deployment = deployed(CudaVectorAdd, lambda: {"namespace": pulumi.Output.from_input("shared")})

    assert deployment.of("Namespace") == []
    assert deployment.one("Job").inputs["metadata"]["namespace"] == "shared"
    assert deployment.component_outputs("CudaVectorAdd") == {"job_name": "cudavectoradd", "namespace_name": "shared"}


def test_what_cannot_be_is_refused_as_in_a_stack_file():
    unnamed = run(CudaVectorAdd, {"runs_on": INSTANCES}).error
    too_many = run(DcgmProfTester, {"runs_on": FOUR, "pods": 5}).error

    assert isinstance(unnamed, SettingsError)
    assert "advertises 2 resources; name one" in str(unnamed)
    assert isinstance(too_many, SettingsError)
    assert "4 pods fit a node (limited by nvidia.com/gpu) and all have to be on one" in str(too_many)


def test_a_gpu_is_claimed_where_the_group_says_so():
    deployment = deployed(CudaVectorAdd, {"runs_on": {**SERVED, "dynamic_resource_allocation": True}}, name="hello")

    assert deployment.one("ResourceClaimTemplate").inputs["metadata"]["namespace"] == "hello"
    pod = deployment.one("Job").inputs["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert pod["resourceClaims"] == [{"name": "gpus", "resourceClaimTemplateName": "hello-gpus-1a2b3c4d"}]
    assert container["resources"]["claims"] == [{"name": "gpus"}]
    assert not {key for part in ("requests", "limits") for key in container["resources"][part]} - {"cpu", "memory"}
