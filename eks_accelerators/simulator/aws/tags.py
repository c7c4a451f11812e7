"""Tags on what EC2 has in the account: on our own records here, on all else in moto."""

from collections.abc import Callable
from typing import Any

from eks_accelerators.simulator.aws.backend import Backend
from eks_accelerators.simulator.aws.operations import operations_of
from eks_accelerators.simulator.chapters import Chapter

operation = operations_of(Chapter(__doc__, source="EC2 API (botocore 1.44.5)."))


@operation("ec2", "create_tags")
def create_tags(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Set tags of resources of EC2, of any kind."""
    given = {tag["Key"]: tag["Value"] for tag in parameters["Tags"]}
    return _change(account, "create_tags", parameters, lambda tags: {**tags, **given})


@operation("ec2", "delete_tags")
def delete_tags(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Remove tags from resources of EC2, of any kind."""
    gone = {tag["Key"] for tag in parameters["Tags"]}
    return _change(
        account,
        "delete_tags",
        parameters,
        lambda tags: {key: value for key, value in tags.items() if key not in gone},
    )


def _change(
    account: Backend, name: str, parameters: dict[str, Any], changed: Callable[[dict[str, str]], dict[str, str]]
) -> dict[str, Any]:
    state, resources = account.state, set(parameters["Resources"])
    groups = [group for group in state.placement_groups.values() if group["GroupId"] in resources]
    blocks = [block for block in state.blocks.values() if block.id in resources]
    instances = [each for each in state.fleet if each.instance.id in resources]
    ours = [*(group["GroupId"] for group in groups), *(b.id for b in blocks), *(i.instance.id for i in instances)]
    others = resources - set(ours)
    if others:
        account.moto("ec2", name, {**parameters, "Resources": sorted(others)})
    for group in groups:
        tags = changed({tag["Key"]: tag["Value"] for tag in group["Tags"]})
        group["Tags"] = [{"Key": key, "Value": value} for key, value in tags.items()]
    for block in blocks:
        block.tags = changed(block.tags)
    for instance in instances:
        instance.tags = changed(instance.tags)
    return {}
