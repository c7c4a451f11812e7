"""What `accel plan` says of the stacks that are shipped. Read the snapshots to see it.

As text, whole; as JSON, one stack whole and the others by what is different in them.
"""

import json
from operator import itemgetter
from typing import Any

import pytest
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from eks_accelerators.accel.renderers import markdown
from eks_accelerators.accel.stacks import StackLocation, locate
from eks_accelerators.settings.load import PROJECT
from tests.accel.plans import ROOT, STACKS, as_json, python, shipped, text
from tests.conftest import NOW
from tests.differences import applied, by_name, difference, listed


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
    assert markdown(shipped(stack).report) == snapshot(extension_class=kept_as("md"))


WHOLE = "prod"
"""The stack whose plan is kept whole as JSON: it has most of what there is."""


def test_json(snapshot):
    assert written(data_of(WHOLE)) == snapshot(extension_class=kept_as("json"))


@pytest.mark.parametrize("stack", [stack for stack in STACKS if stack != WHOLE])
def test_what_is_different_in_json(stack, snapshot):
    whole = comparable(data_of(WHOLE))
    told = difference(whole, comparable(data_of(stack)))

    assert written(told) == snapshot(extension_class=kept_as("json"))
    assert written(of_stack(applied(whole, told), stack)) == written(data_of(stack))


def data_of(stack: str) -> dict[str, Any]:
    """A plan as other programs read it; of dashboards, which have tests of their own, the number of panels."""
    found: dict[str, Any] = json.loads(as_json(shipped(stack).report))
    for resource in found["resources"]:
        if "grafana_dashboard" in resource["inputs"].get("metadata", {}).get("labels", {}):
            data = resource["inputs"]["data"]
            known = {name: json.loads(text) for name, text in data.items() if text.startswith("{")}
            data.update({name: f"{len(dashboard['panels'])} panels" for name, dashboard in known.items()})
    return found


def written(data: dict[str, Any]) -> str:
    """A part of a plan, as a plan is written."""
    return json.dumps(data, indent=2)


def urn_tail(resource):
    """The types of a resource and of its parent, and its name."""
    return resource["urn"].partition(f"::{PROJECT}::")[2]


NAMED = {"resources": urn_tail, "nodeGroups": itemgetter("name"), "workloads": itemgetter("name")}
STACK = "<stack>"


def comparable(data: dict[str, Any]) -> dict[str, Any]:
    """A plan in which resources, node groups and workloads of two stacks meet, without the name of the stack in theirs."""
    stack, written = data["stack"], json.dumps(data)
    assert STACK not in written
    for around in (f"{PROJECT}-%s", ":pulumi:%s::", '"%s"'):
        written = written.replace(around % stack, around % STACK)
    found = json.loads(written)
    return found | {key: by_name(found[key], name_of) for key, name_of in NAMED.items()}


def of_stack(data: dict[str, Any], stack: str) -> dict[str, Any]:
    """The plan of ``stack`` of what `comparable` has made of it."""
    found: dict[str, Any] = json.loads(json.dumps(data).replace(STACK, stack))
    return found | {key: listed(found[key]) for key in NAMED}


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


@pytest.mark.thorough
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
