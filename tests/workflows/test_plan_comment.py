"""Runs the script of plan-comment.yml in Node with a stand-in for GitHub, on archives that a stranger could send."""

from __future__ import annotations

import json
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

pytestmark = pytest.mark.skipif(not (shutil.which("node") and shutil.which("unzip")), reason="needs node and unzip")

WORKFLOW = Path(__file__).parents[2] / ".github/workflows/plan-comment.yml"
MARKER = "<!-- eks-accelerators: plan -->"

# What github-script gives a script, as far as this one uses it. Prints the calls that change something.
HARNESS = """
const fs = require('node:fs');
const world = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));
const calls = [];
const note = (name) => (value) => { calls.push([name, value]); };
const core = { notice: note('notice'), setFailed: note('failed') };
const context = { repo: { owner: 'owner', repo: 'repo' }, payload: { workflow_run: world.run } };
const rest = {
  actions: {
    listWorkflowRunArtifacts: 'artifacts',
    downloadArtifact: async ({ artifact_id }) => {
      calls.push(['download', artifact_id]);
      const bytes = fs.readFileSync(world.archive);
      return { data: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) };
    },
  },
  pulls: { get: async ({ pull_number }) => ({ data: { number: pull_number, ...world.pull } }) },
  issues: {
    listComments: 'comments',
    createComment: async (c) => note('create')(c),
    updateComment: async (c) => note('update')(c),
  },
};
const github = { rest, paginate: async (what) => world[what] };
const AsyncFunction = (async () => {}).constructor;
new AsyncFunction('github', 'context', 'core', 'require', fs.readFileSync(process.argv[3], 'utf8'))(
  github, context, core, require,
).then(() => console.log(JSON.stringify(calls)));
"""

OURS = {"id": 7, "user": {"login": "github-actions[bot]"}, "body": f"{MARKER}\nold"}


class World:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files: dict[str, str] = {"number": "12", "body.md": "## dev\n\nfine"}
        self.run: dict[str, Any] = {
            "id": 5,
            "head_sha": "a" * 40,
            "head_repository": {"full_name": "stranger/repo"},
            "html_url": "https://example.invalid/run",
            "conclusion": "success",
        }
        self.pull: dict[str, Any] = {
            "state": "open",
            "head": {"sha": "a" * 40, "repo": {"full_name": "stranger/repo"}},
            "base": {"repo": {"full_name": "owner/repo"}},
        }
        self.artifacts: list[dict[str, Any]] = [{"id": 3, "size_in_bytes": 900, "expired": False}]
        self.comments: list[dict[str, Any]] = []

    def play(self) -> list[list[Any]]:
        archive = self.folder / "plan.zip"
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
            for name, text in self.files.items():
                out.writestr(name, text)
        (self.folder / "world.json").write_text(json.dumps({**vars(self), "folder": "", "archive": str(archive)}))
        (step,) = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))["jobs"]["comment"]["steps"]
        (self.folder / "script.js").write_text(step["with"]["script"], encoding="utf-8")
        (self.folder / "harness.js").write_text(HARNESS, encoding="utf-8")
        command = ["node", "harness.js", "world.json", "script.js"]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=True)
        calls: list[list[Any]] = json.loads(done.stdout)
        return [call for call in calls if call[0] != "download"]


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_first_comment(world: World) -> None:
    ((name, comment),) = world.play()
    assert name == "create"
    assert comment["issue_number"] == 12
    assert comment["body"].startswith(MARKER)
    assert comment["body"].endswith("## dev\n\nfine\n")
    assert "aaaaaaaaaaaa" in comment["body"]


def test_a_plan_with_problems_is_posted_too(world: World) -> None:
    world.run["conclusion"] = "failure"
    ((name, comment),) = world.play()
    assert name == "create"
    assert "failure" in comment["body"]


def test_later_comment_updates(world: World) -> None:
    world.comments = [{"id": 6, "user": {"login": "someone"}, "body": "hello"}, OURS]
    ((name, comment),) = world.play()
    assert (name, comment["comment_id"]) == ("update", 7)


@pytest.mark.parametrize(
    "other",
    [
        {"id": 7, "user": {"login": "stranger"}, "body": f"{MARKER}\n"},
        {"id": 7, "user": {"login": "github-actions[bot]"}, "body": f"another workflow quotes {MARKER}"},
        {"id": 7, "user": None, "body": None},
    ],
)
def test_comments_of_others_stay(world: World, other: dict[str, Any]) -> None:
    world.comments = [other]
    assert [name for name, _ in world.play()] == ["create"]


@pytest.mark.parametrize(
    "number", ["", "0", "-1", "12; rm", "1e3", "../12", "12\n13", "9" * 11, "x" * 5000, "\uff11\uff12"]
)
def test_numbers_that_are_none(world: World, number: str) -> None:
    world.files["number"] = number
    assert [name for name, _ in world.play()] == ["failed"]


@pytest.mark.parametrize("missing", ["number", "body.md"])
def test_missing_files(world: World, missing: str) -> None:
    del world.files[missing]
    assert [name for name, _ in world.play()] == ["failed"]


@pytest.mark.parametrize(
    "change",
    [
        {"head": {"sha": "a" * 40, "repo": {"full_name": "owner/repo"}}},
        {"head": {"sha": "a" * 40, "repo": None}},
        {"base": {"repo": {"full_name": "other/repo"}}},
    ],
)
def test_pull_requests_of_others(world: World, change: dict[str, Any]) -> None:
    world.pull |= change
    assert [name for name, _ in world.play()] == ["failed"]


def test_a_fork_that_is_gone(world: World) -> None:
    world.run["head_repository"] = None
    assert [name for name, _ in world.play()] == ["failed"]


@pytest.mark.parametrize(
    "change", [{"state": "closed"}, {"head": {"sha": "b" * 40, "repo": {"full_name": "stranger/repo"}}}]
)
def test_pull_requests_that_moved_on(world: World, change: dict[str, Any]) -> None:
    world.pull |= change
    assert [name for name, _ in world.play()] == ["notice"]


def test_no_artifact(world: World) -> None:
    world.artifacts = [{"id": 3, "size_in_bytes": 900, "expired": True}]
    assert [name for name, _ in world.play()] == ["notice"]


def test_large_artifact_is_not_even_fetched(world: World) -> None:
    world.artifacts[0]["size_in_bytes"] = 300_000
    assert [name for name, _ in world.play()] == ["failed"]


def test_archive_that_unpacks_to_too_much(world: World) -> None:
    world.files["body.md"] = "a" * 50_000_000
    assert [name for name, _ in world.play()] == ["failed"]


def test_long_plan_is_cut(world: World) -> None:
    world.files["body.md"] = "a" * 100_000
    ((_, comment),) = world.play()
    assert len(comment["body"]) < 65_536
    assert "Cut to the size of a comment" in comment["body"]


def test_nobody_is_notified(world: World) -> None:
    world.files["body.md"] = "@owner/team and @someone"
    ((_, comment),) = world.play()
    assert "@owner" not in comment["body"]
    assert "@someone" not in comment["body"]


def test_names_in_the_archive_write_nothing(world: World) -> None:
    world.files["../escaped"] = "x"
    world.files["/escaped"] = "x"
    assert [name for name, _ in world.play()] == ["create"]
    assert not list(world.folder.parent.rglob("escaped"))
