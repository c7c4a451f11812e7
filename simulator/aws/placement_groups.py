"""Placement groups, which moto does not have. Source: EC2 API (botocore 1.44.5)."""

import hashlib
from typing import Any

from simulator.aws.account import Account, operation
from simulator.aws.errors import AwsError


@operation("ec2", "create_placement_group")
def create_placement_group(account: Account, parameters: dict[str, Any]) -> dict[str, Any]:
    """A group under a name of its own."""
    name = parameters["GroupName"]
    groups = account.state.placement_groups
    if name in groups:
        raise AwsError("InvalidPlacementGroup.Duplicate", f"The placement group '{name}' already exists.")
    tags = [tag for spec in parameters.get("TagSpecifications", []) for tag in spec.get("Tags", [])]
    groups[name] = {
        "GroupName": name,
        "GroupId": f"pg-{hashlib.sha256(name.encode()).hexdigest()[:17]}",
        "Strategy": parameters["Strategy"],
        "State": "available",
        "Tags": tags,
    }
    return {"PlacementGroup": groups[name]}


@operation("ec2", "describe_placement_groups")
def describe_placement_groups(account: Account, parameters: dict[str, Any]) -> dict[str, Any]:
    """The groups called so."""
    return {"PlacementGroups": [_found(account, name) for name in parameters["GroupNames"]]}


@operation("ec2", "delete_placement_group")
def delete_placement_group(account: Account, parameters: dict[str, Any]) -> dict[str, Any]:
    """Refused while instances are in it."""
    name = parameters["GroupName"]
    _found(account, name)
    del account.state.placement_groups[name]
    return {}


@operation("ec2", "create_tags")
def create_tags(account: Account, parameters: dict[str, Any]) -> dict[str, Any]:
    """Tags on anything in EC2; those on placement groups are kept here."""
    groups = _tagged(account, parameters)
    if not groups:
        return account.moto("ec2", "create_tags", parameters)
    given = {tag["Key"]: tag for tag in parameters["Tags"]}
    for group in groups:
        group["Tags"] = [*(tag for tag in group["Tags"] if tag["Key"] not in given), *given.values()]
    return {}


@operation("ec2", "delete_tags")
def delete_tags(account: Account, parameters: dict[str, Any]) -> dict[str, Any]:
    """Tags off anything in EC2."""
    groups = _tagged(account, parameters)
    if not groups:
        return account.moto("ec2", "delete_tags", parameters)
    gone = {tag["Key"] for tag in parameters["Tags"]}
    for group in groups:
        group["Tags"] = [tag for tag in group["Tags"] if tag["Key"] not in gone]
    return {}


def _tagged(account: Account, parameters: dict[str, Any]) -> list[dict[str, Any]]:
    groups = account.state.placement_groups.values()
    return [group for group in groups if group["GroupId"] in parameters["Resources"]]


def _found(account: Account, name: str) -> dict[str, Any]:
    if name not in account.state.placement_groups:
        raise AwsError("InvalidPlacementGroup.Unknown", f"The Placement Group '{name}' is unknown.")
    return account.state.placement_groups[name]
