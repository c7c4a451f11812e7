"""The domains of libfabric: whether programs in a pod can open the EFA interfaces that it was given.

That devices are in `/sys` proves less: `fi_info` opens each with the provider that NCCL and Neuron take. A pod sees the interfaces
that it asked for, so those that others hold are not looked at.
"""

from collections.abc import Iterator, Sequence

from eks_accelerators.accelerators.number_of import number_of
from eks_accelerators.accelerators.sharing import EFA_DEVICE
from eks_accelerators.verification import tool_outputs
from eks_accelerators.verification.check_pod import CheckPod
from eks_accelerators.verification.device_checks import CannotCheck, CheckedNode, DeviceCheck, Level
from eks_accelerators.verification.findings import VerificationFinding
from eks_accelerators.verification.images import NEURON_TOOLS_IMAGE, PYTORCH_IMAGE
from eks_accelerators.verification.tasks import PodOutput
from eks_accelerators.verification.tools import NOTHING, Tool, outputs

_CODE = "efa-devices"
_SECONDS = 900
"""Deadline of the pod: the pull of an image of 10 GB is in it."""


def judge_count(node: CheckedNode, listing: str) -> VerificationFinding:
    """Whether the node has as many EFA devices as its group's layout gives it, by the ``listing`` of its driver."""
    found = tool_outputs.infiniband_devices(listing)
    wanted = node.group.resources.get(EFA_DEVICE, len(node.group.interfaces))
    return node.subject.judged(_CODE, f"{wanted} EFA devices", f"{len(found)} EFA devices", holds=len(found) == wanted)


def _look(node: CheckedNode) -> CheckPod | CannotCheck | None:
    if not node.group.has_efa:
        return None
    free = node.free(EFA_DEVICE)
    if not free:
        holders = node.holders(EFA_DEVICE)
        return CannotCheck(f"held by {holders}" if holders else f"the node advertises no {EFA_DEVICE}")
    image = node.images[NEURON_TOOLS_IMAGE if node.group.type.neuron else PYTORCH_IMAGE]
    return CheckPod(image, (Tool("efa", tool_outputs.FI_INFO),), {EFA_DEVICE: free}, seconds=_SECONDS)


def _judge(node: CheckedNode, pods: Sequence[PodOutput]) -> Iterator[VerificationFinding]:
    asked, holders = node.free(EFA_DEVICE), node.holders(EFA_DEVICE)
    printed = outputs(pods[0].log).get("efa", NOTHING)
    domains = tool_outputs.efa_domains(printed.text)
    expected = f"{number_of(asked, 'domain')} of libfabric{f', beside what {holders} holds' if holders else ''}"
    if printed.status == tool_outputs.NOT_FOUND:
        yield node.subject.not_verified(_CODE, expected, printed.said)
        return
    found = f"{number_of(len(domains), 'domain')}{'' if domains else f': {printed.said}'}"
    yield node.subject.judged(_CODE, expected, found, holds=len(domains) >= asked)


EFA_CHECK = DeviceCheck(
    "efa-domains",
    Level.QUICK,
    "libfabric opens every EFA interface that no pod holds",
    _CODE,
    10,
    _look,
    _judge,
)
