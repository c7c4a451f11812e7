"""How fast the disk of the pods of a node is."""

from collections.abc import Iterator, Sequence

from eks_accelerators.settings.model.node_groups import LocalNvme, VolumeType
from eks_accelerators.verification import tool_outputs
from eks_accelerators.verification.check_pod import CheckPod
from eks_accelerators.verification.device_checks import CannotCheck, CheckedNode, DeviceCheck, Level
from eks_accelerators.verification.findings import VerificationFinding
from eks_accelerators.verification.images import CUDA_IMAGE
from eks_accelerators.verification.tasks import PodOutput
from eks_accelerators.verification.tools import NOTHING, Tool, outputs

_STORAGE_PART, _STORAGE_MIB, _GP3_MIBPS = 0.8, 4096, 125
"""Of what was ordered a volume has to reach this part; what is written; gp3 without an order. Source of the last: EBS guide."""


def _write(node: CheckedNode) -> CheckPod | CannotCheck | None:
    if node.users:
        return CannotCheck(node.why_not_whole if not node.is_shared else f"it is not idle: {node.taken}")
    copy = ("dd", "if=/dev/zero", "of=/verify/data", "bs=16M", f"count={_STORAGE_MIB // 16}", "oflag=direct")
    back = ("dd", "if=/verify/data", "of=/dev/null", "bs=16M", "iflag=direct")
    return CheckPod(node.images[CUDA_IMAGE], (Tool("write", copy), Tool("read", back)), disk_gib=8)


def _ordered_mibps(node: CheckedNode) -> int | None:
    """What the disk of pods was ordered to do; None of local NVMe, and of volumes whose speed nobody orders."""
    settings = node.group.settings
    if settings.local_nvme is LocalNvme.RAID0 or settings.disk.type is not VolumeType.GP3:
        return None
    return settings.disk.throughput_mibps or _GP3_MIBPS


def _judge_disk(node: CheckedNode, pods: Sequence[PodOutput]) -> Iterator[VerificationFinding]:
    found = outputs(pods[0].log)
    speeds = {name: tool_outputs.mib_per_second(found.get(name, NOTHING).text) for name in ("write", "read")}
    told = ", ".join(f"{name} {speed:.0f} MiB/s" for name, speed in speeds.items() if speed is not None)
    ordered = _ordered_mibps(node)
    if None in speeds.values():
        broken = next(name for name, speed in speeds.items() if speed is None)
        yield node.subject.not_verified("storage-bandwidth", "dd writes and reads", found.get(broken, NOTHING).said)
    elif ordered is None:
        yield node.subject.passed("storage-bandwidth", "unknown: nobody orders the speed of this disk", told)
    else:
        slow = min(speed or 0 for speed in speeds.values()) < ordered * _STORAGE_PART
        yield node.subject.judged("storage-bandwidth", f"{ordered} MiB/s as ordered", told, holds=not slow)


DISK_CHECK = DeviceCheck(
    "disk",
    Level.STANDARD,
    "the disk of pods is as fast as it was ordered",
    "storage-bandwidth",
    90,
    _write,
    _judge_disk,
)
