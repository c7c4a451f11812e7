"""Elastic File System: file systems, mount targets, access points."""

from typing import Any

from eks_accelerators.simulator.chapters import Chapter
from eks_accelerators.simulator.providers.aws import tags
from eks_accelerators.simulator.providers.calls import Calls
from eks_accelerators.simulator.providers.kind import Created, Kind
from eks_accelerators.simulator.providers.resource_facts import ONE_CALL, Permissions, ResourceFacts, UsualTime

CHAPTER = Chapter(
    __doc__,
    source=(
        "pulumi-aws 7.51, documentation of its resources; EFS API (botocore 1.44.5), answered by moto; another throughput mode is not "
        "simulated; read 2026-11-22."
    ),
)

_FILE_SYSTEM = {
    "availabilityZoneName": "AvailabilityZoneName",
    "encrypted": "Encrypted",
    "kmsKeyId": "KmsKeyId",
    "provisionedThroughputInMibps": "ProvisionedThroughputInMibps",
    "throughputMode": "ThroughputMode",
}


class FileSystemKind(Kind):
    """`aws.efs.FileSystem`, whose ID is AWS's own."""

    token = "aws:efs/fileSystem:FileSystem"
    properties = frozenset({*_FILE_SYSTEM, "tags"})
    changeable = frozenset({"tags"})
    calls = frozenset(
        {
            "efs.create_file_system",
            "efs.delete_file_system",
            "efs.describe_file_systems",
            "efs.tag_resource",
            "efs.untag_resource",
        }
    )
    facts = ResourceFacts(
        called="EFS",
        replacing=("availabilityZoneName", "encrypted", "kmsKeyId"),
        grave={"replace": "what is on it is lost", "remove": "what is on it is lost"},
        scope="elastic",
        permissions=(
            Permissions("any", ("elasticfilesystem:CreateFileSystem",)),
            Permissions(
                "elastic",
                (
                    "elasticfilesystem:DescribeLifecycleConfiguration",
                    "elasticfilesystem:UpdateFileSystem",
                    "elasticfilesystem:ListTagsForResource",
                ),
            ),
        ),
        durations=ONE_CALL | {"create": UsualTime(12, "steampipe-426"), "delete": UsualTime(2, "estimate-efs")},
        sources={
            "steampipe-426": "github.com/turbot/steampipe-plugin-aws pull 426: terraform apply of a file system, 12 s; read 2026-11-22",
            "estimate-efs": "estimate: seconds, from general knowledge; not measured; 2026-11-22",
        },
    )

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        made = aws.call(
            "efs",
            "create_file_system",
            Tags=tags.pairs(inputs.get("tags", {})),
            **{key: inputs[name] for name, key in _FILE_SYSTEM.items() if name in inputs},
        )
        return Created(
            made["FileSystemId"],
            {
                "arn": made["FileSystemArn"],
                "dnsName": f"{made['FileSystemId']}.efs.{aws.region}.amazonaws.com",
            },
        )

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        (found,) = aws.call("efs", "describe_file_systems", FileSystemId=identifier)["FileSystems"]
        return {"tags": tags.mapping(found["Tags"]), **{name: found.get(key) for name, key in _FILE_SYSTEM.items()}}

    def update(self, aws: Calls, identifier: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        tags.retag_by_arn(aws, "efs", identifier, old, new, key="ResourceId")
        return {}

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        aws.call("efs", "delete_file_system", FileSystemId=identifier)


class MountTargetKind(Kind):
    """`aws.efs.MountTarget`."""

    token = "aws:efs/mountTarget:MountTarget"
    properties = frozenset({"fileSystemId", "securityGroups", "subnetId"})
    changeable = frozenset({"securityGroups"})
    calls = frozenset(
        {
            "efs.create_mount_target",
            "efs.delete_mount_target",
            "efs.describe_mount_target_security_groups",
            "efs.describe_mount_targets",
            "efs.modify_mount_target_security_groups",
        }
    )
    facts = ResourceFacts(
        called="EFS",
        replacing=("fileSystemId", "subnetId"),
        scope="elastic",
        permissions=(
            Permissions(
                "any",
                (
                    "ec2:DescribeSubnets",
                    "ec2:DescribeNetworkInterfaces",
                    "ec2:CreateNetworkInterface",
                    "ec2:DeleteNetworkInterface",
                    "ec2:ModifyNetworkInterfaceAttribute",
                    "ec2:DescribeNetworkInterfaceAttribute",
                ),
            ),
        ),
        durations=ONE_CALL
        | {"create": UsualTime(90, "estimate-mount-target"), "delete": UsualTime(15, "estimate-mount-target")},
        sources={
            "estimate-mount-target": "estimate: a network interface that becomes available, some 90 s, from general knowledge; not measured; 2026-11-22"
        },
    )

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        made = aws.call(
            "efs",
            "create_mount_target",
            FileSystemId=inputs["fileSystemId"],
            SubnetId=inputs["subnetId"],
            SecurityGroups=inputs.get("securityGroups", []),
        )
        return Created(made["MountTargetId"], {"ipAddress": made["IpAddress"]})

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        (found,) = aws.call("efs", "describe_mount_targets", MountTargetId=identifier)["MountTargets"]
        groups = aws.call("efs", "describe_mount_target_security_groups", MountTargetId=identifier)["SecurityGroups"]
        return {"fileSystemId": found["FileSystemId"], "subnetId": found["SubnetId"], "securityGroups": groups}

    def update(self, aws: Calls, identifier: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        groups = new.get("securityGroups", [])
        aws.call("efs", "modify_mount_target_security_groups", MountTargetId=identifier, SecurityGroups=groups)
        return {}

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        aws.call("efs", "delete_mount_target", MountTargetId=identifier)


class AccessPointKind(Kind):
    """`aws.efs.AccessPoint`."""

    token = "aws:efs/accessPoint:AccessPoint"
    properties = frozenset({"fileSystemId", "posixUser", "rootDirectory", "tags"})
    inside = {
        "posixUser": frozenset({"gid", "uid"}),
        "rootDirectory": frozenset({"creationInfo", "path"}),
        "rootDirectory.creationInfo": frozenset({"ownerGid", "ownerUid", "permissions"}),
    }
    changeable = frozenset({"tags"})
    calls = frozenset(
        {
            "efs.create_access_point",
            "efs.delete_access_point",
            "efs.describe_access_points",
            "efs.tag_resource",
            "efs.untag_resource",
        }
    )
    facts = ResourceFacts(
        called="EFS",
        replacing=("fileSystemId", "posixUser", "rootDirectory"),
        scope="elastic",
        permissions=(Permissions("elastic", ("elasticfilesystem:ListTagsForResource",)),),
        durations=ONE_CALL | {"create": UsualTime(2, "estimate-aws-call")},
    )

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        made = aws.call(
            "efs",
            "create_access_point",
            FileSystemId=inputs["fileSystemId"],
            PosixUser=_to_api(inputs["posixUser"]),
            RootDirectory=_to_api(inputs["rootDirectory"]),
            Tags=tags.pairs(inputs.get("tags", {})),
        )
        return Created(made["AccessPointId"], {"arn": made["AccessPointArn"]})

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        (found,) = aws.call("efs", "describe_access_points", AccessPointId=identifier)["AccessPoints"]
        return {
            "fileSystemId": found["FileSystemId"],
            "posixUser": _from_api(found["PosixUser"]),
            "rootDirectory": _from_api(found["RootDirectory"]),
            "tags": tags.mapping(found["Tags"]),
        }

    def update(self, aws: Calls, identifier: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        tags.retag_by_arn(aws, "efs", identifier, old, new, key="ResourceId")
        return {}

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        aws.call("efs", "delete_access_point", AccessPointId=identifier)


def _to_api(value: Any) -> Any:
    """As the API writes it: keys with a capital, whole numbers."""
    if isinstance(value, dict):
        return {f"{key[0].upper()}{key[1:]}": _to_api(item) for key, item in value.items()}
    return int(value) if isinstance(value, float) else value


def _from_api(value: Any) -> Any:
    if isinstance(value, dict):
        return {f"{key[0].lower()}{key[1:]}": _from_api(item) for key, item in value.items()}
    return value


KINDS: tuple[Kind, ...] = (FileSystemKind(), MountTargetKind(), AccessPointKind())
