"""Training in a whole stack: on a Capacity Block, with its volume, and with JobSet where a job asks for it."""

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


@pytest.mark.parametrize(("controller", "releases"), [("job", set()), ("jobSet", {"jobset"})])
def test_jobset_comes_where_a_job_asks_for_it(controller, releases):
    deployment = deployed({**ONE_L4, **job(), f"{JOB}.controller": controller})

    assert deployment.error is None
    assert {r.name for r in deployment.resources if r.kind == "Release"} & {"jobset"} == releases
    assert bool(deployment.of("JobSet")) is bool(releases)


def test_on_a_capacity_block_the_job_knows_its_end():
    deployment = deployed({**RESERVED, **job(2, 8)})

    assert deployment.error is None
    assert "STOP_AT" in variables(deployment)
