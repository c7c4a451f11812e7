"""S3 Files: file systems over buckets, and their mount targets."""

from typing import Any

from eks_accelerators.simulator.chapters import Chapter
from eks_accelerators.simulator.providers.aws import tags
from eks_accelerators.simulator.providers.aws.elastic_file_systems import MountTargetKind
from eks_accelerators.simulator.providers.calls import Calls
from eks_accelerators.simulator.providers.kind import Created, Kind
from eks_accelerators.simulator.providers.resource_facts import ONE_CALL, Permissions, ResourceFacts, UsualTime

CHAPTER = Chapter(
    __doc__,
    source="pulumi-aws 7.51, documentation of its resources; S3 Files API (botocore 1.44.5); read 2026-11-22.",
)

_FILE_SYSTEM = ("bucket", "prefix", "roleArn")


class FilesFileSystemKind(Kind):
    """`aws.s3.FilesFileSystem`, whose ID is AWS's own."""

    token = "aws:s3/filesFileSystem:FilesFileSystem"
    properties = frozenset({*_FILE_SYSTEM, "tags"})
    changeable = frozenset({"tags"})
    calls = frozenset(
        {
            "s3files.create_file_system",
            "s3files.delete_file_system",
            "s3files.get_file_system",
            "s3files.tag_resource",
            "s3files.untag_resource",
        }
    )
    facts = ResourceFacts(
        called="S3 Files",
        replacing=("acceptBucketWarning", "bucket", "kmsKeyId", "prefix", "roleArn"),
        permissions=(Permissions("any", ("s3files:ListTagsForResource",)),),
        durations=ONE_CALL
        | {"create": UsualTime(60, "estimate-s3-files"), "delete": UsualTime(60, "estimate-s3-files")},
        sources={
            "estimate-s3-files": "estimate: nothing is published; as long as a network interface takes; 2026-11-22"
        },
    )

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        given = {name: inputs[name] for name in _FILE_SYSTEM if name in inputs}
        made = aws.call("s3files", "create_file_system", **given, tags=_pairs(inputs.get("tags", {})))
        return Created(made["fileSystemId"], {"arn": made["fileSystemArn"]})

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        found = aws.call("s3files", "get_file_system", fileSystemId=identifier)
        known = {tag["key"]: tag["value"] for tag in found["tags"]}
        return {"tags": known, **{name: found.get(name) for name in _FILE_SYSTEM}}

    def update(self, aws: Calls, identifier: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        gone, changed = tags.changes(old, new)
        if gone:
            aws.call("s3files", "untag_resource", resourceId=identifier, tagKeys=gone)
        if changed:
            aws.call("s3files", "tag_resource", resourceId=identifier, tags=_pairs(changed))
        return {}

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        aws.call("s3files", "delete_file_system", fileSystemId=identifier)


class FilesMountTargetKind(Kind):
    """`aws.s3.FilesMountTarget`."""

    token = "aws:s3/filesMountTarget:FilesMountTarget"
    properties = frozenset({"fileSystemId", "securityGroups", "subnetId"})
    changeable = frozenset({"securityGroups"})
    calls = frozenset(
        {
            "s3files.create_mount_target",
            "s3files.delete_mount_target",
            "s3files.get_mount_target",
            "s3files.update_mount_target",
        }
    )
    facts = ResourceFacts(
        called="S3 Files",
        replacing=("fileSystemId", "ipAddressType", "ipv4Address", "ipv6Address", "subnetId"),
        permissions=(
            Permissions(
                "any",
                (
                    "s3files:ListMountTargets",
                    "ec2:DescribeSubnets",
                    "ec2:CreateNetworkInterface",
                    "ec2:DeleteNetworkInterface",
                    "ec2:ModifyNetworkInterfaceAttribute",
                ),
            ),
        ),
        durations=MountTargetKind.facts.durations,
        sources={
            "estimate-mount-target": "estimate: a network interface that becomes available, as with EFS; not measured; 2026-11-22"
        },
    )

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        given = {name: inputs[name] for name in self.properties if name in inputs}
        return Created(aws.call("s3files", "create_mount_target", **given)["mountTargetId"])

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        found = aws.call("s3files", "get_mount_target", mountTargetId=identifier)
        return {name: found[name] for name in self.properties}

    def update(self, aws: Calls, identifier: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        groups = new.get("securityGroups", [])
        aws.call("s3files", "update_mount_target", mountTargetId=identifier, securityGroups=groups)
        return {}

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        aws.call("s3files", "delete_mount_target", mountTargetId=identifier)


def _pairs(mapping: dict[str, str]) -> list[dict[str, str]]:
    return [{"key": key, "value": value} for key, value in sorted(mapping.items())]


KINDS: tuple[Kind, ...] = (FilesFileSystemKind(), FilesMountTargetKind())
