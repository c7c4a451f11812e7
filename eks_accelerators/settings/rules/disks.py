"""Rules about disks and image pulls."""

from collections.abc import Iterator

from eks_accelerators.settings.model.node_groups import LocalNvme, VolumeType
from eks_accelerators.settings.rules.registry import Context, RuleFinding, rule

MINIMUM_ROOT_GIB = 100
"""An engineering choice: images for accelerators take 10 GiB and more, unpacked three times that."""

FAST_PULL_THROUGHPUT_MIBPS = 600
_SMALL_SIZES = ("large", "xlarge")


@rule("root-volume-too-small")
def root_volume_too_small(context: Context) -> Iterator[RuleFinding]:
    """The root volume holds the images: 100 GiB at least, and three times a workload's compressed image plus 30 GiB.

    Source: an engineering choice; the default of EKS is 20 GiB, which no GPU image fits.
    """
    for path, group, _ in context.groups:
        if group.local_nvme is LocalNvme.RAID0:
            continue
        name = path.partition(".")[2]
        images = [
            w.image_compressed_gib
            for _, _, w in context.settings.workloads.each()
            if w.node_group == name and w.image_compressed_gib
        ]
        needed = max([MINIMUM_ROOT_GIB, *(round(3 * size + 30) for size in images)])
        if group.disk.size_gib < needed:
            yield RuleFinding(
                f"{path}.disk.sizeGib",
                f"the root volume is too small for images of {max(images):g} GiB"
                if images and needed > MINIMUM_ROOT_GIB
                else "the root volume is too small for accelerator images",
                str(group.disk.size_gib),
                f"at least {needed}",
                f"set sizeGib: {needed}, or localNvme: raid0",
            )


@rule("fast-image-pull")
def fast_image_pull(context: Context) -> Iterator[RuleFinding]:
    """`imagePull.fast` has an AL2023 image, a 2xlarge or larger, and a disk of 600 MiB/s or local NVMe.

    Source: amazon-eks-ami `nodeadm/doc/examples.md` (FastImagePull): below that it slows pulls down.
    """
    for name, group in context.resolved.items():
        wanted = group.settings
        if not wanted.image_pull.fast:
            continue
        path = f"nodeGroups.{name}.imagePull.fast"
        throughput = wanted.disk.throughput_mibps or 125
        if group.ami_type.startswith("BOTTLEROCKET"):
            yield RuleFinding(path, "Bottlerocket has no nodeadm", "true", "false", "turn imagePull.fast off")
        if group.type.size in _SMALL_SIZES:
            yield RuleFinding(
                path,
                f"{group.type.name} is too small for parallel pulls",
                "true",
                "a 2xlarge or larger",
                "turn it off, or use a larger type",
            )
        slow = wanted.disk.type is VolumeType.GP3 and throughput < FAST_PULL_THROUGHPUT_MIBPS
        if slow and wanted.local_nvme is LocalNvme.UNUSED:
            yield RuleFinding(
                path,
                f"below {FAST_PULL_THROUGHPUT_MIBPS} MiB/s parallel pulls are slower",
                f"{throughput} MiB/s",
                f"at least {FAST_PULL_THROUGHPUT_MIBPS} MiB/s",
                f"set disk.throughputMibps: {FAST_PULL_THROUGHPUT_MIBPS}, or localNvme: raid0",
            )


@rule("no-local-nvme")
def no_local_nvme(context: Context) -> Iterator[RuleFinding]:
    """Local NVMe is used only where the instance type has it, and through nodeadm, which Bottlerocket lacks.

    Source: `InstanceStorageInfo` of DescribeInstanceTypes.
    """
    for name, group in context.resolved.items():
        if group.settings.local_nvme is LocalNvme.UNUSED:
            continue
        if not group.type.local_nvme_gb:
            yield RuleFinding(
                f"nodeGroups.{name}.localNvme",
                f"{group.type.name} has no local NVMe",
                "raid0",
                "unused",
                "remove localNvme",
            )
        elif group.ami_type.startswith("BOTTLEROCKET"):
            yield RuleFinding(
                f"nodeGroups.{name}.localNvme",
                "RAID0 is set up by nodeadm, which Bottlerocket lacks",
                "raid0",
                "unused",
                "use an AL2023 image",
            )


@rule("disk-performance")
def disk_performance(context: Context) -> Iterator[RuleFinding]:
    """IOPS and throughput are within what the volume type offers.

    Source: EBS user guide: gp3 has 3,000 to 80,000 IOPS (at most 500 a GiB), 125 to 2,000 MiB/s (at most 0.25 an IOPS);
    io2 needs IOPS and takes no throughput.
    """
    for path, group, _ in context.groups:
        disk = group.disk
        if disk.type is VolumeType.IO2:
            if disk.throughput_mibps is not None:
                yield RuleFinding(
                    f"{path}.disk.throughputMibps",
                    "io2 has no throughput setting",
                    str(disk.throughput_mibps),
                    "nothing",
                    "remove it",
                )
            if disk.iops is None:
                yield RuleFinding(f"{path}.disk.iops", "io2 needs its IOPS", "nothing", "100 to 256000", "add iops")
            continue
        iops = disk.iops or 3000
        if not 3000 <= iops <= min(80000, max(3000, 500 * disk.size_gib)):
            yield RuleFinding(
                f"{path}.disk.iops",
                "gp3 offers 3,000 to 80,000 IOPS, at most 500 a GiB",
                str(iops),
                f"3000 to {min(80000, max(3000, 500 * disk.size_gib))}",
                "choose a value in between",
            )
        elif disk.throughput_mibps and disk.throughput_mibps > iops * 0.25:
            yield RuleFinding(
                f"{path}.disk.throughputMibps",
                f"{disk.throughput_mibps} MiB/s need {disk.throughput_mibps * 4} IOPS",
                str(disk.throughput_mibps),
                f"at most {int(iops * 0.25)} with {iops} IOPS",
                f"set disk.iops: {disk.throughput_mibps * 4}",
            )


@rule("disk-key-without-encryption")
def disk_key_without_encryption(context: Context) -> Iterator[RuleFinding]:
    """A KMS key is named only for an encrypted disk."""
    for path, group, _ in context.groups:
        if group.disk.kms_key_arn and not group.disk.encrypted:
            yield RuleFinding(
                f"{path}.disk.kmsKeyArn",
                "the disk is not encrypted",
                "encrypted: false",
                "encrypted: true",
                "set encrypted: true, or remove the key",
            )
