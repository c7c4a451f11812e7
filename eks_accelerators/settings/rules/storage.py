"""Rules about storage: that it is one, lies where the network is, and has sizes that AWS sells."""

from collections.abc import Iterator
from typing import TypeVar

from eks_accelerators.settings.model.storage import (
    Efs,
    EfsThroughput,
    FsxLustre,
    LustreDeployment,
    MadeStorage,
    OnDestroy,
    S3Files,
    Storage,
)
from eks_accelerators.settings.problems import Severity
from eks_accelerators.settings.rules.registry import Context, RuleFinding, rule

S = TypeVar("S", bound=Storage)
_MADE: tuple[type[MadeStorage], ...] = (FsxLustre, Efs, S3Files)

LUSTRE_THROUGHPUTS = (125, 250, 500, 1000)
"""MiB/s for each TiB of SSD with `PERSISTENT_2`. Source: botocore 1.44.5, FSx `PerUnitStorageThroughput`."""

_SMALLEST_WITH_EFA = {1000: 4800, 500: 9600, 250: 19200, 125: 38400}
"""GiB, by throughput. Believed: FSx for Lustre user guide, file systems with EFA, from general knowledge, 2026-11-22."""


@rule("storage-one-kind")
def storage_one_kind(context: Context) -> Iterator[RuleFinding]:
    """A storage is of one kind: exactly one of the keys is written."""
    for name, storage in context.settings.storage.items():
        kinds = [key for key, _ in storage.each()]
        if len(kinds) != 1:
            allowed = [str(info.alias) for info in type(storage).model_fields.values()]
            yield RuleFinding(
                f"storage.{name}",
                "a storage is of one kind",
                ", ".join(kinds) or "none",
                ", ".join(allowed),
                "leave one of them" if kinds else "write one of them",
            )


@rule("storage-zone")
def storage_zone(context: Context) -> Iterator[RuleFinding]:
    """A file system that lies in one zone lies in a zone of the network."""
    zones = context.settings.network.zones
    in_one: dict[str, str | None] = {path: storage.zone for path, storage in _every(context, FsxLustre)}
    in_one |= {path: storage.zone for path, storage in _every(context, Efs)}
    for path, zone in in_one.items():
        if zone and zones and zone not in zones:
            yield RuleFinding(
                f"{path}.zone",
                "the network has no subnet there",
                zone,
                ", ".join(zones),
                "name a zone of the network",
            )


@rule("storage-unused", Severity.WARNING)
def storage_unused(context: Context) -> Iterator[RuleFinding]:
    """Every storage is mounted by a workload: a file system costs without one too."""
    mounted = {use.storage for _, _, workload in context.settings.workloads.each() for use in workload.storage_uses}
    for name in context.settings.storage:
        if name not in mounted:
            yield RuleFinding(
                f"storage.{name}",
                "no workload mounts it, and no claim is made for it",
                name,
                "the name of a volume or of a cache of a workload",
                f"write volumes: {{{name}: {{mountPath: ...}}}} in a workload, or remove the storage",
            )


@rule("storage-outlives-stack", Severity.WARNING)
def storage_outlives_stack(context: Context) -> Iterator[RuleFinding]:
    """A file system that stays behind is meant to: what is destroyed takes its bill along, unless it says `keep`."""
    made = [each for kind in _MADE for each in _every(context, kind)]
    for path, storage in made:
        if storage.fate is OnDestroy.KEEP:
            yield RuleFinding(
                f"{path}.onDestroy",
                "it outlives the stack: nothing here will know of it, and it costs as before",
                "keep",
                "protect or delete",
                "write protect, which refuses to destroy it, or delete it by hand some day",
            )


@rule("storage-keeps-network", Severity.WARNING)
def storage_keeps_network(context: Context) -> Iterator[RuleFinding]:
    """FSx for Lustre that stays behind has its network interfaces in a subnet, which then stays too: one that is not the stack's.

    Source: FSx for Lustre user guide `how-it-works-fsx-lustre` (an elastic network interface in the subnet); EC2 API DeleteSubnet and
    DeleteVpc (`DependencyViolation`); believed, not tried.
    """
    if context.settings.network.create is None:
        return
    for path, storage in _every(context, FsxLustre):
        if storage.fate is OnDestroy.KEEP:
            yield RuleFinding(
                f"{path}.onDestroy",
                "it stays in a subnet of this stack, which cannot be deleted then: destroy ends with an error there",
                "keep",
                "protect or delete, or a network that is not the stack's",
                "use network.existing, or write protect",
            )


@rule("lustre-capacity")
def lustre_capacity(context: Context) -> Iterator[RuleFinding]:
    """FSx for Lustre has 1200 or 2400 GiB, or a multiple of 2400; with EFA as much as its throughput wants at least.

    Source: botocore 1.44.5, FSx `StorageCapacity`; the smallest with EFA are believed: FSx for Lustre user guide.
    """
    for path, storage in _every(context, FsxLustre):
        capacity = storage.capacity_gib
        if capacity != 1200 and capacity % 2400:
            above = (capacity // 2400 + 1) * 2400
            yield RuleFinding(
                f"{path}.capacityGib",
                "FSx for Lustre is sold in steps",
                str(capacity),
                "1200, 2400, 4800, 7200 and so on",
                f"set capacityGib: {1200 if capacity < 1200 else above}",
            )
        smallest = _SMALLEST_WITH_EFA.get(storage.throughput_mibps_per_tib or 0)
        if storage.efa and smallest and capacity < smallest:
            yield RuleFinding(
                f"{path}.capacityGib",
                f"with EFA and {storage.throughput_mibps_per_tib} MiB/s for each TiB it is larger",
                str(capacity),
                f"at least {smallest}",
                f"set capacityGib: {smallest}, or a higher throughputMibpsPerTib",
            )


@rule("lustre-deployment")
def lustre_deployment(context: Context) -> Iterator[RuleFinding]:
    """`PERSISTENT_2` names its throughput; EFA, metadata IOPS and backups are for it alone.

    Source: botocore 1.44.5, FSx `CreateFileSystemLustreConfiguration`; pulumi-aws 7.51, `efaEnabled`.
    """
    for path, storage in _every(context, FsxLustre):
        throughput = storage.throughput_mibps_per_tib
        if storage.deployment_type is LustreDeployment.PERSISTENT_2:
            if throughput not in LUSTRE_THROUGHPUTS:
                yield RuleFinding(
                    f"{path}.throughputMibpsPerTib",
                    "PERSISTENT_2 is bought with a throughput",
                    str(throughput) if throughput else "nothing",
                    ", ".join(map(str, LUSTRE_THROUGHPUTS)),
                    "set throughputMibpsPerTib: 125, the cheapest, or more",
                )
            continue
        wanted = {
            "throughputMibpsPerTib": throughput,
            "efa": storage.efa,
            "metadataIops": storage.metadata_iops,
            "backupRetentionDays": storage.backup_retention_days,
        }
        for key, value in wanted.items():
            if value:
                yield RuleFinding(
                    f"{path}.{key}",
                    "SCRATCH_2 has no such thing",
                    str(value).lower(),
                    "nothing",
                    f"remove {key}, or set deploymentType: PERSISTENT_2",
                )


@rule("efs-throughput")
def efs_throughput(context: Context) -> Iterator[RuleFinding]:
    """`provisionedMibps` comes with `throughput: provisioned`, and only there.

    Source: botocore 1.44.5, EFS `CreateFileSystem`.
    """
    for path, storage in _every(context, Efs):
        is_provisioned = storage.throughput is EfsThroughput.PROVISIONED
        if is_provisioned != (storage.provisioned_mibps is not None):
            yield RuleFinding(
                f"{path}.provisionedMibps",
                "provisioned throughput has a number" if is_provisioned else f"{storage.throughput} has no number",
                str(storage.provisioned_mibps or "nothing"),
                "1 to 3414" if is_provisioned else "nothing",
                "add provisionedMibps" if is_provisioned else "remove it, or set throughput: provisioned",
            )


@rule("s3-files-region", Severity.WARNING)
def s3_files_region(context: Context) -> Iterator[RuleFinding]:
    """S3 Files is new, and in which regions AWS has it is not known here.

    Source: it is in pulumi-aws 7.51 and botocore 1.44.5; no list of its regions was found, 2026-11-22.
    """
    for path, _ in _every(context, S3Files):
        yield RuleFinding(
            path,
            f"whether {context.settings.region} has S3 Files is not known",
            context.settings.region,
            "a region that has it",
            "ask `aws s3files list-file-systems`, or use efs",
        )


def _every(context: Context, kind: type[S]) -> Iterator[tuple[str, S]]:
    """Path and settings of each storage of a kind."""
    for name, storage in context.settings.storage.items():
        for key, found in storage.each():
            if isinstance(found, kind):
                yield f"storage.{name}.{key}", found
