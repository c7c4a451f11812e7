"""Elastic File System, for pods on any node.

Sources: EFS user guide `network-access` (TCP 2049), `efs-access-points`; aws-efs-csi-driver 3.4.1, examples `access_points`; read
2026-11-22.
"""

from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

from eks_accelerators.components.arguments import EfsStorageArgs
from eks_accelerators.components.base import Component, named
from eks_accelerators.components.file_system_access import NodesAround, Ports, file_system_group, subnet_of_each_zone
from eks_accelerators.components.storage_fate import fate_of
from eks_accelerators.components.storage_validation import nodes_around, resolve_storage
from eks_accelerators.settings.model.storage import Efs

NFS = Ports(2049, 2049)
ROOT = "/storage"
"""Directory of the file system that pods see as its root: the file system's own root belongs to root."""


@dataclass(frozen=True, slots=True)
class EfsInputs:
    """The file system as the settings have it, and the nodes that reach it."""

    storage: Efs
    nodes: NodesAround


class EfsStorage(Component[EfsInputs]):
    """EFS, its security group, a mount target in each zone and an access point. A volume of it is made by
    `StorageVolume`.

    Providers: AWS.

    Alone: A file system for pods on any node: `<file_system_id>::<access_point_id>` is the `volume_handle`.
    """

    file_system_id: pulumi.Output[str]
    """ID of the file system, `fs-...`."""
    arn: pulumi.Output[str]
    """ARN of the file system."""
    access_point_id: pulumi.Output[str]
    """ID of the access point, `fsap-...`, once there are mount targets."""

    def __init__(self, name: str, args: EfsStorageArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        self._create(name, EfsInputs(resolve_storage(Efs, name, args), nodes_around(args)), opts)

    def _create(self, name: str, inputs: EfsInputs, opts: pulumi.ResourceOptions | None) -> None:
        self._register(name, opts)
        storage, nodes = inputs.storage, inputs.nodes
        made = aws.efs.FileSystem(
            name,
            encrypted=True,
            kms_key_id=storage.kms_key_arn,
            availability_zone_name=storage.zone,
            throughput_mode=storage.throughput.value,
            provisioned_throughput_in_mibps=storage.provisioned_mibps,
            tags=named(nodes.tags, name),
            opts=self.child(**fate_of(storage)),
        )
        group = file_system_group(self, name, nodes, (NFS,))
        targets = [
            aws.efs.MountTarget(
                f"{name}-{zone}",
                file_system_id=made.id,
                subnet_id=subnet,
                security_groups=[group.id],
                opts=self.child(),
            )
            for zone, subnet in subnet_of_each_zone(nodes).items()
            if storage.zone in (None, zone)
        ]
        access = aws.efs.AccessPoint(
            name,
            file_system_id=made.id,
            posix_user={"uid": storage.user_id, "gid": storage.user_id},
            root_directory={
                "path": ROOT,
                "creation_info": {"owner_uid": storage.user_id, "owner_gid": storage.user_id, "permissions": "0770"},
            },
            tags=named(nodes.tags, name),
            opts=self.child(depends_on=targets),  # who has the access point can mount
        )
        self.file_system_id, self.arn, self.access_point_id = made.id.apply(str), made.arn, access.id.apply(str)
        self.register_outputs(
            {"file_system_id": self.file_system_id, "arn": self.arn, "access_point_id": self.access_point_id}
        )
