"""Accounts for tests: one with a network in three zones, roles, a cluster and its add-ons."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from eks_accelerators.simulator.aws.account import Account
from eks_accelerators.simulator.aws.errors import AwsError

NOW = datetime(2026, 11, 23, 9, 0, tzinfo=UTC)
"""A Monday. The clock of every account begins here."""
REGION = "us-east-2"
ZONES = ("us-east-2a", "us-east-2b", "us-east-2c")
CLUSTER, VERSION = "ml", "1.35"

RESERVATION, PENDING, PAST, ELSEWHERE = (f"cr-0123456789abcde{digit}0" for digit in "0123")
START = datetime(2026, 12, 1, 11, 30, tzinfo=UTC)


def reservation(identifier: str = RESERVATION, **changes: Any) -> dict[str, Any]:
    """A Capacity Block as an account file says it: four p5.48xlarge in zone a, for a day from `START`."""
    return {
        "id": identifier,
        "instanceType": "p5.48xlarge",
        "instanceCount": 4,
        "zone": "us-east-2a",
        "start": START.isoformat(),
        "end": (START + timedelta(days=1)).isoformat(),
        **changes,
    }


def offering(identifier: str = "cb-0123456789abcdef0", **changes: Any) -> dict[str, Any]:
    """A Capacity Block on sale."""
    return {
        "id": identifier,
        "instanceType": "p5.48xlarge",
        "instanceCount": 4,
        "zone": "us-east-2a",
        "start": START.isoformat(),
        "durationHours": 48,
        "upfrontFeeUsd": "8000.50",
        **changes,
    }


@contextmanager
def opened(
    folder: Path, world: Mapping[str, Any] | None = None, *, region: str = REGION, now: datetime = NOW
) -> Iterator[Account]:
    """The account in ``folder``, set up with ``world`` where it is new."""
    with Account(folder / "aws.jsonl", region, now) as account:
        if world and account.is_new:
            account.set_up(world)
        yield account


@dataclass(frozen=True)
class Place:
    """An account with a cluster: its private subnets by zone, and the role of its nodes."""

    aws: Account
    vpc: str
    subnets: dict[str, str]
    role: str

    def request(self, **changes: Any) -> dict[str, Any]:
        """A node group of one g6.2xlarge that EKS takes; ``changes`` to it, None removes a parameter."""
        wanted = {
            "clusterName": CLUSTER,
            "nodegroupName": "gpu",
            "nodeRole": self.role,
            "subnets": [self.subnets["us-east-2a"]],
            "instanceTypes": ["g6.2xlarge"],
            "amiType": "AL2023_x86_64_NVIDIA",
            "scalingConfig": {"minSize": 0, "desiredSize": 1, "maxSize": 2},
            **changes,
        }
        return {key: value for key, value in wanted.items() if value is not None}

    def template(self, data: Mapping[str, Any]) -> dict[str, str]:
        """A reference to a new launch template with ``data``."""
        name = f"template-{self.aws.calls}"
        made = self.aws.call("ec2", "create_launch_template", LaunchTemplateName=name, LaunchTemplateData=dict(data))
        return {"id": made["LaunchTemplate"]["LaunchTemplateId"], "version": "1"}

    def create(self, **changes: Any) -> dict[str, Any]:
        """Create the node group of `request`."""
        found: dict[str, Any] = self.aws.call("eks", "create_nodegroup", **self.request(**changes))["nodegroup"]
        return found

    def group(self, name: str = "gpu") -> dict[str, Any]:
        """The node group as EKS describes it."""
        found: dict[str, Any] = self.aws.call("eks", "describe_nodegroup", clusterName=CLUSTER, nodegroupName=name)
        return dict(found["nodegroup"])

    def delete(self, name: str = "gpu") -> None:
        """Delete the node group called so."""
        self.aws.call("eks", "delete_nodegroup", clusterName=CLUSTER, nodegroupName=name)

    def sizes(self, name: str = "gpu") -> tuple[int, int, int, int]:
        """Min, desired and max of a node group, and how many instances run."""
        config = self.group(name)["scalingConfig"]
        scaling = self.aws.state.clusters[CLUSTER].node_groups[name].scaling
        return config["minSize"], config["desiredSize"], config["maxSize"], len(scaling.instances)

    def zones(self, name: str = "gpu") -> list[str]:
        """Zones of the instances of a node group."""
        scaling = self.aws.state.clusters[CLUSTER].node_groups[name].scaling
        return [instance.zone for instance in scaling.instances]


def furnish(aws: Account, *, version: str = VERSION, addons: tuple[str, ...] = ("vpc-cni", "kube-proxy")) -> Place:
    """Put a network, roles and a cluster into the account."""
    vpc = aws.call("ec2", "create_vpc", CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    subnets = {
        zone: aws.call("ec2", "create_subnet", VpcId=vpc, CidrBlock=f"10.0.{index}.0/24", AvailabilityZone=zone)[
            "Subnet"
        ]["SubnetId"]
        for index, zone in enumerate(ZONES)
    }
    aws.call(
        "eks",
        "create_cluster",
        name=CLUSTER,
        version=version,
        roleArn=role(aws, "control-plane", "eks.amazonaws.com"),
        resourcesVpcConfig={"subnetIds": list(subnets.values())},
        accessConfig={"authenticationMode": "API"},
        bootstrapSelfManagedAddons=False,
    )
    for addon in addons:
        aws.call("eks", "create_addon", clusterName=CLUSTER, addonName=addon)
    return Place(aws, vpc, subnets, role(aws, "node", "ec2.amazonaws.com"))


def role(aws: Account, name: str, service: str) -> str:
    """ARN of a new role that ``service`` may assume."""
    statement = {"Effect": "Allow", "Principal": {"Service": service}, "Action": "sts:AssumeRole"}
    document = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    arn: str = aws.call("iam", "create_role", RoleName=name, AssumeRolePolicyDocument=document)["Role"]["Arn"]
    return arn


def refused(place: Place, name: str, parameters: Mapping[str, Any], service: str = "eks") -> tuple[str, str]:
    """Code and words of a refusal, after which nothing is different."""
    before = repr(place.aws.state), place.aws._entries
    with pytest.raises(AwsError) as refusal:
        place.aws.call(service, name, **parameters)
    assert (repr(place.aws.state), place.aws._entries) == before
    return refusal.value.code, refusal.value.message
