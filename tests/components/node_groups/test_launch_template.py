"""The launch template: secure by default, and without anything that EKS refuses in it."""

import pytest

from eks_accelerators.components import SystemNodeGroup
from tests.components.examples import deployed
from tests.components.harness import CLUSTER_GROUP, TAGS
from tests.components.node_groups.example import (
    BOTTLEROCKET,
    CUSTOM_IMAGE,
    ONE_ZONE,
    P5_WITH_EFA,
    block,
    group,
    template,
)

EVERY_KIND = [
    pytest.param({}, id="g6"),
    pytest.param(BOTTLEROCKET, id="bottlerocket"),
    pytest.param(P5_WITH_EFA, id="efa"),
    pytest.param({"instance_type": "inf2.48xlarge"}, id="inf2"),
    pytest.param({"capacity_type": "spot"}, id="spot"),
    pytest.param({"capacity_reservation_id": "cr-0123456789abcdef0"}, id="reservation"),
    pytest.param(CUSTOM_IMAGE, id="custom-image"),
    pytest.param(block(), id="capacity-block"),
]


@pytest.mark.parametrize("changes", EVERY_KIND)
def test_what_eks_refuses_is_not_there(changes):
    """EKS API CreateNodegroup: no subnet, no instance profile, no shutdown behaviour, and no public addresses."""
    made = template(changes)

    refused = {"iamInstanceProfile", "instanceInitiatedShutdownBehavior", "hibernationOptions", "securityGroupNames"}
    assert not refused & set(made)
    for interface in made.get("networkInterfaces", []):
        assert not {"subnetId", "associatePublicIpAddress", "ipv4AddressCount", "ipv4PrefixCount"} & set(interface)
    assert ("networkInterfaces" in made) != ("vpcSecurityGroupIds" in made)


@pytest.mark.parametrize("changes", EVERY_KIND)
def test_the_instance_type_is_in_one_place(changes):
    deployment = group(changes)

    in_template = "instanceType" in deployment.one("LaunchTemplate").inputs
    in_group = "instanceTypes" in deployment.one("NodeGroup").inputs
    assert in_template != in_group


@pytest.mark.parametrize("changes", EVERY_KIND)
def test_every_node_speaks_version_2_of_the_metadata_service_only(changes):
    assert template(changes)["metadataOptions"] == {
        "httpEndpoint": "enabled",
        "httpTokens": "required",
        "httpPutResponseHopLimit": 1,
    }


def test_the_hop_limit_can_be_raised():
    made = template({"instance_metadata": {"hop_limit": 2}})

    assert made["metadataOptions"]["httpPutResponseHopLimit"] == 2


GP3 = {"volumeType": "gp3", "encrypted": "true", "deleteOnTermination": "true"}


@pytest.mark.parametrize("changes", EVERY_KIND)
def test_every_volume_is_encrypted_gp3(changes):
    volumes = template(changes)["blockDeviceMappings"]

    root = [{"deviceName": "/dev/xvda", "ebs": {**GP3, "volumeSize": 200}}]
    # Bottlerocket's own volume keeps its size; images and pods are on the other.
    pair = [{"deviceName": "/dev/xvda", "ebs": GP3}, {"deviceName": "/dev/xvdb", "ebs": {**GP3, "volumeSize": 200}}]
    assert volumes == (pair if changes == BOTTLEROCKET else root)


def test_a_disk_of_one_s_own():
    disk = {"size_gib": 500, "type": "io2", "iops": 20000, "kms_key_arn": "arn:aws:kms:us-east-2:123456789012:key/1"}
    (volume,) = template({"disk": disk})["blockDeviceMappings"]

    assert volume["ebs"] == {
        "volumeSize": 500,
        "volumeType": "io2",
        "iops": 20000,
        "encrypted": "true",
        "kmsKeyId": "arn:aws:kms:us-east-2:123456789012:key/1",
        "deleteOnTermination": "true",
    }


@pytest.mark.parametrize("changes", EVERY_KIND)
def test_tags_reach_instances_volumes_and_interfaces(changes):
    tags = {**TAGS, "Name": "gpu"}

    assert template(changes)["tagSpecifications"] == [
        {"resourceType": kind, "tags": tags} for kind in ("instance", "volume", "network-interface")
    ]


@pytest.mark.parametrize("changes", [case for case in EVERY_KIND if case.id != "custom-image"])
def test_no_image_unless_it_is_asked_for(changes):
    """An image in the template would take updates of nodes away from EKS."""
    assert "imageId" not in template(changes)


def test_the_cluster_s_security_group_is_first_and_others_follow():
    made = template({"security_group_ids": ["sg-0123456789abcdef0"]})

    assert made["vpcSecurityGroupIds"] == [CLUSTER_GROUP, "sg-0123456789abcdef0"]


def test_a_reservation_is_the_only_place_to_launch_into():
    made = template({"capacity_reservation_id": "cr-0123456789abcdef0"})

    assert made["capacityReservationSpecification"] == {
        "capacityReservationPreference": "capacity-reservations-only",
        "capacityReservationTarget": {"capacityReservationId": "cr-0123456789abcdef0"},
    }


def test_a_new_version_becomes_the_default_one():
    assert template()["updateDefaultVersion"] is True


@pytest.mark.parametrize(
    ("changes", "placed"),
    [
        pytest.param({}, False, id="without-efa"),
        pytest.param(ONE_ZONE, False, id="one-zone-without-efa"),
        pytest.param(P5_WITH_EFA, True, id="efa-on-demand"),
        pytest.param({**P5_WITH_EFA, "placement_group": "none"}, False, id="switched-off"),
        pytest.param({**P5_WITH_EFA, "capacity_type": "spot"}, False, id="spot"),
        pytest.param({**P5_WITH_EFA, "capacity_reservation_id": "cr-0123456789abcdef0"}, False, id="reservation"),
        pytest.param({**block(), "efa": {"enabled": True}}, False, id="capacity-block"),
        pytest.param({**ONE_ZONE, "placement_group": "cluster"}, True, id="asked-for"),
    ],
)
def test_placed_close_together_only_where_capacity_can_be_found(changes, placed):
    deployment = group(changes)

    groups = deployment.of("PlacementGroup")
    assert [made.inputs["strategy"] for made in groups] == ["cluster"] * placed
    expected = {"groupName": "gpu-1a2b3c4"} if placed else None
    assert deployment.one("LaunchTemplate").inputs.get("placement") == expected


@pytest.mark.parametrize(
    ("instance_type", "ami_type"),
    [
        pytest.param("m7i.large", "AL2023_x86_64_STANDARD", id="intel"),
        pytest.param("m7g.large", "AL2023_ARM_64_STANDARD", id="graviton"),
        pytest.param("t3.large", "AL2023_x86_64_STANDARD", id="burstable"),
    ],
)
def test_system_nodes_are_untainted_and_as_secure(instance_type, ami_type):
    deployment = deployed(SystemNodeGroup, {"instance_types": [instance_type]}, name="system")

    nodes, made = deployment.one("NodeGroup").inputs, deployment.one("LaunchTemplate").inputs
    assert nodes["amiType"] == ami_type
    assert not {"taints", "labels", "nodeGroupName"} & set(nodes)
    assert nodes["launchTemplate"] == {"id": "system-id", "version": "7"}
    assert made["metadataOptions"]["httpTokens"] == "required"
    assert made["blockDeviceMappings"][0]["ebs"]["encrypted"] == "true"
    assert made["vpcSecurityGroupIds"] == [CLUSTER_GROUP]
    assert deployment.one("NodeGroup").ignore_changes == ("scalingConfig.desiredSize",)
