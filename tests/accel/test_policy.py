"""The policy of a deployment against what AWS says: CloudFormation's handlers and the Service Authorization Reference."""

import fnmatch
import functools
import json
import re
from pathlib import Path

import pytest

from eks_accelerators.accel import policy
from eks_accelerators.accelerators import iam_actions, resource_types
from eks_accelerators.accelerators.iam_actions import Registered
from tests import authorities
from tests.accel.plans import STACKS, planned, shipped
from tests.accel.variations import VARIATIONS
from tests.examples import example_plans

EXCEPTIONS = json.loads((Path(__file__).parent / "policy_exceptions.json").read_text())
TYPES = {token: known.iam for token, known in resource_types.every().items() if known.iam is not None}
KEY = "arn:aws:kms:us-east-2:444455556666:key/1234abcd-12ab-34cd-56ef-1234567890ab"
PURPOSES = {
    "preflight": iam_actions.preflight_policy(),
    "blocks": iam_actions.blocks_policy(),
    "facts": iam_actions.facts_policy(),
}


def with_every_option(token):
    """A resource of a type with each input by which AWS asks for more."""
    return Registered(token, {entry["where"]: KEY for entry in TYPES[token] if "where" in entry})


def policy_of(tokens, region="us-east-2"):
    resources = [with_every_option(token) for token in tokens]
    return iam_actions.deployment_policy(resources, name="dev", region=region, account="111122223333")


def statements(document):
    """Actions and resources of each statement."""
    for each in document["Statement"]:
        yield tuple(as_list(each[key]) for key in ("Action", "Resource"))


def as_list(value):
    return [value] if isinstance(value, str) else value


WHOLE = policy_of(TYPES)
ALLOWED = [(action, resources) for actions, resources in statements(WHOLE) for action in actions]


# CloudFormation's handlers


@pytest.mark.parametrize("name", EXCEPTIONS["made_of"])
def test_what_a_handler_of_cloudformation_may_the_policy_allows(name):
    allowed = {action for actions, _ in statements(policy_of(EXCEPTIONS["made_of"][name])) for action in actions}
    excepted = [each for each in EXCEPTIONS["not_needed"] if each["of"] == name]

    missing = authorities.handler_actions(name) - allowed

    assert missing == {action for each in excepted for action in each["actions"]}
    assert all(each["reason"] for each in excepted)


def test_every_type_has_its_handler_or_a_reason():
    judged = {token for tokens in EXCEPTIONS["made_of"].values() for token in tokens}

    assert not judged & set(EXCEPTIONS["no_handler"])
    assert judged | set(EXCEPTIONS["no_handler"]) == set(TYPES)


@pytest.mark.parametrize("stack", STACKS)
def test_every_type_of_a_stack_is_judged(stack):
    assert {each.type for each in policy.registered(shipped(stack))} <= set(TYPES)


@pytest.mark.parametrize("patch", VARIATIONS.values(), ids=VARIATIONS)
def test_every_type_of_any_settings_is_judged(patch, tmp_path):
    assert {each.type for each in policy.registered(planned(tmp_path, patch))} <= set(TYPES)


@pytest.mark.parametrize("example", example_plans.REQUIRED)
def test_every_type_of_an_example_is_judged(example):
    registered = {resource.type for resource in example_plans.plan(example).resources}

    assert {token for token in registered if token.startswith("aws:")} <= set(TYPES)


# The Service Authorization Reference


@pytest.mark.parametrize("document", [WHOLE, *PURPOSES.values()], ids=["deploy", *PURPOSES])
def test_every_action_exists(document):
    assert [
        action for actions, _ in statements(document) for action in actions if not authorities.is_action(action)
    ] == []


@pytest.mark.parametrize(("action", "resources"), ALLOWED, ids=[f"{action}-{on[0]}" for action, on in ALLOWED])
def test_every_action_is_allowed_on_what_it_acts_on(action, resources):
    kinds = authorities.resources_of(action)
    if not kinds:
        assert resources == ["*"], "it is never asked for on an ARN"
        return
    if resources == ["*"]:
        assert any(fnmatch.fnmatch(action, pattern) for pattern in EXCEPTIONS["on_any_resource"])
        return
    wanted = [kind for kind, required in kinds.items() if required] or list(kinds)
    reached = [kind for kind in wanted if any(overlap(arn, pattern(kind)) for arn in resources)]
    assert reached == wanted if any(kinds.values()) else reached


@pytest.mark.parametrize(("actions", "resources"), statements(WHOLE), ids=[s["Sid"] for s in WHOLE["Statement"]])
def test_no_arn_of_a_statement_is_idle(actions, resources):
    kinds = {pattern(kind) for action in actions for kind in authorities.resources_of(action)}

    assert [arn for arn in resources if arn != "*" and not any(overlap(arn, kind) for kind in kinds)] == []


def test_what_an_action_needs_beside_itself_is_allowed():
    allowed = {action for action, _ in ALLOWED}
    excepted = {(each["of"], action) for each in EXCEPTIONS["not_needed_dependents"] for action in each["actions"]}

    missing = {(action, other) for action in allowed for other in authorities.dependents_of(action) - allowed}

    assert missing == excepted


@pytest.mark.parametrize(
    ("purpose", "not_needed"),
    [
        pytest.param("preflight", {"ec2:CreateTags", "iam:PassRole"}, id="preflight-runs-dry-without-tags-and-role"),
        pytest.param("blocks", set(), id="blocks"),
        pytest.param("facts", set(), id="facts"),
    ],
)
def test_what_reading_needs_beside_itself_is_allowed(purpose, not_needed):
    allowed = {action for actions, _ in statements(PURPOSES[purpose]) for action in actions}
    # Service Quotas asks the service of a quota for its limits; the quotas here are EC2's, which it knows itself.
    asked = {action for action in allowed if not action.startswith("servicequotas:")}

    assert {other for action in asked for other in authorities.dependents_of(action)} - allowed == not_needed


# What options make AWS ask for


@pytest.mark.parametrize(
    ("patch", "action", "resource"),
    [
        pytest.param({}, "eks:CreatePodIdentityAssociation", "arn:aws:eks:us-east-2:*:cluster/{}", id="add-on-with-a-role"),
        pytest.param({}, "eks:DescribePodIdentityAssociation", "arn:aws:eks:us-east-2:*:podidentityassociation/{}/*", id="its-read"),
        pytest.param({"cluster.secretsEncryptionKeyArn": KEY}, "kms:CreateGrant", KEY, id="secrets-key"),
        pytest.param({"cluster.secretsEncryptionKeyArn": KEY}, "kms:DescribeKey", KEY, id="secrets-key-read"),
        pytest.param(
            {"network.create.interfaceEndpoints": ["ecr.api"]},
            "route53:AssociateVPCWithHostedZone",
            "arn:aws:route53:::hostedzone/*",
            id="private-dns",
        ),
        pytest.param({}, "iam:GetRole", "arn:aws:iam::*:role/aws-service-role/*", id="role-of-eks-itself"),
        pytest.param({}, "eks:CreateCluster", "*", id="cluster-has-no-arn-yet"),
    ],
)  # fmt: skip
def test_an_option_that_takes_more_is_allowed_more(patch, action, resource, tmp_path):
    plan = planned(tmp_path, patch)
    name = plan.checked.settings.cluster.name or f"eks-accelerators-{plan.report.stack}"

    document = policy.policy(plan, "*")

    assert any(action in actions and resource.format(name) in resources for actions, resources in statements(document))


@pytest.mark.parametrize(("tokens", "allowed"), [(["aws:amp/scraper:Scraper"], True), ([], False)])
def test_the_role_of_a_scraper_is_made_where_there_is_one(tokens, allowed):
    (making,) = [each for each in policy_of(tokens)["Statement"] if each["Action"] == "iam:CreateServiceLinkedRole"]

    assert ("scraper.aps.amazonaws.com" in making["Condition"]["StringEquals"]["iam:AWSServiceName"]) is allowed


@pytest.mark.parametrize("service", ["kms", "route53"])
def test_without_the_option_it_is_not(service, tmp_path):
    document = policy.policy(planned(tmp_path, {}), "*")

    assert not [action for actions, _ in statements(document) for action in actions if action.startswith(f"{service}:")]


def test_a_global_service_is_not_held_to_the_region():
    """IAM and Route 53 are asked in another region than the stack's: a condition on it would refuse everything."""
    for each in WHOLE["Statement"]:
        if "aws:RequestedRegion" in str(each.get("Condition")):
            assert not [action for action in each["Action"] if action.partition(":")[0] in ("iam", "route53")]


@pytest.mark.parametrize(
    ("region", "partition", "passed_to"),
    [
        ("us-east-2", "aws", "ec2.amazonaws.com"),
        ("us-gov-west-1", "aws-us-gov", "ec2.amazonaws.com"),
        ("cn-north-1", "aws-cn", "ec2.amazonaws.com.cn"),
    ],
)
def test_arns_are_of_the_partition(region, partition, passed_to):
    document = policy_of([token for token in TYPES if token != "eks:index:Cluster"], region)

    arns = [arn for _, resources in statements(document) for arn in resources if arn != "*"]
    (passing,) = [each for each in document["Statement"] if each["Action"] == "iam:PassRole"]
    assert {arn.split(":")[1] for arn in arns} == {partition}
    assert passed_to in passing["Condition"]["StringEquals"]["iam:PassedToService"]


@pytest.mark.parametrize(
    ("region", "partition", "kind"),
    [("us-gov-west-1", "aws-us-gov", "g6.2xlarge"), ("cn-northwest-1", "aws-cn", "g5.xlarge")],
)
def test_a_stack_in_another_partition_names_nothing_of_the_first(region, partition, kind, tmp_path):
    patch = {
        "region": region,
        "network.create.zones": [f"{region}a", f"{region}b"],
        "nodeGroups.gpu.instanceType": kind,
        "workloads": {},
    }

    plan = planned(tmp_path, patch)

    named = re.findall(r"arn:([a-z-]+):", json.dumps([each.inputs for each in plan.report.resources]))
    assert set(named) == {partition}
    assert "type-not-in-zone" not in {problem.code for problem in plan.report.problems}


def test_everything_at_once_fits_managed_policies():
    """The longest: every type and option. A role takes ten policies; together they say what the document says."""
    parts = iam_actions.managed_policies(WHOLE)

    assert [statement for part in parts for statement in part["Statement"]] == WHOLE["Statement"]
    assert {part["Version"] for part in parts} == {WHOLE["Version"]}
    assert all(as_iam_counts(part) <= 6144 for part in parts)
    assert 1 < len(parts) <= 10


@pytest.mark.parametrize(("stack", "count"), [("dev", 1), ("staging", 1), ("prod", 2)])
def test_how_many_managed_policies_a_shipped_stack_takes(stack, count):
    parts = iam_actions.managed_policies(policy.policy(shipped(stack), "111122223333"))

    assert len(parts) == count
    assert all(as_iam_counts(part) <= 6144 for part in parts)


@pytest.mark.parametrize(
    ("longest", "part", "printed", "said"),
    [
        pytest.param(6144, None, 1, "", id="one-is-enough"),
        pytest.param(6144, 1, 1, "", id="its-number"),
        pytest.param(6144, 2, None, "--part 2: there are parts 1 to 1\n", id="no-such-part"),
        pytest.param(3000, None, None, "this takes 2 managed policies of at most 3000 characters", id="which-of-them"),
        pytest.param(3000, 2, 2, "", id="the-second"),
        pytest.param(3000, 0, None, "--part 0: there are parts 1 to 2\n", id="parts-begin-at-1"),
    ],
)
def test_a_part_is_printed_by_its_number(longest, part, printed, said, monkeypatch, capsys):
    for module in (iam_actions, policy):
        monkeypatch.setattr(module, "LONGEST", longest)
    parts = iam_actions.managed_policies(policy.policy(shipped("dev"), "*"))

    status = policy.print_policy("deploy", "dev", "*", part)

    out, err = capsys.readouterr()
    assert (json.loads(out) if out else None) == (parts[printed - 1] if printed else None)
    assert err.startswith(said)
    assert bool(err) is bool(said)
    assert status == (0 if printed else 2)


def as_iam_counts(document):
    """Characters without white space."""
    return len(re.sub(r"\s", "", json.dumps(document)))


def pattern(arn):
    """An ARN of the reference with `*` for each variable."""
    return "*".join(part.partition("}")[2] if index else part for index, part in enumerate(arn.split("${")))


@functools.cache
def overlap(one, other):
    """Whether some string matches both patterns."""
    if not one or not other:
        return not one.strip("*") and not other.strip("*")
    if one[0] == "*":
        return overlap(one[1:], other) or overlap(one, other[1:])
    if other[0] == "*":
        return overlap(other, one)
    return one[0] == other[0] and overlap(one[1:], other[1:])


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        pytest.param("role/dev-*", "role/*", True, id="narrower"),
        pytest.param("entry/dev/*", "entry/*/*/*", True, id="spans-slashes"),
        pytest.param("cluster/dev", "nodegroup/*", False, id="other-type"),
        pytest.param("*", "", True, id="nothing"),
        pytest.param("a*c", "ab*d", False, id="other-end"),
    ],
)
def test_patterns_overlap(one, other, expected):
    assert overlap(one, other) is overlap(other, one) is expected
