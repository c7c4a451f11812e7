"""Calls as commands that can be repeated by hand."""

from datetime import UTC, datetime

import pytest

from eks_accelerators.capacity.aws_calls import Call
from eks_accelerators.capacity.aws_calls.call import CamelCase, PascalCase

REGION = "us-east-2"


@pytest.mark.parametrize(
    ("call", "command", "name"),
    [
        (
            Call("ec2", "describe_subnets", REGION, "Subnets", list, {"SubnetIds": ["subnet-1", "subnet-2"]}),
            "aws ec2 describe-subnets --region us-east-2 --subnet-ids subnet-1 subnet-2",
            "ec2:DescribeSubnets",
        ),
        (
            Call("ec2", "describe_regions", REGION, "Regions", list, {"AllRegions": True, "DryRun": False}),
            "aws ec2 describe-regions --region us-east-2 --all-regions --no-dry-run",
            "ec2:DescribeRegions",
        ),
        (
            Call("ec2", "describe_images", REGION, "Images", list, {"Filters": [{"Name": "name", "Values": ["a b"]}]}),
            """aws ec2 describe-images --region us-east-2 --filters '[{"Name": "name", "Values": ["a b"]}]'""",
            "ec2:DescribeImages",
        ),
        (
            Call(
                "ec2",
                "describe_capacity_block_offerings",
                REGION,
                "CapacityBlockOfferings",
                list,
                {"CapacityDurationHours": 24, "StartDateRange": datetime(2026, 12, 1, tzinfo=UTC)},
            ),
            "aws ec2 describe-capacity-block-offerings --region us-east-2 --capacity-duration-hours 24 "
            "--start-date-range 2026-12-01T00:00:00+00:00",
            "ec2:DescribeCapacityBlockOfferings",
        ),
        (
            Call("eks", "describe_addon_versions", REGION, "addons", list, {"kubernetesVersion": "1.35"}),
            "aws eks describe-addon-versions --region us-east-2 --kubernetes-version 1.35",
            "eks:DescribeAddonVersions",
        ),
    ],
)
def test_a_call_is_told_as_a_command(call, command, name):
    assert (call.command, call.name) == (command, name)


def test_two_calls_that_ask_the_same_have_the_same_key():
    one = Call("ec2", "describe_subnets", REGION, "Subnets", list, {"SubnetIds": ["a"], "DryRun": False})
    two = Call("ec2", "describe_subnets", REGION, "Subnets", list, {"DryRun": False, "SubnetIds": ["a"]})
    other = Call("ec2", "describe_subnets", REGION, "Subnets", list, {"SubnetIds": ["b"]})

    assert one.key == two.key != other.key


def test_members_are_named_as_the_services_write_them():
    class Zone(PascalCase):
        zone_id: str

    class Version(CamelCase):
        cluster_version: str

    assert Zone.model_validate({"ZoneId": "use2-az1", "State": "available"}).zone_id == "use2-az1"
    assert Version.model_validate({"clusterVersion": "1.35"}).cluster_version == "1.35"
