"""Whether as many pods are on a GPU at a time as share it."""

from collections import Counter
from collections.abc import Iterator, Sequence

from eks_accelerators.accelerators.number_of import number_of
from eks_accelerators.verification import nvidia_smi
from eks_accelerators.verification.check_pod import CheckPod
from eks_accelerators.verification.device_checks import CannotCheck, CheckedNode, DeviceCheck, Level
from eks_accelerators.verification.findings import VerificationFinding
from eks_accelerators.verification.images import CUDA_IMAGE
from eks_accelerators.verification.tasks import PodOutput
from eks_accelerators.verification.tools import Tool, outputs

_HOLD_SECONDS = 20
"""So long pods stay that show how many are on one GPU at a time."""


def _share(node: CheckedNode) -> CheckPod | CannotCheck | None:
    if node.group.sharing.replicas < 2 or not node.group.type.has_nvidia_gpu or node.group.is_claimed:
        return None
    free = node.free(node.group.resource)
    # Where all are taken, their holders are asked alone: a pod that takes nothing is not needed for that.
    tools = (Tool("list", nvidia_smi.LIST),)
    taken = {node.group.resource: 1} if free else {}
    return CheckPod(node.images[CUDA_IMAGE], tools, taken, copies=free, hold_seconds=_HOLD_SECONDS)


def _judge_shares(node: CheckedNode, pods: Sequence[PodOutput]) -> Iterator[VerificationFinding]:
    """Every pod names what it was given: with all shares taken, each device has as many pods as it has shares."""
    replicas, total = node.group.sharing.replicas, node.group.shares[0].count
    expected = f"{replicas} pods on each of {number_of(total // replicas, 'device')}"
    dark = [f"{each.pod}: {each.why}" for each in pods if each.why]
    if dark:
        yield node.subject.not_verified("gpu-shares", expected, "; ".join(dark))
        return
    given = {each.pod: nvidia_smi.uuids(_listing(each.log)) for each in pods}
    blind = [pod for pod, seen in given.items() if not seen]
    on = Counter(uuid for seen in given.values() for uuid in seen)
    told = ", ".join(f"{count} on {uuid}" for uuid, count in sorted(on.items()))
    if blind:
        yield node.subject.failed("gpu-shares", expected, f"{', '.join(blind)} sees no GPU")
        return
    holds = len(on) == total // replicas and set(on.values()) == {replicas}
    if sum(on.values()) != total:  # pods with several shares, or shares that ended in between
        yield node.subject.not_verified("gpu-shares", expected, f"{told}: not all {total} shares are in use")
        return
    yield node.subject.judged("gpu-shares", expected, told, holds=holds)


def _listing(log: str) -> str:
    """What `nvidia-smi -L` printed: in a pod of ours among sections, in another's by itself."""
    found = outputs(log)
    return found["list"].text if "list" in found else log


SHARE_CHECK = DeviceCheck(
    "shares",
    Level.QUICK,
    "as many pods as planned are on each GPU at a time",
    "gpu-shares",
    _HOLD_SECONDS + 10,
    _share,
    _judge_shares,
    asks_users=True,
)
