"""A caller with the policy that `accel policy deploy` prints is told so by `accel preflight`, and one with less what is missing."""

import copy
import json

import pytest
from moto.iam.access_control import IAMPolicy, PermissionResult

from eks_accelerators.accel import policy
from eks_accelerators.accel.preflight.command import ask
from eks_accelerators.accelerators import clock
from eks_accelerators.capacity.aws_calls import Aws
from tests.accel.plans import STACKS, shipped
from tests.capacity.fakes import FakeAws
from tests.capacity.preflight.world import GOOD
from tests.conftest import NOW

ACCOUNT = "111122223333"


def iam_of(document):
    """An IAM whose caller has one policy. Actions and ARNs are matched by moto, conditions are values that must be equal."""

    def reply(asked):
        context = {each["ContextKeyName"]: each["ContextKeyValues"] for each in asked.get("ContextEntries", ())}
        arns = asked.get("ResourceArns", ["*"])
        return {"EvaluationResults": [evaluated(document, action, arns, context) for action in asked["ActionNames"]]}

    return reply


def evaluated(document, action, arns, context):
    on = [decided(document, action, arn, context) for arn in arns]
    whole = "allowed" if all(decision == "allowed" for decision, _ in on) else "implicitDeny"
    if arns == ["*"]:
        return {"EvalActionName": action, "EvalDecision": whole, "MissingContextValues": on[0][1]}
    results = [
        {"EvalResourceName": arn, "EvalResourceDecision": decision, "MissingContextValues": missing}
        for arn, (decision, missing) in zip(arns, on, strict=True)
    ]
    return {"EvalActionName": action, "EvalDecision": whole, "ResourceSpecificResults": results}


def decided(document, action, arn, context):
    missing = []
    for statement in document["Statement"]:
        unconditional = {key: value for key, value in statement.items() if key != "Condition"}
        judge = IAMPolicy(json.dumps({"Statement": unconditional}))
        if judge.is_action_permitted(action, arn) is not PermissionResult.PERMITTED:
            continue
        equal = statement.get("Condition", {}).get("StringEquals", {})
        unanswered = [key for key in equal if key not in context]
        if not unanswered and all(set(context[key]) <= set(as_list(values)) for key, values in equal.items()):
            return "allowed", []
        missing += unanswered
    return "implicitDeny", missing


def as_list(value):
    return [value] if isinstance(value, str) else value


def told(stack, document):
    """Status, and what is found, of a preflight by a caller with that policy."""
    aws = FakeAws({**GOOD, "iam.simulate_principal_policy": iam_of(document)})
    with clock.set_to(NOW), Aws(aws) as reached:
        report = ask(shipped(stack), reached, "111122223333")
    (found,) = [each for each in report.checks if each.code == "deployment-permissions"]
    return found.status, found.found


def printed(stack):
    return copy.deepcopy(policy.policy(shipped(stack), ACCOUNT))


@pytest.mark.parametrize("stack", STACKS)
def test_what_is_printed_is_enough(stack):
    status, found = told(stack, printed(stack))

    assert (status, "may do all" in found) == ("ok", True), found


@pytest.mark.parametrize(
    "action",
    ["eks:DescribePodIdentityAssociation", "ec2:RunInstances", "iam:CreateServiceLinkedRole", "sns:Unsubscribe"],
)
def test_what_is_taken_away_is_missed(action):
    document = printed("prod")
    for statement in document["Statement"]:
        statement["Action"] = [each for each in as_list(statement["Action"]) if each != action]

    assert told("prod", document) == ("problem", f"arn:aws:iam::{ACCOUNT}:role/deployer may not: {action}")


@pytest.mark.parametrize(
    ("statement", "key", "value", "missed"),
    [
        pytest.param("Any", "aws:RequestedRegion", "us-east-1", "autoscaling:DescribeAutoScalingGroups", id="region"),
        pytest.param("PassRoles", "iam:PassedToService", "ec2.amazonaws.com", "iam:PassRole", id="one-service-only"),
    ],
)
def test_a_condition_that_excludes_the_stack_is_missed(statement, key, value, missed):
    document = printed("prod")
    for each in document["Statement"]:
        if each["Sid"] == statement:
            each["Condition"]["StringEquals"][key] = value

    status, found = told("prod", document)

    assert (status, missed in found) == ("problem", True), found


def test_another_stack_s_names_are_not_enough():
    document = json.loads(json.dumps(printed("dev")).replace("eks-accelerators-dev", "eks-accelerators-qa"))

    status, found = told("dev", document)

    assert (status, "iam:AttachRolePolicy" in found) == ("problem", True), found


def test_a_condition_that_only_a_deployment_can_answer_is_unknown():
    document = printed("dev")
    for each in document["Statement"]:
        each.setdefault("Condition", {"StringEquals": {}})["StringEquals"]["aws:PrincipalTag/team"] = "ml"

    status, found = told("dev", document)

    assert (status, "hangs on aws:PrincipalTag/team" in found) == ("unknown", True), found
