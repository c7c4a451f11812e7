"""Placement groups, which moto does not have."""

import hashlib
from typing import Any

from eks_accelerators.simulator.aws.backend import Backend
from eks_accelerators.simulator.aws.operations import operations_of
from eks_accelerators.simulator.aws.refusals import ApiRefusal
from eks_accelerators.simulator.chapters import Chapter

operation = operations_of(Chapter(__doc__, source="EC2 API (botocore 1.44.5)."))

GROUP_EXISTS = ApiRefusal("InvalidPlacementGroup.Duplicate", "The placement group '{name}' already exists.")
GROUP_IN_USE = ApiRefusal(
    "InvalidPlacementGroup.InUse", "The placement group '{name}' is in use and may not be deleted."
)
NO_GROUP = ApiRefusal("InvalidPlacementGroup.Unknown", "The Placement Group '{name}' is unknown.")


@operation("ec2", "create_placement_group", refusals=(GROUP_EXISTS,))
def create_placement_group(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """A group under a name of its own."""
    name = parameters["GroupName"]
    groups = account.state.placement_groups
    if name in groups:
        raise GROUP_EXISTS(name=name)
    tags = [tag for spec in parameters.get("TagSpecifications", []) for tag in spec.get("Tags", [])]
    groups[name] = {
        "GroupName": name,
        "GroupId": f"pg-{hashlib.sha256(name.encode()).hexdigest()[:17]}",
        "Strategy": parameters["Strategy"],
        "State": "available",
        "Tags": tags,
    }
    return {"PlacementGroup": groups[name]}


@operation("ec2", "describe_placement_groups", refusals=(NO_GROUP,))
def describe_placement_groups(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """The groups called so, or all."""
    names = parameters.get("GroupNames", sorted(account.state.placement_groups))
    return {"PlacementGroups": [_found(account, name) for name in names]}


@operation(
    "ec2",
    "delete_placement_group",
    refusals=(
        GROUP_IN_USE,
        NO_GROUP,
    ),
)
def delete_placement_group(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Refused while instances are in it."""
    name = parameters["GroupName"]
    _found(account, name)
    if any(_placed_in(group.template) == name and group.instances for group in account.state.scaling_groups()):
        raise GROUP_IN_USE(name=name)
    del account.state.placement_groups[name]
    return {}


def _placed_in(template: dict[str, Any]) -> str | None:
    name: str | None = template.get("Placement", {}).get("GroupName")
    return name


def _found(account: Backend, name: str) -> dict[str, Any]:
    if name not in account.state.placement_groups:
        raise NO_GROUP(name=name)
    return account.state.placement_groups[name]
