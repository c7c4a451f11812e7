"""FSx for Lustre."""

from typing import Any

from eks_accelerators.simulator.chapters import Chapter
from eks_accelerators.simulator.providers.aws import tags
from eks_accelerators.simulator.providers.calls import Calls
from eks_accelerators.simulator.providers.kind import Created, Kind
from eks_accelerators.simulator.providers.resource_facts import Permissions, ResourceFacts, UsualTime

CHAPTER = Chapter(
    __doc__,
    source=(
        "pulumi-aws 7.51, documentation of its resources; FSx API (botocore 1.44.5): what `UpdateFileSystem` takes changes in place; "
        "that the rest replaces is believed; read 2026-11-22."
    ),
)

_LUSTRE = {
    "automaticBackupRetentionDays": "AutomaticBackupRetentionDays",
    "dataCompressionType": "DataCompressionType",
    "deploymentType": "DeploymentType",
    "efaEnabled": "EfaEnabled",
    "perUnitStorageThroughput": "PerUnitStorageThroughput",
}
_METADATA = {"mode": "Mode", "iops": "Iops"}
_UPDATED = frozenset({"automaticBackupRetentionDays", "dataCompressionType", "perUnitStorageThroughput"})


class LustreFileSystemKind(Kind):
    """`aws.fsx.LustreFileSystem` on SSD. It goes without a last backup, whatever `skipFinalBackup` says."""

    token = "aws:fsx/lustreFileSystem:LustreFileSystem"
    properties = frozenset(
        {
            *_LUSTRE,
            "fileSystemTypeVersion",
            "kmsKeyId",
            "metadataConfiguration",
            "securityGroupIds",
            "skipFinalBackup",
            "storageCapacity",
            "storageType",
            "subnetIds",
            "tags",
        }
    )
    inside = {"metadataConfiguration": frozenset(_METADATA)}
    changeable = frozenset({*_UPDATED, "metadataConfiguration", "skipFinalBackup", "storageCapacity", "tags"})
    calls = frozenset(
        {
            "fsx.create_file_system",
            "fsx.delete_file_system",
            "fsx.describe_file_systems",
            "fsx.tag_resource",
            "fsx.untag_resource",
            "fsx.update_file_system",
        }
    )
    facts = ResourceFacts(
        called="FSx for Lustre",
        replacing=(
            "deploymentType",
            "efaEnabled",
            "fileSystemTypeVersion",
            "kmsKeyId",
            "securityGroupIds",
            "storageType",
            "subnetIds",
        ),
        grave={"replace": "what is on it is lost", "remove": "what is on it is lost"},
        scope="lustre",
        permissions=(
            Permissions("any", ("fsx:DescribeFileSystems", "ec2:GetSecurityGroupsForVpc")),
            Permissions("lustre", ("fsx:ListTagsForResource",)),
        ),
        durations={
            "create": UsualTime(330, "estimate-fsx"),
            "update": UsualTime(60, "estimate-fsx"),
            "delete": UsualTime(170, "estimate-fsx"),
        },
        sources={
            "estimate-fsx": "estimate: github.com/hashicorp/terraform-provider-aws pull 7074: a file system made and destroyed in 506 s; how these are divided is estimated; read 2026-11-22"
        },
    )

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        made = aws.call(
            "fsx",
            "create_file_system",
            FileSystemType="LUSTRE",
            StorageCapacity=int(inputs["storageCapacity"]),
            SubnetIds=[inputs["subnetIds"]],
            LustreConfiguration=_configuration(inputs, set(_LUSTRE)),
            Tags=tags.pairs(inputs.get("tags", {})),
            **_given(
                inputs,
                {
                    "fileSystemTypeVersion": "FileSystemTypeVersion",
                    "kmsKeyId": "KmsKeyId",
                    "securityGroupIds": "SecurityGroupIds",
                    "storageType": "StorageType",
                },
            ),
        )["FileSystem"]
        return Created(
            made["FileSystemId"],
            {
                "arn": made["ResourceARN"],
                "dnsName": made["DNSName"],
                "mountName": made["LustreConfiguration"]["MountName"],
            },
        )

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        (found,) = aws.call("fsx", "describe_file_systems", FileSystemIds=[identifier])["FileSystems"]
        lustre = found["LustreConfiguration"]
        metadata = lustre.get("MetadataConfiguration")
        return {
            "storageCapacity": found["StorageCapacity"],
            "subnetIds": found["SubnetIds"][0],
            "tags": tags.mapping(found["Tags"]),
            **{name: lustre.get(key) for name, key in _LUSTRE.items()},
            **({"metadataConfiguration": _given(metadata, {v: k for k, v in _METADATA.items()})} if metadata else {}),
        }

    def update(self, aws: Calls, identifier: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        lustre = _configuration(new, _UPDATED)
        if (old["storageCapacity"], _configuration(old, _UPDATED)) != (new["storageCapacity"], lustre):
            capacity = int(new["storageCapacity"])
            given = {"FileSystemId": identifier, "StorageCapacity": capacity, "LustreConfiguration": lustre}
            aws.call("fsx", "update_file_system", **given)
        (found,) = aws.call("fsx", "describe_file_systems", FileSystemIds=[identifier])["FileSystems"]
        tags.retag_by_arn(aws, "fsx", found["ResourceARN"], old, new)
        return {}

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        aws.call("fsx", "delete_file_system", FileSystemId=identifier)


def _configuration(inputs: dict[str, Any], names: set[str] | frozenset[str]) -> dict[str, Any]:
    """`LustreConfiguration` of the properties ``names``."""
    known = _given(inputs, {name: _LUSTRE[name] for name in names})
    metadata = inputs.get("metadataConfiguration")
    return {**known, **({"MetadataConfiguration": _given(metadata, _METADATA)} if metadata else {})}


def _given(inputs: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    """Members of AWS's API for the properties that are given. Pulumi's numbers are all of one kind, AWS wants whole ones."""
    return {
        member: int(inputs[name]) if isinstance(inputs[name], float) else inputs[name]
        for name, member in names.items()
        if name in inputs
    }


KINDS: tuple[Kind, ...] = (LustreFileSystemKind(),)
