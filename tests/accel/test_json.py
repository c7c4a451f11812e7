"""The JSON keeps its shape: every key that is documented, and no other, in the same order."""

import json
from pathlib import Path

import jsonschema
import pytest

from eks_accelerators.accel.plan.comparison import changes
from eks_accelerators.accel.report import check_stack
from eks_accelerators.accel.stacks import locate
from tests.accel.plans import STACKS, planned, shipped, write_stack
from tests.accel.variations import VARIATIONS
from tests.conftest import NOW

SCHEMA = json.loads(Path(__file__).with_name("plan.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)


def test_it_is_a_schema():
    jsonschema.Draft7Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("stack", STACKS)
def test_shipped_stacks(stack):
    VALIDATOR.validate(shipped(stack).data)


@pytest.mark.parametrize("patch", VARIATIONS.values(), ids=VARIATIONS)
def test_checks_of_other_stacks(tmp_path, patch):
    VALIDATOR.validate(check_stack(locate(str(write_stack(tmp_path, patch))), NOW).data)


@pytest.mark.parametrize("patch", [{"nodeGroups": 7}, {"nodeGroups.gpu.size.desired": 9}, {"region": "nowhere"}])
def test_plans_with_errors(tmp_path, patch):
    made = planned(tmp_path, patch)

    VALIDATOR.validate(made.data)
    assert (made.failed, made.data["resources"], made.data["outputs"]) == (True, [], {})


def test_changes():
    before, after = shipped("dev").data, shipped("staging").data

    VALIDATOR.validate({**after, "changes": changes(before, after, "main")})
    VALIDATOR.validate({**after, "changes": changes(None, after, "main")})


@pytest.mark.parametrize("stack", STACKS)
def test_keys_stand_in_the_documented_order(stack):
    data = shipped(stack).data
    listed = {"problems": "problem", "nodeGroups": "nodeGroup", "workloads": "workload", "resources": "resource"}

    assert list(data) == [key for key in SCHEMA["properties"] if key != "changes"]
    for key, definition in listed.items():
        documented = list(SCHEMA["definitions"][definition]["properties"])
        assert all(list(entry) == documented for entry in data[key])


def test_resources_are_sorted_and_named_once():
    urns = [resource["urn"] for resource in shipped("prod").data["resources"]]

    assert urns == sorted(set(urns))


def test_every_parent_is_a_resource_or_the_stack():
    data = shipped("prod").data
    known = {resource["urn"] for resource in data["resources"]}

    outside = {resource["parent"] for resource in data["resources"]} - known
    assert {parent.split("::")[2] for parent in outside} == {"pulumi:pulumi:Stack"}
