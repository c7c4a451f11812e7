"""What commands print with --json is what their schemas allow, whatever the stack; and it keeps its order."""

import jsonschema
import pytest

from eks_accelerators.accel.plan.comparison import changes
from eks_accelerators.accel.report import check_stack
from eks_accelerators.accel.reports.registry import schema_of
from eks_accelerators.accel.stacks import locate
from tests.accel.plans import STACKS, planned, shipped, write_stack
from tests.accel.variations import VARIATIONS
from tests.conftest import NOW

CHECK, PLAN = (jsonschema.Draft202012Validator(schema_of(command)) for command in ("check", "plan"))


@pytest.mark.parametrize("stack", STACKS)
def test_shipped_stacks(stack):
    PLAN.validate(shipped(stack).report.as_data())


@pytest.mark.parametrize("patch", VARIATIONS.values(), ids=VARIATIONS)
def test_checks_of_other_stacks(tmp_path, patch):
    CHECK.validate(check_stack(locate(str(write_stack(tmp_path, patch))), NOW).report.as_data())


@pytest.mark.parametrize("patch", [{"nodeGroups": 7}, {"nodeGroups.gpu.size.desired": 9}, {"region": "nowhere"}])
def test_plans_with_errors(tmp_path, patch):
    made = planned(tmp_path, patch)

    PLAN.validate(made.report.as_data())
    assert (made.failed, made.report.resources, made.report.outputs) == (True, (), {})


@pytest.mark.parametrize("before", ["dev", None])
def test_changes(before):
    plan = shipped("staging").report
    told = changes(shipped(before).report if before else None, plan, "main")
    data = plan.model_copy(update={"changes": told}).as_data()

    PLAN.validate(data)
    assert data["changes"]["newStack"] is (before is None)
    assert "changes" not in plan.as_data()


@pytest.mark.parametrize("stack", STACKS)
def test_keys_stand_in_the_documented_order(stack):
    data = shipped(stack).report.as_data()
    schema = schema_of("plan")
    listed = {
        "problems": "ProblemReport",
        "nodeGroups": "NodeGroupReport",
        "workloads": "WorkloadReport",
        "resources": "ResourceReport",
    }

    assert list(data) == [key for key in schema["properties"] if key != "changes"]
    for key, model in listed.items():
        documented = list(schema["$defs"][model]["properties"])
        assert all(list(entry) == documented for entry in data[key])


def test_resources_are_sorted_and_named_once():
    urns = [resource.urn for resource in shipped("prod").report.resources]

    assert urns == sorted(set(urns))


def test_every_parent_is_a_resource_or_the_stack():
    resources = shipped("prod").report.resources

    outside = {resource.parent for resource in resources} - {resource.urn for resource in resources}
    assert {parent.split("::")[2] for parent in outside} == {"pulumi:pulumi:Stack"}
