"""FSx for Lustre, for the nodes of one zone.

Sources: FSx for Lustre user guide `limit-access-security-groups` (ports 988 and 1018 to 1023, from clients and among the file
servers), `efa-file-systems` (with EFA all traffic, to the clients and to itself); aws-fsx-csi-driver 1.9.0 `pkg/driver/node.go`: it
mounts what `dnsname` and `mountname` say; read 2026-11-22.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

from eks_accelerators.components.arguments import LustreStorageArgs
from eks_accelerators.components.base import Component, named
from eks_accelerators.components.file_system_access import EVERYTHING, NodesAround, Ports, file_system_group
from eks_accelerators.components.storage_fate import fate_of
from eks_accelerators.components.storage_validation import nodes_around, resolve_storage
from eks_accelerators.components.wiring import SubnetArgs
from eks_accelerators.settings.model.storage import FsxLustre, LustreDeployment, OnDestroy

_PORTS = (Ports(988, 988), Ports(1018, 1023))
_VERSION = "2.15"
"""Of Lustre: PERSISTENT_2 needs 2.12 at least, and the clients of AL2023 speak 2.15."""


@dataclass(frozen=True, slots=True)
class LustreInputs:
    """The file system as the settings have it, and the nodes that reach it."""

    storage: FsxLustre
    nodes: NodesAround


class LustreStorage(Component[LustreInputs]):
    """FSx for Lustre and its security group. A volume of it is made by `StorageVolume`.

    Providers: AWS.

    Alone: A file system for the nodes of one zone. Capacity, throughput and what goes with them are judged as in a
    stack file.
    """

    file_system_id: pulumi.Output[str]
    """ID of the file system, `fs-...`."""
    arn: pulumi.Output[str]
    """ARN of the file system."""
    dns_name: pulumi.Output[str]
    """Where clients reach it."""
    mount_name: pulumi.Output[str]
    """Name by which clients mount it, which AWS chooses."""

    def __init__(self, name: str, args: LustreStorageArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        self._create(name, LustreInputs(resolve_storage(FsxLustre, name, args), nodes_around(args)), opts)

    def _create(self, name: str, inputs: LustreInputs, opts: pulumi.ResourceOptions | None) -> None:
        self._register(name, opts)
        storage, nodes = inputs.storage, inputs.nodes
        is_kept = storage.deployment_type is LustreDeployment.PERSISTENT_2
        group = file_system_group(
            self,
            name,
            nodes,
            (EVERYTHING,) if storage.efa else _PORTS,
            among_itself=True,
            is_kept=storage.fate is OnDestroy.KEEP,
        )
        made = aws.fsx.LustreFileSystem(
            name,
            subnet_ids=subnet_in(nodes.subnets, storage.zone),
            security_group_ids=[group.id],
            deployment_type=storage.deployment_type.value,
            storage_type="SSD",
            storage_capacity=storage.capacity_gib,
            per_unit_storage_throughput=storage.throughput_mibps_per_tib,
            file_system_type_version=_VERSION,
            data_compression_type="LZ4" if storage.compression else "NONE",
            automatic_backup_retention_days=storage.backup_retention_days if is_kept else None,
            efa_enabled=storage.efa or None,
            metadata_configuration=_metadata(storage) if is_kept else None,
            kms_key_id=storage.kms_key_arn,
            skip_final_backup=True,  # a backup would outlive the stack, and cost, without anybody knowing of it
            tags=named(nodes.tags, name),
            opts=self.child(**fate_of(storage)),
        )
        self.file_system_id, self.arn = made.id.apply(str), made.arn
        self.dns_name, self.mount_name = made.dns_name, made.mount_name
        self.register_outputs(
            {
                "file_system_id": self.file_system_id,
                "arn": self.arn,
                "dns_name": self.dns_name,
                "mount_name": self.mount_name,
            }
        )


def _metadata(storage: FsxLustre) -> "aws.fsx.LustreFileSystemMetadataConfigurationArgs":
    """IOPS for metadata, which EFA needs to be said."""
    if storage.metadata_iops:
        return aws.fsx.LustreFileSystemMetadataConfigurationArgs(mode="USER_PROVISIONED", iops=storage.metadata_iops)
    return aws.fsx.LustreFileSystemMetadataConfigurationArgs(mode="AUTOMATIC")


def subnet_in(subnets: Sequence[SubnetArgs], zone: str) -> pulumi.Input[str]:
    """The subnet of a zone, which a rule has made sure of."""
    return next(subnet["id"] for subnet in subnets if subnet["zone"] == zone)
