"""A training job as it is registered: its pods, how they find each other, and what is a fault and what is not."""

import json

import pulumi
import pytest

from eks_accelerators.components import PytorchJob
from eks_accelerators.settings.problems import SettingsError
from tests.components.examples import TRAINED, deployed, run

SAVING = {
    "volumes": {"runs": {"mount_path": "/runs"}},
    "checkpoints": {"volume": "runs", "save_seconds": 600},
}
TRAINIUM = {**TRAINED, "instance_type": "trn1.32xlarge", "size": {"desired": 2, "max": 2}}
ON_TRAINIUM = {"runs_on": TRAINIUM, "nodes": 2, "accelerators_per_node": 16, "efa_interfaces": 8, "precision": "bf16"}


def training(changes=None):
    return deployed(PytorchJob, changes, name="llama")


def job(changes=None):
    return training(changes).one("Job").inputs


def pod(changes=None):
    return job(changes)["spec"]["template"]["spec"]


def variables(changes=None):
    (container,) = pod(changes)["containers"]
    return {each["name"]: each["value"] for each in container["env"]}


def test_the_whole_job(snapshot):
    assert job(SAVING) == snapshot


def test_the_service_names_pods_that_are_not_ready(snapshot):
    assert training().one("Service").inputs == snapshot


def test_the_programs_that_ship_are_mounted_as_they_are():
    data = training().one("ConfigMap").inputs["data"]

    assert sorted(data) == ["launch.py", "train_small_model.py"]
    assert all(compile(text, name, "exec") for name, text in data.items())


def test_a_program_of_the_image_comes_alone():
    changes = {"program": "/app/train.py", "arguments": ["--steps", "10"]}

    assert list(training(changes).one("ConfigMap").inputs["data"]) == ["launch.py"]
    assert pod(changes)["containers"][0]["command"] == [
        "python3",
        "/opt/eks-accelerators/programs/launch.py",
        "/app/train.py",
        "--steps",
        "10",
    ]


def test_pods_have_names_by_which_the_others_find_the_first():
    made = training()
    spec = made.one("Job").inputs["spec"]["template"]["spec"]

    assert spec["subdomain"] == made.one("Service").inputs["metadata"]["name"] == "llama"
    assert variables()["RENDEZVOUS_HOST"] == "llama-0.llama"


def test_what_takes_nodes_away_is_no_fault_of_the_job():
    spec = job({"max_restarts": 2})["spec"]

    assert spec["backoffLimit"] == 8, "a fault of the first pod fails all four"
    assert spec["podFailurePolicy"]["rules"] == [
        {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]},
        {"action": "Ignore", "onExitCodes": {"operator": "In", "values": [75, 143]}},
    ]


def test_a_checkpoint_has_the_time_that_it_needs():
    assert pod(SAVING)["terminationGracePeriodSeconds"] == 660
    assert variables(SAVING)["SAVE_SECONDS"] == "600"
    assert variables(SAVING)["CHECKPOINTS"] == "/runs/llama"
    assert "CHECKPOINTS" not in variables()


def test_on_a_capacity_block_it_ends_before_the_block_is_drained():
    """EKS drains 40 minutes before the end; ten minutes are for the checkpoint."""

    def changes():
        return {**SAVING, "capacity_block_end": pulumi.Output.from_input("2026-12-08T11:30:00+00:00")}

    assert variables(changes)["STOP_AT"] == "2026-12-08T10:40:00+00:00"
    assert "STOP_AT" not in variables(SAVING)


def test_pods_are_apart_and_near():
    affinity = pod()["affinity"]
    (apart,) = affinity["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]

    assert apart["topologyKey"] == "kubernetes.io/hostname"
    assert [
        (each["weight"], each["podAffinityTerm"]["topologyKey"])
        for each in affinity["podAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"]
    ] == [(100, "topology.k8s.aws/network-node-layer-3"), (50, "topology.k8s.aws/network-node-layer-2")]


@pytest.mark.parametrize(("nodes", "near"), [(1, False), (4, True)])
def test_one_pod_has_nobody_to_be_near_to(nodes, near):
    assert ("podAffinity" in pod({"nodes": nodes})["affinity"]) is near


def test_on_trainium_there_is_a_rank_for_each_core():
    spec = pod(ON_TRAINIUM)
    (container,) = spec["containers"]

    assert "pytorch-training-neuronx" in container["image"]
    assert container["resources"]["limits"]["aws.amazon.com/neuron"] == "16"
    assert container["resources"]["limits"]["vpc.amazonaws.com/efa"] == "8"
    assert variables(ON_TRAINIUM)["PROCESSES_PER_NODE"] == "32"
    assert variables(ON_TRAINIUM)["ACCELERATOR"] == "neuron"
    assert spec["tolerations"][0]["key"] == "aws.amazon.com/neuron"


def test_with_job_set_one_fault_makes_all_pods_anew(snapshot):
    made = training({"controller": "jobSet"})

    assert made.of("Job") == made.of("Service") == [], "JobSet makes both"
    assert made.one("JobSet").inputs == snapshot


def test_nobody_waits_for_days():
    annotations = job()["metadata"]["annotations"]

    assert annotations == {"pulumi.com/skipAwait": "true"}


def test_what_nccl_does_without_is_refused():
    error = run(PytorchJob, {"env": {"NCCL_TOPO_FILE": "/topo.xml"}}).error

    assert isinstance(error, SettingsError)
    assert "env.NCCL_TOPO_FILE" in str(error)


def test_the_arguments_are_json():
    """What other languages write: nothing but text, numbers, lists and maps."""
    assert json.loads(json.dumps(SAVING)) == SAVING
