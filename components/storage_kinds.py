"""What mounts each kind of storage: one entry for each kind of `eks_accelerators.settings.model.storage`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pulumi

from eks_accelerators.accelerators.partitions import partition_of
from eks_accelerators.components import storage_policies
from eks_accelerators.components.efs_storage import EfsInputs, EfsStorage
from eks_accelerators.components.file_system_access import NodesAround
from eks_accelerators.components.lustre_storage import LustreInputs, LustreStorage
from eks_accelerators.components.s3_files_storage import S3FilesInputs, S3FilesStorage
from eks_accelerators.settings.model.storage import Efs, FsxLustre, NodeCache, S3Bucket, S3Files, Storage
from eks_accelerators.settings.storage_use import NODE_DISKS


@dataclass(frozen=True, slots=True)
class StorageSurroundings:
    """The cluster that mounts: its name and region, the nodes, versions of add-ons that are pinned. Names in AWS begin with
    ``prefix``.
    """

    cluster_name: pulumi.Input[str]
    region: str
    nodes: NodesAround
    prefix: str
    addon_versions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Mountable:
    """How a PersistentVolume names a storage, in fields of `VolumeInputs`, and what its driver may do, as a policy document;
    None where it needs no rights.
    """

    volume: dict[str, Any]
    policy: pulumi.Input[dict[str, Any]] | None = None


Making = Callable[[Any, str, StorageSurroundings, pulumi.ResourceOptions], Mountable]
"""Makes a storage of its settings and name in AWS, and says how it is mounted."""


def _lustre(storage: FsxLustre, name: str, around: StorageSurroundings, opts: pulumi.ResourceOptions) -> Mountable:
    made = LustreStorage.of(f"{around.prefix}{name}", LustreInputs(storage, around.nodes), opts)
    return Mountable(
        {
            "driver": "fsx.csi.aws.com",
            "volume_handle": made.file_system_id,
            "volume_attributes": {"dnsname": made.dns_name, "mountname": made.mount_name},
            "mount_options": ("flock",),
            "capacity_gib": storage.capacity_gib,
        },
        storage_policies.lustre(),
    )


def _efs(storage: Efs, name: str, around: StorageSurroundings, opts: pulumi.ResourceOptions) -> Mountable:
    made = EfsStorage.of(f"{around.prefix}{name}", EfsInputs(storage, around.nodes), opts)
    handle = pulumi.Output.concat(made.file_system_id, "::", made.access_point_id)
    return Mountable(
        {"driver": "efs.csi.aws.com", "volume_handle": handle, "mount_options": ("tls",)},
        made.arn.apply(storage_policies.elastic),
    )


def _s3_files(storage: S3Files, name: str, around: StorageSurroundings, opts: pulumi.ResourceOptions) -> Mountable:
    inputs = S3FilesInputs(storage, around.region, around.nodes)
    made = S3FilesStorage.of(f"{around.prefix}{name}", inputs, opts)
    partition = partition_of(around.region)
    return Mountable(
        {"driver": "efs.csi.aws.com", "volume_handle": pulumi.Output.concat("s3files:", made.file_system_id)},
        made.arn.apply(lambda arn: storage_policies.s3_files(partition, arn, storage)),
    )


def _bucket(storage: S3Bucket, _name: str, around: StorageSurroundings, _opts: pulumi.ResourceOptions) -> Mountable:
    """Where nothing is written, nothing else changes the bucket either: what was read stays known."""
    options = [f"region {around.region}", *([f"prefix {storage.prefix}"] if storage.prefix else [])]
    options += ["allow-delete"] if storage.write else ["read-only", "metadata-ttl indefinite"]
    cache = {"cache": "emptyDir", "cacheEmptyDirSizeLimit": f"{storage.cache_gib}Gi"} if storage.cache_gib else {}
    return Mountable(
        {
            "driver": "s3.csi.aws.com",
            "volume_attributes": {"bucketName": storage.bucket, **cache},
            "mount_options": tuple(options),
        },
        storage_policies.bucket(partition_of(around.region), storage.bucket, storage.prefix, write=storage.write),
    )


def _node_cache(
    storage: NodeCache, name: str, _around: StorageSurroundings, _opts: pulumi.ResourceOptions
) -> Mountable:
    """One volume for all nodes, of which each mounts a directory of its own: a volume may do what a pod here may not."""
    return Mountable({"host_path": f"{NODE_DISKS}/{storage.directory or name}"})


KINDS: Mapping[type[Storage], Making] = {
    FsxLustre: _lustre,
    Efs: _efs,
    S3Bucket: _bucket,
    S3Files: _s3_files,
    NodeCache: _node_cache,
}
"""What makes each kind of storage, by its model."""
