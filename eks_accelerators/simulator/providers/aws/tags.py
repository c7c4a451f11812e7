"""Tags between Pulumi's mappings and the lists of the EC2 API."""

from collections.abc import Iterable, Mapping
from typing import Any

from eks_accelerators.simulator.providers.calls import Calls

CALLS = frozenset({"ec2.create_tags", "ec2.delete_tags"})
"""What `retag` asks of AWS."""


def specification(kind: str, tags: Mapping[str, str] | None) -> dict[str, Any]:
    """`TagSpecifications` of a creation, as keyword arguments; nothing where there are no tags."""
    if not tags:
        return {}
    return {"TagSpecifications": [{"ResourceType": kind, "Tags": pairs(tags)}]}


def pairs(tags: Mapping[str, str]) -> list[dict[str, str]]:
    """``tags`` as the list of `Key` and `Value` that EC2 and others take."""
    return [{"Key": key, "Value": value} for key, value in sorted(tags.items())]


def mapping(listed: Iterable[Mapping[str, str]] | None) -> dict[str, str]:
    """The mapping that Pulumi shows; AWS's own tags are left out, as the provider leaves them out."""
    return {tag["Key"]: tag["Value"] for tag in listed or () if not tag["Key"].startswith("aws:")}


def changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[list[str], dict[str, str]]:
    """Keys of the tags that are gone from ``old`` to ``new``, and the tags that are new or have another value."""
    before, after = old.get("tags") or {}, new.get("tags") or {}
    return sorted(set(before) - set(after)), {key: value for key, value in after.items() if before.get(key) != value}


def retag(aws: Calls, identifier: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
    """Make the tags of an EC2 resource those of ``new``."""
    gone, changed = changes(old, new)
    if gone:
        aws.call("ec2", "delete_tags", Resources=[identifier], Tags=[{"Key": key} for key in gone])
    if changed:
        aws.call("ec2", "create_tags", Resources=[identifier], Tags=pairs(changed))


def retag_by_arn(
    aws: Calls, service: str, arn: str, old: Mapping[str, Any], new: Mapping[str, Any], key: str = "ResourceARN"
) -> None:
    """Make the tags of a resource those of ``new`` in a service that names resources by their ARN, in the member ``key``."""
    gone, changed = changes(old, new)
    if gone:
        aws.call(service, "untag_resource", **{key: arn}, TagKeys=gone)
    if changed:
        aws.call(service, "tag_resource", **{key: arn}, Tags=pairs(changed))


def retag_by_mapping(aws: Calls, service: str, arn: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
    """Make the tags of a resource those of ``new`` in a service that takes tags as a mapping, as EKS does."""
    gone, changed = changes(old, new)
    if gone:
        aws.call(service, "untag_resource", resourceArn=arn, tagKeys=gone)
    if changed:
        aws.call(service, "tag_resource", resourceArn=arn, tags=changed)


def of_resource(aws: Calls, identifier: str) -> dict[str, str]:
    """The tags that an EC2 resource has."""
    found = aws.call("ec2", "describe_tags", Filters=[{"Name": "resource-id", "Values": [identifier]}])
    return mapping(found["Tags"])
