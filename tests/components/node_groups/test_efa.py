"""Elastic Fabric Adapter: interfaces and the security group that its traffic needs."""

import pytest

from eks_accelerators.accelerators import instance_types
from eks_accelerators.accelerators.efa import EfaNotSupportedError, layout
from tests.components.harness import CLUSTER_GROUP, VPC
from tests.components.node_groups.example import ONE_ZONE, P5_WITH_EFA, block, group, template


def with_efa(instance_type):
    return {"instance_type": instance_type, "efa": {"enabled": True}, **ONE_ZONE}


def interfaces(changes):
    return template(changes)["networkInterfaces"]


def known_layouts():
    for kind in instance_types.every():
        try:
            layout(kind)
        except EfaNotSupportedError:
            continue
        if kind.ami_types != ("CUSTOM",):
            yield kind.name


@pytest.mark.parametrize(
    ("instance_type", "count", "on_card_0"),
    [
        pytest.param("p5.48xlarge", 33, ["interface", "efa-only"], id="p5-33-interfaces"),
        pytest.param("p5en.48xlarge", 17, ["interface", "efa-only"], id="p5en"),
        pytest.param("p6-b300.48xlarge", 17, ["interface"], id="p6-b300-card-0-has-no-efa"),
        pytest.param("trn1.32xlarge", 9, ["interface", "efa-only"], id="trn1"),
        pytest.param("trn2.48xlarge", 17, ["interface", "efa-only"], id="trn2"),
        pytest.param("g6.8xlarge", 2, ["interface", "efa-only"], id="one-card"),
    ],
)
def test_layouts(instance_type, count, on_card_0):
    made = interfaces(with_efa(instance_type))

    assert len(made) == count
    assert [interface["interfaceType"] for interface in made if interface["networkCardIndex"] == 0] == on_card_0


@pytest.mark.parametrize("instance_type", known_layouts())
def test_what_ec2_demands_of_every_layout(instance_type):
    """One device a place, one EFA device a card, and a primary interface that carries IP."""
    made = interfaces(with_efa(instance_type))

    places = [(interface["networkCardIndex"], interface["deviceIndex"]) for interface in made]
    assert sorted(set(places)) == sorted(places)
    with_efa_device = [i["networkCardIndex"] for i in made if i["interfaceType"] != "interface"]
    assert sorted(set(with_efa_device)) == sorted(with_efa_device)
    assert made[places.index((0, 0))]["interfaceType"] == "interface"
    assert {interface["deleteOnTermination"] for interface in made} == {"true"}


def test_a_layout_of_one_s_own():
    own = [{"card": 0, "device": 0, "type": "efa"}, {"card": 1, "device": 1, "type": "interface"}]
    made = interfaces({**P5_WITH_EFA, "efa": {"enabled": True, "interfaces": own}})

    assert [(i["networkCardIndex"], i["deviceIndex"], i["interfaceType"]) for i in made] == [
        (0, 0, "efa"),
        (1, 1, "interface"),
    ]


def test_every_interface_has_the_cluster_s_group_and_that_of_efa():
    """With groups in the template EKS adds none of its own: without the cluster's no node joins."""
    changes = {**P5_WITH_EFA, "security_group_ids": ["sg-0123456789abcdef0"]}

    groups = {tuple(interface["securityGroups"]) for interface in interfaces(changes)}
    assert groups == {(CLUSTER_GROUP, "gpu-efa-id", "sg-0123456789abcdef0")}


def test_the_group_of_efa_allows_all_traffic_to_itself_and_nothing_else():
    deployment = group(P5_WITH_EFA)

    security_group = deployment.one("SecurityGroup")
    assert security_group.inputs["vpcId"] == VPC
    assert not {"ingress", "egress"} & set(security_group.inputs)
    rules = [deployment.one(kind) for kind in ("SecurityGroupIngressRule", "SecurityGroupEgressRule")]
    for rule in rules:
        assert rule.inputs["securityGroupId"] == rule.inputs["referencedSecurityGroupId"] == "gpu-efa-id"
        assert rule.inputs["ipProtocol"] == "-1"
        assert not {"cidrIpv4", "cidrIpv6", "prefixListId", "fromPort", "toPort"} & set(rule.inputs)


def test_no_group_where_there_is_no_efa():
    assert group().of("SecurityGroup") == []


def test_nodes_with_efa_say_so():
    deployment = group(P5_WITH_EFA)

    assert deployment.one("NodeGroup").inputs["labels"]["vpc.amazonaws.com/efa.present"] == "true"
    assert "vpc.amazonaws.com/efa.present" not in group().one("NodeGroup").inputs["labels"]


def test_efa_on_a_capacity_block():
    deployment = group({**block(), "efa": {"enabled": True}})

    assert len(deployment.one("LaunchTemplate").inputs["networkInterfaces"]) == 33
    assert deployment.one("NodeGroup").inputs["capacityType"] == "CAPACITY_BLOCK"
