"""The workflow that refreshes facts: what it may do, and that its scripts do what they say, with stand-ins for AWS and GitHub."""

import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.git import git

ROOT = Path(__file__).parents[2]
WORKFLOWS = ROOT / ".github" / "workflows"
FILE = WORKFLOWS / "refresh-facts.yml"
WORKFLOW = yaml.safe_load(FILE.read_text())
JOBS = WORKFLOW["jobs"]
PIN = re.compile(r"uses: (\S+@[0-9a-f]{40} # v\S+)")


def script(job, name):
    return next(step["run"] for step in JOBS[job]["steps"] if step.get("name") == name)


def test_what_talks_to_aws_cannot_write_and_what_writes_has_no_role():
    assert WORKFLOW["permissions"] == {}
    assert JOBS["ask"]["permissions"] == {"contents": "read", "id-token": "write"}
    assert JOBS["propose"]["permissions"] == {"actions": "read", "contents": "write", "pull-requests": "write"}


def test_actions_are_pinned_as_in_the_other_workflows():
    others = {pin for file in WORKFLOWS.glob("*.yml") if file != FILE for pin in PIN.findall(file.read_text())}
    ours = PIN.findall(FILE.read_text())

    assert len(ours) == FILE.read_text().count("uses:")
    assert set(ours) <= others


@pytest.fixture
def repository(tmp_path):
    """A repository with one data file, and a place for stand-ins first on the path."""
    folder, programs = tmp_path / "repository", tmp_path / "bin"
    (folder / "eks_accelerators" / "accelerators" / "data").mkdir(parents=True)
    programs.mkdir()
    (folder / "eks_accelerators" / "accelerators" / "data" / "quotas.json").write_text("{}\n")
    git(folder, "init", "--quiet", "--initial-branch", "main")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "first")
    return folder


def stand_in(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def run(repository, text, **environment):
    programs = repository.parent / "bin"
    known = {"PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(repository.parent), **environment}
    return subprocess.run(
        ["bash", "-e", "-c", text], cwd=repository, env=known, check=False, capture_output=True, text=True
    )


@pytest.mark.parametrize(
    ("status", "writes", "expected", "changed"),
    [
        pytest.param(0, False, 0, "false", id="nothing-new"),
        pytest.param(0, True, 0, "true", id="something-new"),
        pytest.param(3, True, 0, "true", id="not-all-answered"),
        pytest.param(3, False, 3, "false", id="nothing-answered"),
        pytest.param(1, True, 1, "true", id="broken"),
    ],
)
def test_what_is_new_becomes_a_patch(repository, tmp_path, status, writes, expected, changed):
    write = "echo '{\"a\": 1}' > eks_accelerators/accelerators/data/quotas.json\n" if writes else ""
    stand_in(repository / ".venv" / "bin" / "python", f'{write}echo "$@"\nexit {status}')
    output, summary = tmp_path / "output", tmp_path / "summary"

    done = run(repository, script("ask", "Refresh"), GITHUB_OUTPUT=str(output), GITHUB_STEP_SUMMARY=str(summary))

    assert done.returncode == expected, done.stderr
    assert output.read_text() == f"changed={changed}\n"
    assert summary.read_text() == "tools/refresh_facts.py --yes\n"
    assert (repository / "facts" / "facts.patch").exists() == writes


@pytest.mark.parametrize(("is_open", "called"), [("", "pr create --base main"), ("7", "pr edit refresh-facts")])
def test_the_patch_becomes_a_pull_request(repository, tmp_path, is_open, called):
    (repository / "eks_accelerators" / "accelerators" / "data" / "quotas.json").write_text('{"a": 1}\n')
    (repository / "other.py").write_text("")
    git(repository, "add", ".")
    (tmp_path / "facts.patch").write_text(git(repository, "diff", "--cached"))
    git(repository, "reset", "--quiet", "--hard")
    remote = tmp_path / "remote"
    git(tmp_path, "init", "--quiet", "--bare", str(remote))
    git(repository, "remote", "add", "origin", str(remote))
    stand_in(
        tmp_path / "bin" / "gh",
        f'echo "$@" >> {tmp_path}/calls\ncase "$1 $2" in "run download") mkdir -p "$7"; cp {tmp_path}/facts.patch "$7"; '
        f'echo changed > "$7/difference.txt";; "pr list") echo "{is_open}";; esac',
    )

    done = run(
        repository,
        script("propose", "Open the pull request, or bring the open one up to date"),
        RUNNER_TEMP=str(tmp_path / "temp"),
        GITHUB_RUN_ID="1",
        BASE="main",
        BRANCH="refresh-facts",
    )

    assert done.returncode == 0, done.stderr
    assert called in (tmp_path / "calls").read_text()
    assert git(remote, "show", "--format=", "--name-only", "refresh-facts").split() == [
        "eks_accelerators/accelerators/data/quotas.json"
    ]
    assert (tmp_path / "temp" / "body.md").read_text() == "```text\nchanged\n\n```\n"
