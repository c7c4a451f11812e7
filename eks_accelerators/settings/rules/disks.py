"""Rules about disks and image pulls."""

import re
from collections.abc import Iterator
from math import ceil

from eks_accelerators.accelerators import ami, ebs_throughput
from eks_accelerators.settings.fit import shape_of
from eks_accelerators.settings.model.node_groups import LocalNvme, VolumeType
from eks_accelerators.settings.model.workload import Workload
from eks_accelerators.settings.problems import Severity
from eks_accelerators.settings.rules.registry import Context, RuleFinding, rule

MINIMUM_ROOT_GIB = 100
"""An engineering choice: images for accelerators take 10 GiB and more, unpacked three times that."""

_IMAGES_AND_SYSTEM_GIB = 60

FAST_PULL_THROUGHPUT_MIBPS = 600
BOTTLEROCKET_WITH_SOCI = (1, 44, 0)
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


@rule("root-volume-of-weights", Severity.WARNING)
def root_volume_of_weights(context: Context) -> Iterator[RuleFinding]:
    """The root volume holds the weights that each server on a node downloads, and 60 GiB of images and system beside them.

    Where a server has a `cache` or streams its weights nothing of them is there. Source: kubelet keeps an `emptyDir` on its disk;
    the 60 GiB are an engineering choice.
    """
    for placed in context.stack.workloads:
        workload, group, disk = placed.workload, placed.group, placed.group.settings.disk
        if group.settings.local_nvme is LocalNvme.RAID0 or not workload.keeps_weights_on_node:
            continue
        written = workload.language_model
        shape = shape_of(written.model) if written else None
        if shape is None:
            continue
        each = shape.weights_gib
        # A model that does not even fit the accelerators has an error of its own.
        needed = ceil(placed.fit.pods_per_node * each + _IMAGES_AND_SYSTEM_GIB)
        if disk.size_gib < needed and needed > MINIMUM_ROOT_GIB:
            yield RuleFinding(
                f"nodeGroups.{group.name}.disk.sizeGib",
                f"{placed.fit.pods_per_node} x {each:.0f} GiB of weights of {placed.path} on a node do not fit the root volume",
                str(disk.size_gib),
                f"at least {needed}",
                f"set sizeGib: {needed}, {_elsewhere(workload)}",
            )


def _elsewhere(workload: Workload) -> str:
    """Where its weights can lie instead, as far as its kind has settings for it."""
    settings = {"cache": "a cache", "weights_from_s3": "weightsFromS3"}
    ways = [words for field, words in settings.items() if field in type(workload).model_fields]
    return f"localNvme: raid0, or {' or '.join(ways)} of the workload" if ways else "or localNvme: raid0"


@rule("fast-image-pull")
def fast_image_pull(context: Context) -> Iterator[RuleFinding]:
    """`imagePull.fast` has a 2xlarge or larger, a disk of 600 MiB/s or local NVMe, and no release of Bottlerocket that ignores it.

    Source: amazon-eks-ami at 81fec2e, `nodeadm/doc/examples.md` (FastImagePull): AWS recommends no smaller type, below 4 vCPUs it is
    ignored, and below 600 MiB/s pulls may be slower. Bottlerocket has it from 1.44.0 on, by its release notes; that it asks for the same
    disk is an engineering choice.
    """
    for name, group in context.resolved.items():
        wanted = group.settings
        if not wanted.image_pull.fast:
            continue
        path = f"nodeGroups.{name}.imagePull.fast"
        throughput = wanted.disk.throughput_mibps or 125
        release = wanted.ami.release_version
        if ami.is_bottlerocket(group.ami_type) and release and _is_before(release, BOTTLEROCKET_WITH_SOCI):
            first = ".".join(map(str, BOTTLEROCKET_WITH_SOCI))
            yield RuleFinding(
                path,
                f"Bottlerocket before {first} ignores it, without a word",
                release,
                f"{first} or later",
                "pin a later release, or leave ami.releaseVersion out",
            )
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


@rule("fast-image-pull-ebs", Severity.WARNING)
def fast_image_pull_ebs(context: Context) -> Iterator[RuleFinding]:
    """What an instance itself reads and writes of EBS limits parallel pulls, whatever the volume offers.

    Source: `eks_accelerators/accelerators/data/ebs-throughput.json`; amazon-eks-ami as for `fast-image-pull`, whose 600 MiB/s are taken
    for MB/s here, as EC2 counts.
    """
    for name, group in context.resolved.items():
        most = ebs_throughput.maximum_mbps(group.type.name)
        on_ebs = group.settings.image_pull.fast and group.settings.local_nvme is LocalNvme.UNUSED
        if on_ebs and most is not None and most < FAST_PULL_THROUGHPUT_MIBPS:
            disks = "set localNvme: raid0, or " if group.type.local_nvme_gb else ""
            yield RuleFinding(
                f"nodeGroups.{name}.imagePull.fast",
                f"{group.type.name} never gets as much from EBS as parallel pulls want",
                f"{most:g} MB/s at most",
                f"{FAST_PULL_THROUGHPUT_MIBPS} MB/s",
                f"{disks}turn it off, or use a larger type",
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
        elif group.ami_type.startswith("BOTTLEROCKET") and group.ami_type in group.type.ami_types:
            # An image that the type cannot have is refused by itself, and another one may have nodeadm.
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


def _is_before(release: str, first: tuple[int, int, int]) -> bool:
    """Whether a release of Bottlerocket, such as `1.43.0-0123abcd`, is older; what is written otherwise is not known to be."""
    found = re.match(r"v?(\d+)\.(\d+)\.(\d+)", release)
    return found is not None and tuple(map(int, found.groups())) < first
