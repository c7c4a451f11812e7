"""Rules that keep strangers' pull requests away from what the workflows may do.

Each rule is a function from a workflow to complaints. It runs on every workflow of the repository, and on one
written to break it: a rule that never complains would look just like a repository without problems.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / ".github/workflows").glob("*.y*ml"))

PIN = re.compile(r"^[\w.-]+/[\w./-]+@[0-9a-f]{40}$")
USES_LINE = re.compile(r"^\s*(?:- )?uses:\s*(?P<action>\S+)\s+# v\d+\.\d+\.\d+$")
FETCHES_CODE = re.compile(r"\bgit\s+(clone|fetch|pull|checkout)\b|\bgh\s+(pr|repo)\s+(checkout|clone)\b")
SAME_REPOSITORY = "github.event.pull_request.head.repo.full_name == github.repository"


class Workflow:
    def __init__(self, text: str) -> None:
        self.text = text
        self.content: dict[Any, Any] = yaml.safe_load(text)

    @property
    def events(self) -> set[str]:
        on = self.content[True]  # YAML 1.1 reads the key `on` as a boolean
        return {on} if isinstance(on, str) else set(on)

    @property
    def jobs(self) -> dict[str, dict[str, Any]]:
        jobs: dict[str, dict[str, Any]] = self.content["jobs"]
        return jobs

    def steps(self) -> Iterator[tuple[str, dict[str, Any]]]:
        for name, job in self.jobs.items():
            for step in job.get("steps", []):
                yield name, step

    def mentions_secrets(self) -> bool:
        """Anywhere outside comments, `secrets: inherit` included."""
        return "secrets" in yaml.safe_dump(self.content)

    def writes(self) -> set[str]:
        """The permissions to write, at the top and in the jobs."""
        found: set[str] = set()
        for permissions in [self.content.get("permissions"), *(job.get("permissions") for job in self.jobs.values())]:
            if isinstance(permissions, str):
                found |= {permissions} - {"read-all"}
            else:
                found |= {name for name, level in (permissions or {}).items() if level == "write"}
        return found


def unpinned(workflow: Workflow) -> list[str]:
    used = [step["uses"] for _, step in workflow.steps() if "uses" in step]
    used += [job["uses"] for job in workflow.jobs.values() if "uses" in job]
    complaints = [f"{action} is not pinned to a commit" for action in used if not PIN.match(action)]
    commented = {m["action"] for line in workflow.text.splitlines() if (m := USES_LINE.match(line))}
    return complaints + [f"{action} has no version comment" for action in used if action not in commented]


def loose_permissions(workflow: Workflow) -> list[str]:
    complaints = []
    permissions = workflow.content.get("permissions")
    if not isinstance(permissions, dict):
        complaints.append(f"top-level permissions are {permissions!r}, not a list of what is needed")
    for name, job in workflow.jobs.items():
        if isinstance(job.get("permissions"), str):
            complaints.append(f"{name} has {job['permissions']}")
    return complaints


def privileged_checkout(workflow: Workflow) -> list[str]:
    """Code from a pull request next to anything worth stealing.

    One case is allowed: a role by OIDC, on the event that gives forks no token, in a job that refuses forks by itself
    and belongs to an environment, where the account's trust policy and reviewers can hold it.
    """
    if "pull_request_target" in workflow.events:
        return ["pull_request_target runs with write access next to a stranger's branch"]
    if not workflow.events & {"pull_request", "workflow_run", "issue_comment", "pull_request_review"}:
        return []
    if not workflow.writes() and not workflow.mentions_secrets():
        return []
    only_a_role = workflow.events == {"pull_request"} and workflow.writes() == {"id-token"}
    only_a_role = only_a_role and not workflow.mentions_secrets()
    complaints = []
    for name, step in workflow.steps():
        if not (step.get("uses", "").startswith("actions/checkout@") or FETCHES_CODE.search(step.get("run", ""))):
            continue
        job = workflow.jobs[name]
        condition = " ".join(str(job.get("if", "")).split())
        guarded = SAME_REPOSITORY in condition.split(" && ") and "||" not in condition and "environment" in job
        if not (only_a_role and guarded):
            complaints.append(f"{name} takes code from the pull request and may write or read secrets")
    return complaints


def endless(workflow: Workflow) -> list[str]:
    return [f"{name} has no timeout" for name, job in workflow.jobs.items() if "timeout-minutes" not in job]


def injectable(workflow: Workflow) -> list[str]:
    """Expressions inside scripts. Stricter than necessary: values go in through `env`, whoever chose them."""
    scripts = [(name, step.get("run", "")) for name, step in workflow.steps()]
    scripts += [(name, step.get("with", {}).get("script", "")) for name, step in workflow.steps()]
    return [f"{name} puts an expression into a script" for name, script in scripts if "${{" in script]


def keeps_token(workflow: Workflow) -> list[str]:
    return [
        f"{name} leaves its token in the checkout"
        for name, step in workflow.steps()
        if step.get("uses", "").startswith("actions/checkout@")
        and step.get("with", {}).get("persist-credentials") is not False
    ]


Rule = Callable[[Workflow], list[str]]
RULES: list[Rule] = [unpinned, loose_permissions, privileged_checkout, endless, injectable, keeps_token]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_rule(path: Path, rule: Rule) -> None:
    assert rule(Workflow(path.read_text(encoding="utf-8"))) == []


SHA = "0" * 40
CHECKOUT = f"actions/checkout@{SHA}"


def workflow(
    *, on: str = "pull_request", permissions: str = "{contents: read}", job: str = "", step: str = ""
) -> Workflow:
    return Workflow(
        f"on: {on}\npermissions: {permissions}\njobs:\n  one:\n    timeout-minutes: 5\n{job}"
        f"    steps:\n      - {step or 'run: make'}\n"
    )


GUARD = f"    if: {SAME_REPOSITORY}\n"
ROLE = "{contents: read, id-token: write}"

BROKEN: list[tuple[Rule, Workflow]] = [
    (unpinned, workflow(step="uses: actions/checkout@v7")),
    (unpinned, workflow(step="uses: actions/checkout@main # v7.0.1")),
    (unpinned, workflow(step=f"uses: {CHECKOUT}")),
    (unpinned, workflow(step=f"uses: {CHECKOUT[:-1]} # v7.0.1")),
    (unpinned, Workflow("on: push\npermissions: {}\njobs: {one: {uses: some/where/.github/workflows/a.yml@v1}}")),
    (loose_permissions, workflow(permissions="write-all")),
    (loose_permissions, workflow(permissions="read-all")),
    (loose_permissions, workflow(job="    permissions: write-all\n")),
    (loose_permissions, Workflow("on: push\njobs: {}")),
    (privileged_checkout, workflow(on="pull_request_target")),
    (privileged_checkout, workflow(on="workflow_run", permissions="{issues: write}", step=f"uses: {CHECKOUT}")),
    (privileged_checkout, workflow(permissions="{pull-requests: write}", step=f"uses: {CHECKOUT}")),
    (privileged_checkout, workflow(permissions="write-all", step="run: git fetch origin pull/1/head")),
    (privileged_checkout, workflow(job="    secrets: inherit\n", step=f"uses: {CHECKOUT}")),
    (privileged_checkout, workflow(job="    env: {A: '${{ secrets.A }}'}\n", step=f"uses: {CHECKOUT}")),
    # The allowed case with each of its conditions missing in turn.
    (privileged_checkout, workflow(permissions=ROLE, job="    environment: a\n", step=f"uses: {CHECKOUT}")),
    (privileged_checkout, workflow(permissions=ROLE, job=GUARD, step=f"uses: {CHECKOUT}")),
    (
        privileged_checkout,
        workflow(permissions=ROLE, job=GUARD[:-1] + " || true\n    environment: a\n", step=f"uses: {CHECKOUT}"),
    ),
    (
        privileged_checkout,
        workflow(
            permissions="{id-token: write, pull-requests: write}",
            job=GUARD + "    environment: a\n",
            step=f"uses: {CHECKOUT}",
        ),
    ),
    (endless, Workflow("on: push\njobs: {one: {steps: [{run: make}]}}")),
    (injectable, workflow(step="run: echo ${{ github.event.pull_request.title }}")),
    (injectable, workflow(step="run: git checkout ${{ github.head_ref }}")),
    (injectable, workflow(step="{uses: a/b@v1, with: {script: 'f(\"${{ github.event.number }}\")'}}")),
    (keeps_token, workflow(step=f"uses: {CHECKOUT}")),
]


@pytest.mark.parametrize(("rule", "broken"), BROKEN, ids=[f"{r.__name__}-{i}" for i, (r, _) in enumerate(BROKEN)])
def test_rule_complains(rule: Rule, broken: Workflow) -> None:
    assert rule(broken)


def test_a_guarded_role_is_allowed() -> None:
    allowed = workflow(permissions=ROLE, job=GUARD + "    environment: a\n", step=f"uses: {CHECKOUT}")
    assert privileged_checkout(allowed) == []


def test_workflows_are_found() -> None:
    assert {path.stem for path in FILES} >= {"tests", "plan", "plan-comment", "preview"}


def test_one_commit_for_each_action() -> None:
    commits: dict[str, set[str]] = {}
    for path in FILES:
        for _, step in Workflow(path.read_text(encoding="utf-8")).steps():
            if "uses" in step:
                action, _, commit = step["uses"].partition("@")
                commits.setdefault(action, set()).add(commit)
    assert {action: found for action, found in commits.items() if len(found) > 1} == {}


def test_comment_follows_plan() -> None:
    """The two workflows know each other by names that nothing else checks."""
    plan = Workflow((ROOT / ".github/workflows/plan.yml").read_text(encoding="utf-8"))
    comment = Workflow((ROOT / ".github/workflows/plan-comment.yml").read_text(encoding="utf-8"))
    assert comment.content[True]["workflow_run"]["workflows"] == [plan.content["name"]]
    (upload,) = [step for _, step in plan.steps() if "upload-artifact" in step.get("uses", "")]
    (script,) = [step["with"]["script"] for _, step in comment.steps()]
    assert f"name: '{upload['with']['name']}'" in script


def test_preview_can_read_the_pulumi_version() -> None:
    """preview.yml takes the version of the engine from this line."""
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    assert len([line for line in lines if re.match(r"pulumi==\d+\.\d+\.\d+", line)]) == 1


def test_hooks_agree() -> None:
    """The repository uses the hook that it ships, apart from where the command is."""
    (shipped,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    assert [repo["repo"] for repo in config["repos"]] == ["local"]
    (used,) = [hook for hook in config["repos"][0]["hooks"] if hook["id"] == shipped["id"]]
    assert used["entry"].replace(".venv/bin/", "") == shipped["entry"]
    assert used["files"] == shipped["files"]
    assert re.search(shipped["files"], "stacks/Pulumi.dev.yaml")
    assert not re.search(shipped["files"], "stacks/deeper/Pulumi.dev.yaml")
