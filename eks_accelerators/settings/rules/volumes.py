"""Rules about volumes: what workloads mount, and where."""

from collections.abc import Iterator

from eks_accelerators.accelerators.suggest import closest
from eks_accelerators.accelerators.zones import is_zone_id
from eks_accelerators.settings.fit import Fit
from eks_accelerators.settings.model.monitoring import PrometheusKind
from eks_accelerators.settings.model.node_groups import LocalNvme
from eks_accelerators.settings.model.storage import Efs, FsxLustre, NodeCache, S3Bucket, Storage, VolumeMount
from eks_accelerators.settings.model.vllm import VllmWorkload
from eks_accelerators.settings.model.workload import EBS_STORAGE_CLASSES
from eks_accelerators.settings.problems import Severity
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup
from eks_accelerators.settings.rules.registry import Context, RuleFinding, rule

_OF_THE_CONTAINER = ("/dev", "/dev/shm", "/proc", "/sys")  # noqa: S108  (shared memory, not a temporary file)
"""Workloads have `/dev/shm` of their size, and a container does not start without the others."""


@rule("volume-unknown")
def volume_unknown(context: Context) -> Iterator[RuleFinding]:
    """Volumes are called as storages, and caches name one. A component by itself names claims, which nobody can look at here."""
    known = list(context.settings.storage)
    if not context.settings.region:
        return
    for kind, name, workload in context.settings.workloads.each():
        for use in workload.storage_uses:
            if use.storage not in known:
                guess = closest(use.storage, known)
                yield RuleFinding(
                    f"workloads.{kind}.{name}.{use.setting}",
                    f"there is no storage called {use.storage}",
                    use.storage,
                    ", ".join(known) or "none is defined",
                    f"did you mean {guess}?" if guess else "add it under storage",
                )


@rule("volume-path")
def volume_path(context: Context) -> Iterator[RuleFinding]:
    """Every volume has a directory of its own, not that of the cache or of the container itself, and nothing leads out of a volume.

    Source: Kubernetes API validation: `mountPath` is unique, `subPath` has no `..`; OCI runtime specification, default filesystems.
    """
    for kind, name, workload in context.settings.workloads.each():
        seen: dict[str, str] = {}
        for volume, mount in workload.volumes.items():
            path = f"workloads.{kind}.{name}.volumes.{volume}"
            where = mount.mount_path.rstrip("/")
            if where == workload.CACHE_PATH:
                yield RuleFinding(
                    f"{path}.mountPath",
                    "the server keeps its cache there",
                    mount.mount_path,
                    "a directory of its own",
                    f"write cache: {{storage: {volume}}} in place of the volume, or use another directory",
                )
            elif where in seen:
                yield RuleFinding(
                    f"{path}.mountPath",
                    f"{seen[where]} is mounted there",
                    mount.mount_path,
                    "a directory of its own",
                    "use another directory",
                )
            elif where in _OF_THE_CONTAINER:
                yield RuleFinding(
                    f"{path}.mountPath",
                    "every container has one of its own there",
                    mount.mount_path,
                    "a directory of its own",
                    f"use another directory, such as /{volume}",
                )
            seen.setdefault(where, volume)
            if mount.sub_path and ".." in mount.sub_path.split("/"):
                yield RuleFinding(
                    f"{path}.subPath",
                    "it leads out of the volume",
                    mount.sub_path,
                    "a relative directory without ..",
                    "name a directory of the storage",
                )


@rule("volume-read-only")
def volume_read_only(context: Context) -> Iterator[RuleFinding]:
    """Who mounts a bucket that may not be written says so: a program finds out late otherwise, at its first file."""
    for path, _, mount, storage in _mounted(context):
        if mount and isinstance(storage, S3Bucket) and not storage.write and not mount.read_only:
            yield RuleFinding(
                f"{path}.readOnly",
                "the bucket is mounted for reading",
                "false",
                "true",
                "set readOnly: true, or write: true in the storage",
            )


@rule("volume-zone")
def volume_zone(context: Context) -> Iterator[RuleFinding]:
    """Nodes that use FSx for Lustre are in its zone.

    Source: FSx for Lustre user guide: a file system lies in one subnet; traffic between zones costs, and takes longer.
    """
    yield from _in_other_zones(context, FsxLustre)


@rule("volume-zone-crossed", Severity.WARNING)
def volume_zone_crossed(context: Context) -> Iterator[RuleFinding]:
    """Nodes that use EFS One Zone are in its zone: others reach it, pay for the traffic, and lose it with that zone.

    Source: aws-efs-csi-driver 3.4.1, `enforceZoneAffinity`; EFS user guide, One Zone.
    """
    yield from _in_other_zones(context, Efs)


@rule("node-cache-disks")
def node_cache_disks(context: Context) -> Iterator[RuleFinding]:
    """A cache on the node's disks has such disks: a node group with `localNvme: raid0`, of a type that has them.

    Source: amazon-eks-ami `nodeadm` `localStorage`: RAID0 is mounted at /mnt/k8s-disks/0; without it the directory would be
    on the root volume, which holds the images.
    """
    for path, group, _, storage in _mounted(context):
        if not isinstance(storage, NodeCache):
            continue
        if not group.type.local_nvme_gb:
            yield RuleFinding(
                path,
                f"{group.type.name} has no disks inside",
                group.type.name,
                "an instance type with local NVMe",
                "use a node group of another type, or another storage",
            )
        elif group.settings.local_nvme is not LocalNvme.RAID0:
            yield RuleFinding(
                path,
                f"the disks of {group.name} are not in use",
                group.settings.local_nvme.value,
                "raid0",
                f"set nodeGroups.{group.name}.localNvme: raid0",
            )


@rule("volume-outlives-stack", Severity.WARNING)
def volume_outlives_stack(context: Context) -> Iterator[RuleFinding]:
    """A volume that a claim makes goes with the claim; of a storage class of your own nobody here knows whether it does.

    Source: Kubernetes documentation, `reclaimPolicy`: with `Retain` the volume and its bill stay when the claim goes.
    """
    for kind, name, workload in context.settings.workloads.each():
        for key, cache in workload.caches.items():
            if cache.storage_class is None or cache.is_of_one_node:
                continue
            yield RuleFinding(
                f"workloads.{kind}.{name}.{key}.storageClass",
                f"with reclaimPolicy Retain the volume of {cache.storage_class} outlives the stack",
                cache.storage_class,
                "a storage of this stack, or a class that deletes",
                "write cache: {storage: ...} with the name of an efs or s3Files under storage, or look at the class",
            )


@rule("storage-class-unknown", Severity.WARNING)
def storage_class_unknown(context: Context) -> Iterator[RuleFinding]:
    """A StorageClass is one of those that every cluster here has: of another nobody here knows, and without it there is no volume.

    Source: Kubernetes documentation, persistent volumes: a claim of a class that is not there stays Pending, and its pod too.
    """
    monitoring = context.settings.monitoring
    named: dict[str, str | None] = {}
    if monitoring.prometheus is PrometheusKind.STACK:
        named["monitoring.storage.storageClass"] = monitoring.storage.storage_class
    for kind, name, workload in context.settings.workloads.each() if context.settings.region else ():
        for key, cache in workload.caches.items():
            if cache.storage is None:
                named[f"workloads.{kind}.{name}.{key}.storageClass"] = cache.storage_class
    for path, found in named.items():
        if found and found not in EBS_STORAGE_CLASSES:
            guess = closest(found, EBS_STORAGE_CLASSES)
            make = f"make {found} in the cluster before its pods start"
            yield RuleFinding(
                path,
                "neither this stack nor EKS makes such a StorageClass; whether somebody else does is not known, and without it the "
                "volume is never made, and its pod stays Pending",
                found,
                f"{' or '.join(EBS_STORAGE_CLASSES)}, or a class of your own",
                f"did you mean {guess}? Otherwise {make}" if guess else make,
            )


@rule("weights-memory")
def weights_memory(context: Context) -> Iterator[RuleFinding]:
    """What streams weights from S3 keeps less in memory than the pod may have: above its limit the pod is killed.

    Source: runai-model-streamer, `RUNAI_STREAMER_MEMORY_LIMIT`: CPU memory of the buffer, 40 GB unless it is set.
    """
    for kind, name, workload in context.settings.workloads.each():
        weights, limit = workload.streamed_weights, workload.resources.memory_limit_gib
        if weights and weights.memory_gib >= limit:
            yield RuleFinding(
                f"workloads.{kind}.{name}.weightsFromS3.memoryGib",
                f"the pod's limit is {limit} GiB, of which the server itself needs some",
                str(weights.memory_gib),
                f"below {limit}",
                f"set resources.memoryLimitGib: {weights.memory_gib + 6}, or a smaller memoryGib",
            )


@rule("weights-cached-twice", Severity.WARNING)
def weights_cached_twice(context: Context) -> Iterator[RuleFinding]:
    """Weights that are streamed are on no disk: without CUDA graphs, whose programs it keeps, a cache volume is paid for, and stays empty."""
    for placed in context.stack.workloads:
        workload, fit = placed.workload, placed.fit
        if not isinstance(workload, VllmWorkload) or not isinstance(fit, Fit) or fit.cuda_graphs:
            continue
        if workload.cache and workload.weights_from_s3:
            yield RuleFinding(
                f"{placed.path}.cache",
                "weights that are streamed from S3 are on no disk",
                workload.cache.storage or f"{workload.cache.size_gib} GiB",
                "nothing",
                "remove cache",
            )


def _in_other_zones(context: Context, kind: type[FsxLustre | Efs]) -> Iterator[RuleFinding]:
    for path, group, _, storage in _mounted(context):
        if not isinstance(storage, kind) or not storage.zone:
            continue
        zones = group.zones or _expected(context, group, storage.zone)
        others = [zone for zone in zones if zone != storage.zone]
        if others:
            yield RuleFinding(
                path,
                f"the node group {group.name} has nodes in {', '.join(others)}, and the storage lies in {storage.zone}",
                ", ".join(others),
                storage.zone,
                _one_zone(context, group, others, storage.zone),
            )


def _expected(context: Context, group: ResolvedNodeGroup, like: str) -> tuple[str, ...]:
    """The zone that is written for the Capacity Block of ``group``, where it can be compared with ``like``: both names, or both IDs."""
    block = context.settings.capacity_blocks.get(group.settings.capacity_block or "")
    zone = block.expect.zone if block else None
    return (zone,) if zone and is_zone_id(zone) == is_zone_id(like) else ()


def _one_zone(context: Context, group: ResolvedNodeGroup, others: list[str], zone: str) -> str:
    """Where nodes and storage meet: the zone of a Capacity Block cannot be chosen, and the network needs a subnet there."""
    network = context.settings.network.zones
    if group.settings.capacity_block:
        if network and others[0] not in network:
            return f"give the network a subnet in {others[0]}, and write zone: {others[0]} at the storage: a Capacity Block has its zone"
        return f"write zone: {others[0]} at the storage: a Capacity Block has its zone"
    return f"set nodeGroups.{group.name}.zones: [{zone}]"


def _mounted(context: Context) -> Iterator[tuple[str, ResolvedNodeGroup, VolumeMount | None, Storage]]:
    """Path of each volume and cache, the node group where it is mounted, how (None of a cache), and what it is."""
    for path, workload, group in context.placed:
        for use in workload.storage_uses:
            for _, storage in _known(context, use.storage):
                yield f"{path}.{use.setting}", group, use.mount, storage


def _known(context: Context, name: str) -> Iterator[tuple[str, Storage]]:
    storage = context.settings.storage.get(name)
    return storage.each() if storage else iter(())
