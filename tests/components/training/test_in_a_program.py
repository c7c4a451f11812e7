"""Training in a whole stack: on a Capacity Block, with its volume, and with what makes its pods where a job asks for it."""

import pytest

from tests.settings.example import RESERVED
from tests.settings.rules.training import JOB, ONE_L4, job, measured
from tests.test_program import deployed


def variables(deployment, name="train"):
    (container,) = deployment.one("Job", name).inputs["spec"]["template"]["spec"]["containers"]
    return {each["name"]: each.get("value") for each in container["env"]}


def test_a_job_waits_for_its_nodes_its_volume_and_the_drivers():
    deployment = deployed({**ONE_L4, **job()})

    assert deployment.error is None
    made = deployment.one("Job", "train").inputs
    mounted = [
        volume["persistentVolumeClaim"]["claimName"] for volume in made["spec"]["template"]["spec"]["volumes"][2:]
    ]
    assert mounted == ["runs"]
    assert made["metadata"]["namespace"] == "training"
    assert variables(deployment)["CHECKPOINTS"] == "/runs/train"


def test_what_to_expect_of_a_test_is_an_output():
    deployment = deployed({**ONE_L4, **measured()})

    assert deployment.error is None
    assert deployment.one("Job", "network").inputs["spec"]["completions"] == 1


ENGINES = {"jobset", "kubeflow-trainer", "kuberay-operator"}


@pytest.mark.parametrize(
    ("controller", "kind", "releases"),
    [
        ("job", "Job", set()),
        ("jobSet", "JobSet", {"jobset"}),
        ("trainJob", "TrainJob", {"jobset", "kubeflow-trainer"}),
        ("rayJob", "RayJob", {"kuberay-operator"}),
    ],
)
def test_an_engine_comes_where_a_job_asks_for_it_and_before_the_job(controller, kind, releases):
    deployment = deployed({**ONE_L4, **job(), f"{JOB}.controller": controller})

    assert deployment.error is None
    assert {r.name for r in deployment.resources if r.kind == "Release"} & ENGINES == releases
    before = " ".join(deployment.one(kind).dependencies)
    assert {name for name in ENGINES if f"Release::{name}" in before} == releases
    if controller == "trainJob":
        (trainer,) = (r for r in deployment.resources if r.kind == "Release" and r.name == "kubeflow-trainer")
        assert "Release::jobset" in " ".join(trainer.dependencies), "its program asks for the kind when it starts"


def test_on_a_capacity_block_the_job_knows_its_end():
    deployment = deployed({**RESERVED, **job(2, 8)})

    assert deployment.error is None
    assert "STOP_AT" in variables(deployment)
