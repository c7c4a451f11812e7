"""What programs look up in the account: the provider's invokes."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import botocore.loaders

from eks_accelerators.simulator.aws.errors import AwsError, NotSimulatedError
from eks_accelerators.simulator.aws.model import ACCOUNT_ID
from eks_accelerators.simulator.chapters import Chapter
from eks_accelerators.simulator.providers.aws.capacity_block import described, reservation_properties
from eks_accelerators.simulator.providers.aws.eks_cluster import properties_of
from eks_accelerators.simulator.providers.aws.tags import mapping
from eks_accelerators.simulator.providers.calls import Calls

CHAPTER = Chapter(__doc__, source="pulumi-aws 7.51, arguments and results of its look-ups, read 2026-11-21.")

_LISTED = {
    "accessConfig": "accessConfigs",
    "certificateAuthority": "certificateAuthorities",
    "kubernetesNetworkConfig": "kubernetesNetworkConfigs",
    "upgradePolicy": "upgradePolicies",
}
"""What the look-up has as a list of one, under another name."""


def get_cluster(aws: Calls, arguments: dict[str, Any]) -> dict[str, Any]:
    """`aws.eks.get_cluster`."""
    cluster = aws.call("eks", "describe_cluster", name=arguments["name"])["cluster"]
    found = properties_of(cluster)
    del found["encryptionConfig"]
    listed = {name: [found.pop(key)] for key, name in _LISTED.items()}
    return {**found, **listed, "id": cluster["name"], "region": aws.region}


def get_subnets(aws: Calls, arguments: dict[str, Any]) -> dict[str, Any]:
    """`aws.ec2.get_subnets`."""
    filters = [{"Name": each["name"], "Values": each["values"]} for each in arguments.get("filters", [])]
    found = aws.call("ec2", "describe_subnets", Filters=filters)["Subnets"]
    return {"id": aws.region, "region": aws.region, "ids": [subnet["SubnetId"] for subnet in found]}


def get_capacity_block_reservation(aws: Calls, arguments: dict[str, Any]) -> dict[str, Any]:
    """`aws.ec2.get_capacity_block_reservation`."""
    found = described(aws, arguments["id"])
    if found is None:
        raise AwsError("InvalidCapacityReservationId.NotFound", f"{arguments['id']} does not exist")
    return {
        **reservation_properties(found),
        "availabilityZoneId": found["AvailabilityZoneId"],
        "availableInstanceCount": found["AvailableInstanceCount"],
        "id": arguments["id"],
        "region": aws.region,
        "state": found["State"],
        "tags": {**mapping(found["Tags"]), **{tag["Key"]: tag["Value"] for tag in found["Tags"]}},
    }


def get_caller_identity(_aws: Calls, _arguments: dict[str, Any]) -> dict[str, Any]:
    """`aws.get_caller_identity`."""
    return {
        "id": ACCOUNT_ID,
        "accountId": ACCOUNT_ID,
        "arn": f"arn:aws:iam::{ACCOUNT_ID}:user/simulated",
        "userId": "x",
    }


def get_partition(aws: Calls, _arguments: dict[str, Any]) -> dict[str, Any]:
    """`aws.get_partition`: that of the region, by botocore's own data.

    Its attributes: terraform-provider-aws `internal/service/meta/partition_data_source.go`.
    """
    region = aws.region
    for partition in _partitions():
        if region in partition["regions"] or re.fullmatch(partition["regionRegex"], region):
            suffix = partition["dnsSuffix"]
            return {
                "id": partition["partition"],
                "partition": partition["partition"],
                "dnsSuffix": suffix,
                "reverseDnsPrefix": ".".join(reversed(suffix.split("."))),
            }
    raise NotSimulatedError(f"the simulation does not know the partition of {region}")


@cache
def _partitions() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = botocore.loaders.create_loader().load_data("endpoints")["partitions"]
    return found


@dataclass(frozen=True, slots=True)
class Lookup:
    """One look-up: what answers it, the arguments that the simulation knows, and the calls that it makes."""

    find: Callable[[Calls, dict[str, Any]], dict[str, Any]]
    arguments: frozenset[str]
    calls: frozenset[str] = frozenset()


LOOKUPS: Mapping[str, Lookup] = {
    "aws:eks/getCluster:getCluster": Lookup(get_cluster, frozenset({"name"}), frozenset({"eks.describe_cluster"})),
    "aws:ec2/getSubnets:getSubnets": Lookup(get_subnets, frozenset({"filters"}), frozenset({"ec2.describe_subnets"})),
    "aws:ec2/getCapacityBlockReservation:getCapacityBlockReservation": Lookup(
        get_capacity_block_reservation, frozenset({"id"}), frozenset({"ec2.describe_capacity_reservations"})
    ),
    "aws:index/getPartition:getPartition": Lookup(get_partition, frozenset()),
    "aws:index/getCallerIdentity:getCallerIdentity": Lookup(get_caller_identity, frozenset()),
}
"""Every look-up by its Pulumi type."""
