"""What `accel plan` says of the stacks that are shipped, whole. Read the snapshots to see it."""

import json

import pytest
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from eks_accelerators.accel.stacks import StackLocation, locate
from tests.accel.plans import ROOT, STACKS, as_json, python, shipped, text
from tests.conftest import NOW


def kept_as(extension):
    return type("Kept", (SingleFileSnapshotExtension,), {"file_extension": extension, "_write_mode": WriteMode.TEXT})


@pytest.mark.parametrize("stack", STACKS)
def test_text(stack, snapshot):
    assert text(shipped(stack).report) == snapshot(extension_class=kept_as("txt"))


@pytest.mark.parametrize("stack", STACKS)
def test_text_in_a_narrow_terminal(stack, snapshot):
    assert text(shipped(stack).report, width=80) == snapshot(extension_class=kept_as("txt"))


@pytest.mark.parametrize("stack", STACKS)
def test_markdown(stack, snapshot):
    assert shipped(stack).report.markdown() == snapshot(extension_class=kept_as("md"))


@pytest.mark.parametrize("stack", STACKS)
def test_json(stack, snapshot):
    assert as_json(shipped(stack).report) == snapshot(extension_class=kept_as("json"))


@pytest.mark.parametrize("stack", STACKS)
def test_no_stack_has_an_error(stack):
    assert [problem for problem in shipped(stack).report.problems if problem.severity == "error"] == []


PLAN_OF_ALL = f"""
import json
from pathlib import Path
from datetime import datetime
from eks_accelerators.accel.plan import plan
from eks_accelerators.accel.stacks import StackLocation
root = Path({str(ROOT)!r})
for stack in {STACKS!r}:
    location = StackLocation(stack, root / "stacks" / f"Pulumi.{{stack}}.yaml", root)
    print(json.dumps(plan(location, datetime.fromisoformat({NOW.isoformat()!r})).report.as_data()))
"""


def test_plans_are_the_same_in_every_process_and_at_every_run():
    in_another = [python(PLAN_OF_ALL, PYTHONHASHSEED=seed).splitlines() for seed in ("1", "2")]

    assert in_another[0] == in_another[1] == [json.dumps(shipped(stack).report.as_data()) for stack in STACKS]


@pytest.mark.parametrize(
    ("written", "name", "file"),
    [
        pytest.param("dev", "dev", "stacks/Pulumi.dev.yaml", id="name"),
        pytest.param("stacks/Pulumi.dev.yaml", "dev", "stacks/Pulumi.dev.yaml", id="path"),
        pytest.param("elsewhere.yml", "elsewhere", "elsewhere.yml", id="any-yaml-file"),
        pytest.param("Pulumi.my.stack.yaml", "my.stack", "Pulumi.my.stack.yaml", id="dots-in-the-name"),
    ],
)
def test_a_stack_is_found_by_name_or_path(written, name, file, monkeypatch):
    monkeypatch.chdir(ROOT)
    found = locate(written)

    assert found == StackLocation(name, found.file, ROOT)
    assert found.file.resolve() == ROOT / file
