"""Rules about launch templates and node groups, whoever wrote the program that registers them."""

import pulumi
import pulumi_aws as aws
import pytest

from eks_accelerators.accel.plan.recorder import UNKNOWN, Resource, record
from eks_accelerators.accel.plan.resource_problems import RULES, problems_of
from tests.accel.plans import STACKS, planned, shipped
from tests.settings.example import RESERVED, TRAINIUM, WITH_EFA

URN = "urn:pulumi:test::test::{kind}::{name}"
BLOCK_TEMPLATE = {
    "instanceType": "p5.48xlarge",
    "instanceMarketOptions": {"marketType": "capacity-block"},
    "capacityReservationSpecification": {"capacityReservationTarget": {"capacityReservationId": UNKNOWN}},
}
BLOCK = {"capacityType": "CAPACITY_BLOCK"}
RESERVATION = {"capacityReservationSpecification": {"capacityReservationTarget": {"capacityReservationId": "cr-0a"}}}


def pair(group, template, *, own="template"):
    """A launch template called `template`, and a node group whose template is the one called ``own``."""
    kinds = {"template": "aws:ec2/launchTemplate:LaunchTemplate", "group": "aws:eks/nodeGroup:NodeGroup"}
    urns = {name: URN.format(kind=kind, name=name) for name, kind in kinds.items()}
    return [
        Resource(urns["template"], kinds["template"], "template", "", True, template),
        Resource(
            urns["group"],
            kinds["group"],
            "group",
            "",
            True,
            group,
            dependencies=(urns["template"],),
            property_dependencies={"launchTemplate": (urns[own],)} if own else {},
        ),
    ]


def codes(group, template, **options):
    return [problem.code for problem in problems_of(pair(group, template, **options))]


@pytest.mark.parametrize(
    ("code", "group", "tripping", "fine"),
    [
        pytest.param(
            "launch-template-capacity-block",
            BLOCK,
            BLOCK_TEMPLATE | {"instanceMarketOptions": {"marketType": "spot"}},
            BLOCK_TEMPLATE,
            id="market-type",
        ),
        pytest.param(
            "launch-template-capacity-block",
            BLOCK,
            BLOCK_TEMPLATE | {"capacityReservationSpecification": None},
            BLOCK_TEMPLATE,
            id="reservation",
        ),
        pytest.param(
            "launch-template-capacity-block",
            BLOCK,
            {key: value for key, value in BLOCK_TEMPLATE.items() if key != "instanceType"},
            BLOCK_TEMPLATE,
            id="type-of-the-block",
        ),
        pytest.param(
            "launch-template-instance-type", {"instanceTypes": ["a"]}, {"instanceType": "a"}, {}, id="type-in-both"
        ),
        pytest.param("launch-template-forbidden-field", {}, {"iamInstanceProfile": {"arn": "a"}}, {}, id="profile"),
        pytest.param(
            "launch-template-forbidden-field", {}, {"instanceInitiatedShutdownBehavior": "stop"}, {}, id="shutdown"
        ),
        pytest.param(
            "launch-template-forbidden-field",
            {},
            {"networkInterfaces": [{"subnetId": "subnet-0a", "securityGroups": [UNKNOWN]}]},
            {"networkInterfaces": [{"securityGroups": [UNKNOWN]}]},
            id="subnet",
        ),
        pytest.param(
            "launch-template-forbidden-field",
            {},
            {"networkInterfaces": [{"associatePublicIpAddress": "true", "securityGroups": [UNKNOWN]}] * 2},
            {"networkInterfaces": [{"associatePublicIpAddress": "true", "securityGroups": [UNKNOWN]}]},
            id="public-address-beside-a-second-interface",
        ),
        pytest.param(
            "launch-template-security-groups",
            {},
            {"networkInterfaces": [{"securityGroups": ["sg-0a"]}, {}]},
            {"networkInterfaces": [{"securityGroups": ["sg-0a"]}, {"securityGroups": [UNKNOWN]}]},
            id="interface-without-a-group",
        ),
        pytest.param(
            "launch-template-security-groups",
            {},
            {"vpcSecurityGroupIds": ["default"]},
            {"vpcSecurityGroupIds": ["sg-0a"]},
            id="no-id-of-a-group",
        ),
        pytest.param(
            "launch-template-placement",
            {},
            RESERVATION | {"placement": {"groupName": UNKNOWN}},
            RESERVATION | {"placement": {"tenancy": "default"}},
            id="placement-group-with-a-reservation",
        ),
    ],
)
def test_each_rule_trips_and_holds(code, group, tripping, fine):
    assert codes(group, tripping) == [code]
    assert codes(group, fine) == []


def test_a_disk_size_beside_a_template_is_refused():
    assert codes({"diskSize": 50}, {}) == ["launch-template-forbidden-field"]
    assert codes({}, {}) == []


def test_every_rule_says_where_it_is_from():
    assert all(rule.__doc__ and "Source: " in rule.__doc__ for rule in RULES.values())


def test_a_group_is_judged_by_its_own_template_only():
    wrong = {"iamInstanceProfile": {"arn": "a"}}

    assert codes({}, wrong) == ["launch-template-forbidden-field"]
    assert codes({}, wrong, own=None) == []


def test_one_name_for_two_resources_is_refused():
    (problem,) = problems_of([*pair({}, {}), pair({}, {})[0]])

    assert (problem.code, problem.path) == ("duplicate-urn", "resources.template")


def two_groups(with_profile):
    """A program of somebody else's: two node groups, the second made after the first and its template."""

    def program():
        profile = aws.ec2.LaunchTemplateIamInstanceProfileArgs(name="nodes") if with_profile else None
        first = aws.ec2.LaunchTemplate("first", vpc_security_group_ids=["sg-0a"], iam_instance_profile=profile)
        second = aws.ec2.LaunchTemplate("second", vpc_security_group_ids=["sg-0a"])
        group = node_group("group", first)
        node_group("after", second, depends_on=[first, group])

    return program


def node_group(name, template, depends_on=()):
    return aws.eks.NodeGroup(
        name,
        cluster_name="cluster",
        node_role_arn="arn:aws:iam::111122223333:role/node",
        subnet_ids=["subnet-0a"],
        scaling_config=aws.eks.NodeGroupScalingConfigArgs(min_size=0, desired_size=0, max_size=1),
        launch_template=aws.eks.NodeGroupLaunchTemplateArgs(id=template.id, version="1"),
        opts=pulumi.ResourceOptions(depends_on=list(depends_on)),
    )


@pytest.mark.parametrize(("with_profile", "found"), [(True, ["launch-template-forbidden-field"]), (False, [])])
def test_a_program_of_ones_own_is_judged(with_profile, found):
    made = record(two_groups(with_profile), project="test", stack_name="test", config={}, secrets=set())

    assert [problem.code for problem in problems_of(made.resources)] == found


@pytest.mark.parametrize("stack", STACKS)
def test_our_own_stacks_keep_the_rules(stack):
    assert list(problems_of(shipped(stack).recording.resources)) == []


@pytest.mark.parametrize(
    "patch",
    [
        pytest.param(RESERVED, id="capacity-block"),
        pytest.param(WITH_EFA, id="efa"),
        pytest.param(TRAINIUM, id="trainium"),
        pytest.param({"nodeGroups.gpu.capacityReservationId": "cr-0123456789abcdef0"}, id="reservation"),
    ],
)
def test_our_own_components_keep_the_rules(tmp_path, patch):
    made = planned(tmp_path, patch)

    assert not made.failed, made.report.problems
    assert list(problems_of(made.recording.resources)) == []
