"""`accel plan --against`, in a repository of its own: a copy of this one, with a commit or two on top."""

import json
import os
import shutil
import signal
import subprocess
import sys

import pytest
import yaml

from tests.accel.plans import ROOT, accel, accel_here
from tests.git import git
from tests.polls import PATIENCE_SECONDS, until
from tests.settings.example import PURCHASED
from tests.settings.stack_files import document

pytestmark = pytest.mark.slow

COPIED = ("charts-values", "components", "eks_accelerators", "stacks", "Pulumi.yaml", "__main__.py")


def commit(folder):
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "as it is")
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """This program in a repository with one commit."""
    folder = tmp_path_factory.mktemp("against") / "repository"
    folder.mkdir()
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, symlinks=True)  # with what Python has compiled
        else:
            shutil.copy(ROOT / name, folder)
    git(folder, "init", "--quiet", "--initial-branch=main")
    (folder / ".git" / "info" / "exclude").write_text("__pycache__/\n", encoding="utf-8")
    commit(folder)
    git(folder, "tag", "first")
    return folder


@pytest.fixture
def repository(copied):
    """The copy, with no other tree left behind by a test."""
    yield copied
    assert len(git(copied, "worktree", "list").splitlines()) == 1
    git(copied, "reset", "--quiet", "--hard", "first")
    git(copied, "clean", "--quiet", "-d", "--force")


def planned(repository, ref="main", stack="dev"):
    """The command's exit status and its JSON."""
    ran = accel("plan", stack, "--against", ref, "--json", cwd=repository, PYTHONPATH=str(repository))
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def refused(repository, ref="main", stack="dev"):
    """What the command says when it cannot compare."""
    ran = accel_here("plan", stack, "--against", ref, cwd=repository)
    assert (ran.returncode, ran.stdout) == (2, "")
    return ran.stderr.splitlines()[0]


def edit(repository, change, stack="dev"):
    """Change the settings of a stack; nothing is committed."""
    path = repository / "stacks" / f"Pulumi.{stack}.yaml"
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    change(content["config"])
    path.write_text(yaml.safe_dump(content), encoding="utf-8")


def groups(config):
    return config["eks-accelerators:nodeGroups"]


def entries(data, *actions):
    return {
        (entry["type"].rpartition(":")[2], entry["name"]): entry
        for entry in data["changes"]["resources"]
        if entry["action"] in actions
    }


def test_no_change(repository):
    changes = planned(repository)["changes"]

    assert changes["resources"] == []
    assert set(changes["summary"].values()) == {0}
    assert changes["cost"] == {
        "usdPerHourAtDesired": "0.0000",
        "usdPerHourAtMax": "0.0000",
        "usdPerMonthAtDesired": "0.0000",
        "usdPerMonthAtMax": "0.0000",
        "unknown": [],
    }


def test_another_instance_type_replaces_the_nodes(repository):
    def change(config):
        groups(config)["l4-shared"]["instanceType"] = "g6.12xlarge"

    edit(repository, change)
    data = planned(repository)
    group = entries(data, "replace")["NodeGroup", "l4-shared"]

    assert group["grave"] == "all its nodes go, with the pods on them"
    assert ("instanceTypes[0]", "g6.2xlarge", "g6.12xlarge") in [
        (p["path"], p["before"], p["after"]) for p in group["properties"]
    ]
    # One node now, two at most: 4.6016 per hour in place of 0.9776.
    assert data["changes"]["cost"]["usdPerHourAtDesired"] == "3.6240"
    assert data["changes"]["cost"]["usdPerHourAtMax"] == "7.2480"


@pytest.mark.thorough
def test_an_added_group(repository):
    edit(repository, lambda config: groups(config).update(more={"instanceType": "g6.2xlarge", "size": {"max": 2}}))
    data = planned(repository)

    assert {("AcceleratorNodeGroup", "more"), ("LaunchTemplate", "more"), ("NodeGroup", "more")} <= entries(
        data, "add"
    ).keys()
    assert [entry["grave"] for entry in data["changes"]["resources"] if entry["grave"]] == []


@pytest.mark.thorough
def test_a_removed_group(repository):
    def change(config):
        groups(config)["other"] = groups(config).pop("l4-shared")
        config["eks-accelerators:workloads"]["vllm"]["llama"]["nodeGroup"] = "other"

    edit(repository, change)
    found = entries(planned(repository), "remove")

    assert found["NodeGroup", "l4-shared"]["grave"] == "all its nodes go, with the pods on them"


@pytest.mark.thorough
def test_other_replicas_change_nodes_in_place(repository):
    def change(config):
        groups(config)["l4-shared"]["sharing"]["replicas"] = 5

    edit(repository, change)
    data = planned(repository)

    assert ("ConfigMap", "nvidia-device-plugin-configs") in entries(data, "replace")
    assert not any(name == "nvidia-device-plugin" for _, name in entries(data, "change"))
    assert ("NodeGroup", "l4-shared") in entries(data, "change")
    assert [entry["grave"] for entry in data["changes"]["resources"] if entry["grave"]] == []


@pytest.mark.thorough
def test_a_deleted_purchase(repository):
    path = repository / "stacks" / "Pulumi.bought.yaml"
    with_purchase = document(PURCHASED)
    path.write_text(yaml.safe_dump(with_purchase), encoding="utf-8")
    before = commit(repository)
    path.write_text(yaml.safe_dump(document({"workloads": {}})), encoding="utf-8")
    commit(repository)
    found = entries(planned(repository, before, "bought"), "remove")

    assert "paid for" in found["CapacityBlockReservation", "block"]["grave"]


@pytest.mark.thorough
def test_a_new_stack(repository):
    (repository / "stacks" / "Pulumi.new.yaml").write_text(yaml.safe_dump(document({})), encoding="utf-8")
    data = planned(repository, stack="new")

    assert data["changes"]["newStack"]
    assert data["changes"]["summary"] == {"replace": 0, "remove": 0, "add": len(data["resources"]), "change": 0}
    assert data["changes"]["cost"]["usdPerHourAtMax"] == data["cost"]["usdPerHourAtMax"]


@pytest.mark.parametrize("ref", ["no-such-branch", "", "--help", "HEAD:stacks", "HEAD~99"])
def test_what_is_no_revision(repository, ref):
    assert refused(repository, ref).endswith(f"{ref} is no revision here [against]")


def test_no_repository(tmp_path):
    shutil.copytree(ROOT / "stacks", tmp_path / "stacks")
    for name in ("Pulumi.yaml", "__main__.py"):
        shutil.copy(ROOT / name, tmp_path)

    assert "not a git repository" in refused(tmp_path)


def test_a_revision_whose_program_fails(repository):
    program = repository / "__main__.py"
    kept = program.read_text(encoding="utf-8")
    program.write_text("raise ValueError('not yet')\n", encoding="utf-8")
    broken = commit(repository)
    program.write_text(kept, encoding="utf-8")
    message = refused(repository, broken)

    assert "cannot be planned" in message
    assert "not yet" in message


@pytest.mark.thorough
def test_a_revision_whose_settings_have_errors(repository):
    edit(repository, lambda config: groups(config)["l4-shared"]["size"].update(desired=9))
    wrong = commit(repository)
    git(repository, "checkout", "--quiet", "HEAD~1", "--", "stacks")
    data = planned(repository, wrong)

    assert data["changes"]["againstFailed"]


def test_with_errors_among_the_settings_nothing_is_compared(repository):
    edit(repository, lambda config: groups(config)["l4-shared"]["size"].update(desired=9))
    ran = accel_here("plan", "dev", "--against", "main", "--json", cwd=repository)

    assert ran.returncode == 2
    assert "changes" not in json.loads(ran.stdout)


def test_inside_a_hook_the_index_of_the_commit_is_left_alone(repository):
    edit(repository, lambda config: config["eks-accelerators:tags"].update(team="new"))
    git(repository, "add", "stacks")
    index = repository / ".git" / "index"
    before = git(repository, "diff", "--cached", "--name-only")
    environment = {"PYTHONPATH": str(repository), "GIT_INDEX_FILE": str(index)}
    ran = accel("plan", "dev", "--against", "main", "--json", cwd=repository, **environment)

    assert ran.returncode == 0, ran.stderr
    assert git(repository, "diff", "--cached", "--name-only") == before == "stacks/Pulumi.dev.yaml"


@pytest.mark.parametrize(
    "number",
    [
        signal.SIGTERM,
        pytest.param(signal.SIGHUP, marks=pytest.mark.thorough),
        pytest.param(signal.SIGINT, marks=pytest.mark.thorough),
    ],
)
def test_the_command_that_is_ended_leaves_nothing(repository, tmp_path, number):
    """Ended while it plans the other tree, in which the planning process ends too."""
    environment = {**os.environ, "PYTHONPATH": str(repository), "TMPDIR": str(tmp_path)}
    process = subprocess.Popen(
        [sys.executable, "-m", "eks_accelerators.accel", "plan", "dev", "--against", "main"],
        cwd=repository,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    until(lambda: process.poll() is not None or list(tmp_path.glob("*/tree/__main__.py")), every=0.01)
    os.killpg(process.pid, number)
    _, err = process.communicate(timeout=PATIENCE_SECONDS)

    assert process.returncode != 0
    assert b"Traceback" not in err
    assert list(tmp_path.glob("accel-against-*")) == []


@pytest.mark.thorough
@pytest.mark.parametrize("form", ["text", "markdown"])
def test_how_changes_are_shown(repository, form, snapshot):
    def change(config):
        groups(config)["l4-shared"] |= {"instanceType": "g6.12xlarge", "sharing": {"strategy": "exclusive"}}
        groups(config)["more"] = {"instanceType": "g6.2xlarge", "size": {"max": 2}, "capacityType": "spot"}
        config["eks-accelerators:network"]["create"]["natGateways"] = "onePerZone"

    edit(repository, change)
    options = ["--markdown"] if form == "markdown" else []
    ran = accel("plan", "dev", "--against", "main", *options, cwd=repository, PYTHONPATH=str(repository))
    end = "| node group" if form == "markdown" else "\ndev in "

    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.partition(end)[0] == snapshot
