"""Collective communication inside one node: NVIDIA's `all_reduce_perf` and AWS's `nccom-test`.

What one node reaches is published nowhere. Where NVLinks connect its GPUs, less than half of what these carry is taken for
wrong, which is an estimate; otherwise the figure is told and nothing is expected.
"""

from collections.abc import Iterator, Sequence

from eks_accelerators.accelerators.collective_bandwidth import measured
from eks_accelerators.verification import nccl_tests, nccom_test
from eks_accelerators.verification.bandwidth_findings import bandwidth_finding
from eks_accelerators.verification.check_pod import CheckPod
from eks_accelerators.verification.collectives import CollectiveRun
from eks_accelerators.verification.device_checks import CannotCheck, CheckedNode, DeviceCheck, Level
from eks_accelerators.verification.findings import VerificationFinding
from eks_accelerators.verification.images import NEURON_TOOLS_IMAGE, PYTORCH_IMAGE
from eks_accelerators.verification.links import nvlinks_of
from eks_accelerators.verification.tasks import PodOutput
from eks_accelerators.verification.tools import NOTHING, Tool, outputs

_CODE = "collective-bandwidth"
_LEAST_PART = 0.5


def _nccl(node: CheckedNode) -> CheckPod | CannotCheck | None:
    if not node.group.type.has_nvidia_gpu or node.gpus < 2:
        return None
    if not node.is_whole_and_idle:
        return CannotCheck(node.why_not_whole)
    sizes = ("-b", "128M", "-e", "8G", "-f", "2")
    return CheckPod(
        node.images[PYTORCH_IMAGE],
        (Tool("nccl", ("all_reduce_perf", *sizes, "-g", str(node.gpus), "-c", "1")),),
        {node.group.resource: node.gpus},
        seconds=1800,
    )


def _judge_nccl(node: CheckedNode, pods: Sequence[PodOutput]) -> Iterator[VerificationFinding]:
    printed = outputs(pods[0].log).get("nccl", NOTHING)
    yield _judged(node, nccl_tests.parse(printed.text), printed.said)


def _nccom(node: CheckedNode) -> CheckPod | CannotCheck | None:
    neuron = node.group.type.neuron
    if neuron is None or neuron.device_count * neuron.cores_per_device < 2:
        return None
    if not node.is_whole_and_idle:
        return CannotCheck(node.why_not_whole)
    cores = node.group.resources.get("aws.amazon.com/neuroncore", neuron.device_count * neuron.cores_per_device)
    words = ("-r", str(cores), "-b", "1MB", "-e", "1GB", "-f", "8", "-d", "fp32", "--check", "allr")
    return CheckPod(
        node.images[NEURON_TOOLS_IMAGE],
        (Tool("nccom", ("nccom-test", *words)),),
        {node.group.resource: node.gpus},
        seconds=2400,
    )


def _judge_nccom(node: CheckedNode, pods: Sequence[PodOutput]) -> Iterator[VerificationFinding]:
    printed = outputs(pods[0].log).get("nccom", NOTHING)
    yield _judged(node, nccom_test.parse_table(printed.text), printed.said)


def _judged(node: CheckedNode, run: CollectiveRun, said: str) -> VerificationFinding:
    """Right and fast enough; ``said`` is what the tool says where it did not come to its end."""
    links = nvlinks_of(node.group.type)
    known = measured(node.group.type.name, 1)
    least = links.rate * _LEAST_PART if links else None
    return bandwidth_finding(node.subject, _CODE, run, known, least, said)


COLLECTIVE_CHECKS: tuple[DeviceCheck, ...] = (
    DeviceCheck(
        "nccl",
        Level.STANDARD,
        "GPUs of a node exchange data as fast as their links allow",
        _CODE,
        120,
        _nccl,
        _judge_nccl,
    ),
    DeviceCheck(
        "nccom",
        Level.STANDARD,
        "Neuron cores of a node exchange data, and right",
        _CODE,
        300,
        _nccom,
        _judge_nccom,
    ),
)
