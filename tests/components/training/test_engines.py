"""What makes the pods of a training job: the same pod in each engine, under the names that this one gives."""

import json
import os
import subprocess

import pytest

from eks_accelerators.components.charts import catalogue
from eks_accelerators.components.training_engines import DEPLOYED
from eks_accelerators.settings.model.training_engines import ENGINES, TrainingController
from eks_accelerators.settings.releases import RELEASES
from eks_accelerators.simulator.kubernetes.charts import CHARTS
from tests.components.training.test_pytorch_job import SAVING, training
from tests.polls import PATIENCE_SECONDS, until

KINDS = {"job": "Job", "jobSet": "JobSet", "trainJob": "TrainJob", "rayJob": "RayJob"}
BLOCK_END = "2026-12-08T11:30:00+00:00"


def of(controller, changes=None):
    return training({**SAVING, "controller": controller, **(changes or {})})


def spec(controller, kind, changes=None):
    return of(controller, changes).one(kind).inputs["spec"]


def pod(controller, changes=None):
    """The pod of one node, wherever the engine has it."""
    if controller == "rayJob":
        (workers,) = spec(controller, "RayJob", changes)["rayClusterSpec"]["workerGroupSpecs"]
        return workers["template"]["spec"]
    found = spec(controller, {**KINDS, "trainJob": "ClusterTrainingRuntime"}[controller], changes)
    found = found["template"]["spec"] if controller == "trainJob" else found
    if controller != "job":
        (job,) = found["replicatedJobs"]
        found = job["template"]["spec"]
    return found["template"]["spec"]


def variables(container):
    return {each["name"]: each["value"] for each in container["env"]}


def test_every_engine_is_known_on_both_floors():
    """What a stack needs for it is released, and what makes its pods is registered."""
    released = {release.name for release in RELEASES}

    assert set(ENGINES) == set(DEPLOYED) == set(TrainingController) == {TrainingController(key) for key in KINDS}
    for engine in ENGINES.values():
        assert set(engine.releases) <= released
        assert {engine.image, engine.neuron_image} - {None} <= catalogue().keys()


@pytest.mark.parametrize(("controller", "kind"), KINDS.items())
def test_one_object_stands_for_the_job(controller, kind):
    made = of(controller)
    mine = {resource.kind for resource in made.resources} & {*KINDS.values(), "ClusterTrainingRuntime"}

    assert made.one(kind).inputs["metadata"]["name"] == "llama"
    assert mine == {kind} | ({"ClusterTrainingRuntime"} if controller == "trainJob" else set())


@pytest.mark.parametrize("controller", KINDS)
def test_a_pod_is_the_same_in_every_engine(controller):
    """But for its name, its command, its image, and what its programs are told."""
    ours, jobs = pod(controller), pod("job")
    for each in (ours, jobs):
        each.pop("subdomain", None)
        (container,) = each["containers"]
        for key in ("name", "command", "image", "env", "lifecycle"):
            container.pop(key, None)

    assert ours == jobs


@pytest.mark.parametrize("controller", KINDS)
def test_every_engine_saves_where_the_user_says_and_ends_in_time(controller):
    (container,) = pod(controller, {"capacity_block_end": BLOCK_END})["containers"]
    told = variables(container)

    assert (told["CHECKPOINTS"], told["SAVE_SECONDS"]) == ("/runs/llama", "600")
    assert told["STOP_AT"] == "2026-12-08T10:40:00+00:00"


@pytest.mark.parametrize("controller", KINDS)
def test_nobody_waits_for_pods_of_another_s_making(controller):
    """Pulumi waits for no custom resource; a Job has to say so."""
    annotations = of(controller).one(KINDS[controller]).inputs["metadata"].get("annotations", {})

    assert (annotations.get("pulumi.com/skipAwait") == "true") is (controller == "job")


def test_a_train_job_and_its_runtime(snapshot):
    made = of("trainJob")

    assert made.one("ClusterTrainingRuntime").inputs == snapshot
    assert made.one("TrainJob").inputs == snapshot


def test_a_runtime_is_what_kubeflow_trainer_takes_for_training():
    """Its webhook: one replica, and a container by the name that goes with the label. Source: `trainingruntime_webhook.go`."""
    runtime = spec("trainJob", "ClusterTrainingRuntime")
    (job,) = runtime["template"]["spec"]["replicatedJobs"]

    assert runtime["mlPolicy"] == {"numNodes": 4, "torch": {}}
    assert job["replicas"] == 1
    assert job["template"]["metadata"]["labels"] == {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}
    assert [each["name"] for each in job["template"]["spec"]["template"]["spec"]["containers"]] == ["node"]


def test_a_train_job_is_told_by_kubeflow_trainer_how_many_there_are():
    """Each TrainJob of a runtime has a number and a first pod of its own."""
    (container,) = pod("trainJob")["containers"]

    assert not {"NODES", "PROCESSES_PER_NODE", "RENDEZVOUS_HOST"} & variables(container).keys()
    assert spec("trainJob", "TrainJob")["trainer"] == {"numNodes": 4, "numProcPerNode": 8}


def test_a_changed_runtime_has_another_train_job():
    """Kubeflow Trainer reads a runtime when it makes the JobSet, and cannot change that."""

    def annotations(changes=None):
        return of("trainJob", changes).one("TrainJob").inputs["metadata"]["annotations"]

    assert annotations() == annotations()
    assert annotations() != annotations({"shared_memory_gib": 16})


def test_a_ray_job(snapshot):
    assert of("rayJob").one("RayJob").inputs == snapshot


def test_ray_s_own_pods_have_no_gpu_and_need_a_token():
    made = spec("rayJob", "RayJob")
    cluster = made["rayClusterSpec"]
    head = cluster["headGroupSpec"]["template"]["spec"]

    assert cluster["authOptions"] == {"mode": "token"}
    assert cluster["headGroupSpec"]["rayStartParams"] == {"num-cpus": "0", "num-gpus": "0"}
    for companion in (head, made["submitterPodTemplate"]["spec"]):
        (container,) = companion["containers"]
        assert not any("/" in name for name in container["resources"]["limits"])
        assert variables(container)["NVIDIA_VISIBLE_DEVICES"] == "void"
        assert companion["nodeSelector"] == pod("rayJob")["nodeSelector"]


@pytest.mark.parametrize("driver", [False, True])
def test_the_head_knows_the_program(driver):
    changes = {"program": "/app/train.py", "arguments": ["--name", "it's $HOME"], "ray_driver": driver}
    head = spec("rayJob", "RayJob", changes)["rayClusterSpec"]["headGroupSpec"]["template"]["spec"]["containers"][0]

    assert json.loads(variables(head)["PROGRAM"]) == ["/app/train.py", "--name", "it's $HOME"]
    assert ("RAY_DRIVER" in variables(head)) is driver


def test_a_ray_node_lets_the_launcher_end_first(tmp_path):
    """What Kubernetes runs before it ends the pod, on a process that takes a while to save."""
    (container,) = pod("rayJob")["containers"]
    command = container["lifecycle"]["preStop"]["exec"]["command"]
    stop_file = tmp_path / "stop"
    saving = subprocess.Popen(
        [
            "sh",
            "-c",
            f'trap "sleep 1; touch {tmp_path}/saved; exit 143" TERM; touch {tmp_path}/began; while :; do sleep 0.1; done',
        ]
    )
    until((tmp_path / "began").exists)
    (tmp_path / "stop.pid").write_text(str(saving.pid))

    ending = subprocess.Popen(
        [*command[:-1], command[-1].replace("sleep 5", "sleep 0")], env={**os.environ, "STOP_FILE": str(stop_file)}
    )
    assert saving.wait(PATIENCE_SECONDS) == 143
    assert ending.wait(PATIENCE_SECONDS) == 0
    assert (tmp_path / "saved").exists()
    assert (tmp_path / "stop.going").exists()


def test_a_ray_node_without_a_program_ends_at_once(tmp_path):
    (container,) = pod("rayJob")["containers"]
    sleep = tmp_path / "sleep"
    sleep.write_text(f"#!/bin/sh\ntouch {tmp_path}/waited\n", encoding="utf-8")
    sleep.chmod(0o755)

    ended = subprocess.run(
        container["lifecycle"]["preStop"]["exec"]["command"],
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "STOP_FILE": str(tmp_path / "stop")},
        check=False,
    )

    assert (ended.returncode, (tmp_path / "waited").exists()) == (0, False)


@pytest.mark.parametrize("controller", KINDS)
def test_a_stack_that_asks_for_an_engine_has_its_charts(controller):
    names = [release.name for release in RELEASES if release.name in ENGINES[TrainingController(controller)].releases]

    assert names == list(ENGINES[TrainingController(controller)].releases), "in the order in which they are needed"
    assert all(catalogue()[name]["chart"] in CHARTS for name in names)
