from __future__ import annotations

import os
from pathlib import Path
from types import ModuleType

import pytest

from tests.scripts import loaded

SCRIPT = Path(__file__).parents[2] / ".github/scripts/collect_plans.py"


@pytest.fixture(scope="module")
def collect() -> ModuleType:
    return loaded(SCRIPT)


@pytest.fixture
def plan(collect: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Runs the script with a stand-in for `accel` that ends with the status given for each stack."""
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))

    def run(statuses: dict[str, int]) -> tuple[int, str]:
        folder = tmp_path / "stacks"
        folder.mkdir()
        (folder / "schema.json").write_text("{}", encoding="utf-8")
        for name in statuses:
            (folder / f"Pulumi.{name}.yaml").touch()
        cases = "".join(f"*'/Pulumi.{name}.yaml') exit {status};; " for name, status in statuses.items())
        accel = tmp_path / "accel"
        accel.write_text(
            f'#!/bin/sh\necho "args: $1 $2 $3 $4 ${{5##*/}}"\ncase "$5" in {cases}esac\n', encoding="utf-8"
        )
        accel.chmod(0o755)
        arguments = ["--accel", str(accel), "--against", "origin/main", "--number", "12"]
        status = collect.main([*arguments, "--out", str(tmp_path / "out"), "--stacks", str(folder)])
        assert (tmp_path / "out/number").read_text(encoding="utf-8") == "12"
        body = (tmp_path / "out/body.md").read_text(encoding="utf-8")
        assert (tmp_path / "summary.md").read_text(encoding="utf-8") == body
        return status, body

    return run


def test_every_stack_is_planned(plan) -> None:
    status, body = plan({"prod": 0, "dev": 0, "staging": 0})
    assert status == 0
    assert [line for line in body.splitlines() if line] == [
        "## dev",
        "args: plan --markdown --against=origin/main -- Pulumi.dev.yaml",
        "## prod",
        "args: plan --markdown --against=origin/main -- Pulumi.prod.yaml",
        "## staging",
        "args: plan --markdown --against=origin/main -- Pulumi.staging.yaml",
    ]


def test_problems_fail_after_everything_is_written(plan) -> None:
    status, body = plan({"dev": 2, "prod": 0})
    assert status == 2
    assert "problems" in body
    assert "## prod" in body


def test_a_crash_outweighs_problems(plan) -> None:
    status, body = plan({"dev": 1, "prod": 2})
    assert status == 1
    assert "stopped with exit status 1" in body


def test_a_plan_that_takes_too_long(plan, collect: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    def late(*args: object, **kwargs: object) -> None:
        raise collect.subprocess.TimeoutExpired("accel", 1)

    monkeypatch.setattr(collect.subprocess, "run", late)
    status, body = plan({"dev": 0})
    assert status == 1
    assert "No plan within" in body


def test_no_stacks_is_an_error(collect: ModuleType, tmp_path: Path) -> None:
    arguments = ["--accel", "accel", "--against", "main", "--number", "1", "--out", str(tmp_path), "--stacks"]
    assert collect.main([*arguments, os.fspath(tmp_path)]) == 1


def test_short_text_stays(collect: ModuleType) -> None:
    assert collect.shortened("abc", 3) == "abc"


def test_long_text_is_cut_and_closed(collect: ModuleType) -> None:
    text = "<details>\n\n```\n" + "line\n" * 100
    short = collect.shortened(text, 80)
    assert short.startswith("_Cut to fit")
    assert short.count("```") == 2
    assert short.rstrip().endswith("</details>")
    assert len(short) < 200


def test_a_name_that_looks_like_an_option_is_none(plan) -> None:
    status, body = plan({"--json": 0, "a <b>": 0})
    assert status == 0
    assert [line for line in body.splitlines() if line] == [
        "## --json",
        "args: plan --markdown --against=origin/main -- Pulumi.--json.yaml",
        "## a??b?",
        "args: plan --markdown --against=origin/main -- Pulumi.a <b>.yaml",
    ]


def test_a_value_cannot_open_or_close_what_is_cut(collect: ModuleType) -> None:
    text = "<details>\n\n````diff\n+ </details> ```\n" + "+ <details> x\n" * 100
    cut = collect.shortened(text, 200)
    assert cut.rstrip().endswith("\n````\n</details>")
    assert cut.count("\n</details>") == 1
