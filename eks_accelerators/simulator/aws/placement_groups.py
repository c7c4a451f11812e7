"""Placement groups, which moto does not have. Source: EC2 API (botocore 1.44.5)."""

import hashlib
from typing import Any

from eks_accelerators.simulator.aws.backend import Backend
from eks_accelerators.simulator.aws.errors import AwsError
from eks_accelerators.simulator.aws.operations import operation


@operation("ec2", "create_placement_group")
def create_placement_group(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
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
def describe_placement_groups(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """The groups called so, or all."""
    names = parameters.get("GroupNames", sorted(account.state.placement_groups))
    return {"PlacementGroups": [_found(account, name) for name in names]}


@operation("ec2", "delete_placement_group")
def delete_placement_group(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Refused while instances are in it."""
    name = parameters["GroupName"]
    _found(account, name)
    if any(_placed_in(group.template) == name and group.instances for group in account.state.scaling_groups()):
        raise AwsError("InvalidPlacementGroup.InUse", f"The placement group '{name}' is in use and may not be deleted.")
    del account.state.placement_groups[name]
    return {}


def _placed_in(template: dict[str, Any]) -> str | None:
    name: str | None = template.get("Placement", {}).get("GroupName")
    return name


def _found(account: Backend, name: str) -> dict[str, Any]:
    if name not in account.state.placement_groups:
        raise AwsError("InvalidPlacementGroup.Unknown", f"The Placement Group '{name}' is unknown.")
    return account.state.placement_groups[name]
