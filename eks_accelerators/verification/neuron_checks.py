"""What the driver says of the Neuron devices of a node."""

from collections.abc import Iterator, Sequence

from eks_accelerators.accelerators.number_of import number_of
from eks_accelerators.verification import tool_outputs
from eks_accelerators.verification.check_pod import CheckPod
from eks_accelerators.verification.device_checks import CheckedNode, DeviceCheck, Level
from eks_accelerators.verification.efa_checks import judge_count
from eks_accelerators.verification.findings import VerificationFinding
from eks_accelerators.verification.images import NEURON_IMAGE
from eks_accelerators.verification.tasks import PodOutput
from eks_accelerators.verification.tools import NOTHING, Tool, outputs


def _look_at_neuron(node: CheckedNode) -> CheckPod | None:
    if node.group.type.neuron is None:
        return None
    tools = [Tool("devices", tool_outputs.NEURON_LS)]
    if node.group.has_efa:
        tools.append(Tool("efa", tool_outputs.INFINIBAND))
    return CheckPod(node.images[NEURON_IMAGE], tuple(tools), sees_all=True)


def _judge_neuron(node: CheckedNode, pods: Sequence[PodOutput]) -> Iterator[VerificationFinding]:
    neuron = node.group.type.neuron
    assert neuron is not None
    found = outputs(pods[0].log)
    expected = f"{number_of(neuron.device_count, 'device')} of {number_of(neuron.cores_per_device, 'core')}"
    listed = found.get("devices", NOTHING)
    try:
        devices = tool_outputs.neuron_devices(listed.text)
    except tool_outputs.UnreadableOutputError:
        yield node.subject.failed("neuron-devices", expected, listed.said)
    else:
        cores = sorted({device.physical_cores for device in devices})
        yield node.subject.judged(
            "neuron-devices",
            expected,
            f"{number_of(len(devices), 'device')} of {' or '.join(map(str, cores)) or 'no'} cores",
            holds=len(devices) == neuron.device_count and cores == [neuron.cores_per_device],
        )
    if node.group.has_efa:
        yield judge_count(node, found.get("efa", NOTHING).text)


NEURON_CHECK = DeviceCheck(
    "neuron",
    Level.QUICK,
    "neuron-ls sees every device",
    "neuron-devices",
    15,
    _look_at_neuron,
    _judge_neuron,
)
