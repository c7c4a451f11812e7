"""Volumes that workloads mount: a pod as theirs writes and reads a little there, and nothing of it stays."""

import os
import signal
import subprocess

import pytest

from eks_accelerators.verification.device_checks import Level
from eks_accelerators.verification.tasks import CheckTask, PodOutput
from eks_accelerators.verification.tools import printed
from eks_accelerators.verification.volume_checks import VolumeCheck
from tests.polls import PATIENCE_SECONDS, until
from tests.verification.test_faults_found import MOUNTED
from tests.verification.worlds import PaperCluster, stack_of, verification, verified

CODES = ("volume-bandwidth", "volume-usable")
DATA, MODELS, SCRATCH = (f"workloads.vllm.qwen.volumes.{name}" for name in ("data", "models", "scratch"))


def of_volumes(findings):
    return {(each.where.partition(" on ")[0], each.code): each for each in findings if each.code in CODES}


def tasks(patch=MOUNTED, nodes=1, **more):
    """What is run, by the path of the volume."""
    stack = stack_of(patch)
    cluster = PaperCluster(stack, nodes=nodes, **more)
    for pod in cluster.paper.pods:
        if pod["metadata"].get("namespace") == "llm":
            pod["spec"]["securityContext"] = {"runAsUser": 1000, "fsGroup": 2000, "runAsNonRoot": True}
    return list(VolumeCheck().tasks(verification(stack, cluster, Level.STANDARD).scope()))


def by_volume(**more):
    return {each.subject.where.partition(" on ")[0]: each for each in tasks(**more)}


def test_each_volume_is_compared_with_what_was_ordered():
    found = of_volumes(verified(MOUNTED, level=Level.STANDARD))

    assert {each.severity for each in found.values()} == {"pass"}
    assert found[DATA, "volume-bandwidth"].expected == "117 MiB/s or more, as 146 MiB/s were ordered"
    assert found[DATA, "volume-usable"].found == "write 381 MiB/s, read 381 MiB/s"
    assert found[MODELS, "volume-usable"].found == "read 381 MiB/s"
    for volume in (MODELS, SCRATCH):
        assert found[volume, "volume-bandwidth"].expected == "unknown: nobody orders the speed of this storage"


def test_a_directory_of_each_node_is_looked_at_on_each_and_a_file_system_once():
    found = of_volumes(verified(MOUNTED, level=Level.STANDARD, nodes=2))
    every = [each.where for each in verified(MOUNTED, level=Level.STANDARD, nodes=2) if each.code == CODES[0]]

    assert {path for path, _ in found} == {DATA, MODELS, SCRATCH}
    assert sorted(where.partition(" on ")[0] for where in every) == [DATA, MODELS, SCRATCH, SCRATCH]


def test_where_a_server_keeps_its_cache_is_written_too():
    patch = {**MOUNTED, "storage.kept": {"efs": {}}, "workloads.vllm.qwen.cache": {"storage": "kept"}}
    (task,) = [each for each in tasks(patch) if each.subject.where.startswith("workloads.vllm.qwen.cache.storage")]
    (volume,) = task.job["spec"]["template"]["spec"]["volumes"]

    assert volume["persistentVolumeClaim"] == {"claimName": "kept", "readOnly": False}
    assert "mkdir" in script_of(task)


def test_the_pod_is_in_the_namespace_of_the_workload_and_runs_as_its_pods_do():
    for task in by_volume().values():
        pod = task.job["spec"]["template"]["spec"]
        assert task.job["metadata"]["namespace"] == "llm"
        assert pod["securityContext"] == {
            "runAsUser": 1000,
            "fsGroup": 2000,
            "runAsNonRoot": True,
            "seccompProfile": {"type": "RuntimeDefault"},
        }


def script_of(task):
    return task.job["spec"]["template"]["spec"]["containers"][0]["args"][0]


def test_what_is_read_only_is_only_read():
    found = by_volume()
    (mount,) = found[MODELS].job["spec"]["template"]["spec"]["containers"][0]["volumeMounts"]

    assert mount["readOnly"]
    assert not {"rm", "mkdir", "of=/volume"} & set(script_of(found[MODELS]).replace("/.", " ").split())
    assert "mkdir" in script_of(found[DATA])


@pytest.mark.parametrize(
    ("nodes", "servers", "why"),
    [
        (0, 0, "its node group has no node that is ready"),
        (1, 0, "no pod of the workload is there, as which it would run"),
    ],
)
def test_where_no_pod_can_run_as_the_workload_s_that_is_said(nodes, servers, why):
    found = tasks(nodes=nodes, number_of_servers=servers)

    assert {(each.severity.value, each.found) for each in found} == {("notVerified", why)}


DENIED = printed("before", "", 0) + printed("folder", "mkdir: cannot create directory: Permission denied", 1)
FULL = printed("folder", "", 0) + printed("write", "dd: error writing: No space left on device", 1)
CUT_OFF = printed("folder", "", 0) + "### accel begin write\n"
BROKEN = {
    "not allowed": (DATA, DENIED, "volume-usable", "monitor", "Permission denied"),
    "full": (DATA, FULL, "volume-usable", "monitor", "No space left on device"),
    "cut off": (DATA, CUT_OFF, "volume-bandwidth", "notVerified", "it printed nothing"),
    "nothing": (DATA, "", "volume-bandwidth", "notVerified", "it printed nothing"),
    "an error of the bucket": (
        MODELS,
        printed("read", "dd: Input/output error", 1),
        "volume-usable",
        "monitor",
        "Input",
    ),
    "an empty bucket": (MODELS, printed("read", "", 3), "volume-bandwidth", "notVerified", "no file above 16 MiB"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_what_does_not_work_is_told_in_the_tool_s_words(case):
    volume, log, code, severity, said = BROKEN[case]
    task = by_volume()[volume]
    assert isinstance(task, CheckTask)

    (found,) = task.findings([PodOutput("pod", log)])

    assert (found.code, found.severity) == (code, severity)
    assert said in found.found


def here(task, folder, **changes):
    """The script of a task, as a shell of this machine can run it: in a folder, with few bytes, through the page cache."""
    text = script_of(task).replace("/volume", str(folder)).replace("count=64", "count=2")
    for old, new in {"oflag=direct": "", "iflag=direct": "", **changes}.items():
        text = text.replace(old, new)
    return ["sh", "-c", text]


def test_a_real_shell_leaves_nothing_on_the_volume(tmp_path):
    task = by_volume()[DATA]
    (tmp_path / ".accel-verify").mkdir()
    (tmp_path / ".accel-verify" / "of-a-killed-one").touch()
    (tmp_path / "theirs").touch()

    done = subprocess.run(here(task, tmp_path), capture_output=True, text=True, check=True)

    assert [each.name for each in tmp_path.iterdir()] == ["theirs"]
    (usable, _) = task.findings([PodOutput("pod", done.stdout)])
    assert (usable.code, usable.severity) == ("volume-usable", "pass")


def test_a_real_shell_cleans_up_where_the_pod_is_told_to_end(tmp_path):
    command = here(by_volume()[DATA], tmp_path, **{"run read dd": "while :; do sleep 0.05; done; run read dd"})
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as running:
        until((tmp_path / ".accel-verify" / "data").exists)
        os.kill(running.pid, signal.SIGTERM)
        status = running.wait(PATIENCE_SECONDS)

    assert (status, list(tmp_path.iterdir())) == (143, [])


@pytest.mark.parametrize(("size", "status"), [(2**20, 3), (20 * 2**20, 0)])
def test_a_real_shell_reads_one_large_file(tmp_path, size, status):
    task = by_volume()[MODELS]
    with (tmp_path / "weights").open("wb") as file:
        file.truncate(size)

    done = subprocess.run(here(task, tmp_path), capture_output=True, text=True, check=True)

    findings = task.findings([PodOutput("pod", done.stdout)])
    assert findings[0].severity == ("notVerified" if status else "pass")
