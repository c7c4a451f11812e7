"""S3 Files: a file system over a bucket that is there.

Sources: S3 user guide `s3-files-prereq-policies` (the role that S3 Files takes, and what it may do; versioning; TCP 2049) and
`s3-files-security-iam` (what clients need); botocore 1.44.5 `s3files`; aws-efs-csi-driver 3.4.1, examples `s3files`; read 2026-11-22.
"""

import json
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

from eks_accelerators.accelerators.partitions import partition_of
from eks_accelerators.components.arguments import S3FilesStorageArgs
from eks_accelerators.components.base import Component, named
from eks_accelerators.components.efs_storage import NFS
from eks_accelerators.components.file_system_access import NodesAround, file_system_group, subnet_of_each_zone
from eks_accelerators.components.roles import trust_policy
from eks_accelerators.components.storage_fate import fate_of
from eks_accelerators.components.storage_policies import bucket_arn, synchronization
from eks_accelerators.components.storage_validation import nodes_around, resolve_storage
from eks_accelerators.settings.model.storage import S3Files


@dataclass(frozen=True, slots=True)
class S3FilesInputs:
    """The file system as the settings have it, and the nodes that reach it."""

    storage: S3Files
    region: str
    nodes: NodesAround


class S3FilesStorage(Component[S3FilesInputs]):
    """S3 Files over a bucket that is there: the file system, the role by which it reads and writes the bucket, its
    security group, and a mount target in each zone. A volume of it is made by `StorageVolume`.

    Providers: AWS.

    Alone: A file system over a bucket: `s3files:<file_system_id>` is the `volume_handle`.
    """

    file_system_id: pulumi.Output[str]
    """ID of the file system, `fs-...`, once there are mount targets."""
    arn: pulumi.Output[str]
    """ARN of the file system."""

    def __init__(self, name: str, args: S3FilesStorageArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        storage = resolve_storage(S3Files, name, args)
        self._create(name, S3FilesInputs(storage, args["region"], nodes_around(args)), opts)

    def _create(self, name: str, inputs: S3FilesInputs, opts: pulumi.ResourceOptions | None) -> None:
        self._register(name, opts)
        storage, nodes, partition = inputs.storage, inputs.nodes, partition_of(inputs.region)
        role = aws.iam.Role(
            f"{name}-s3-files",
            assume_role_policy=trust_policy("elasticfilesystem.amazonaws.com", "sts:AssumeRole"),
            tags=nodes.tags,
            opts=self.child(),
        )
        rights = aws.iam.RolePolicy(
            f"{name}-s3-files",
            role=role.name,
            policy=json.dumps(synchronization(partition, storage.bucket, storage.prefix)),
            opts=self.child(),
        )
        made = aws.s3.FilesFileSystem(
            name,
            bucket=bucket_arn(partition, storage.bucket),
            prefix=storage.prefix,
            role_arn=role.arn,
            tags=named(nodes.tags, name),
            opts=self.child(depends_on=[rights], **fate_of(storage)),
        )
        group = file_system_group(self, name, nodes, (NFS,))
        targets = [
            aws.s3.FilesMountTarget(
                f"{name}-{zone}",
                file_system_id=made.id,
                subnet_id=subnet,
                security_groups=[group.id],
                opts=self.child(),
            )
            for zone, subnet in subnet_of_each_zone(nodes).items()
        ]
        mountable = pulumi.Output.all(made.id, *[target.id for target in targets])
        self.file_system_id, self.arn = mountable.apply(lambda known: str(known[0])), made.arn
        self.register_outputs({"file_system_id": self.file_system_id, "arn": self.arn})
