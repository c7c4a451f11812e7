"""Jobs that test and load GPUs: what they ask for, where they go, and what a deployment waits for."""

import pulumi
import pytest

from components import CudaVectorAdd
from settings.problems import SettingsError
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
    error = run(CudaVectorAdd, {"runs_on": INSTANCES}).error

    assert isinstance(error, SettingsError)
    assert "advertises 2 resources; name one" in str(error)
