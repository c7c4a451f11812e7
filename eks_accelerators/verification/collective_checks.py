"""Collective communication inside one node: NVIDIA's `all_reduce_perf`, AWS's `nccom-test`, and the domains of EFA beside them.

What one node reaches is published nowhere. Where NVLinks connect its GPUs, less than half of what these carry is taken for
wrong, which is an estimate; otherwise the figure is told and nothing is expected.
"""

from collections.abc import Iterator, Sequence

from eks_accelerators.accelerators.collective_bandwidth import measured
from eks_accelerators.accelerators.sharing import EFA_DEVICE
from eks_accelerators.verification import nccl_tests, nccom_test, other_tools
from eks_accelerators.verification.check_pod import CheckPod
from eks_accelerators.verification.collectives import CollectiveRun
from eks_accelerators.verification.device_checks import CannotCheck, CheckedNode, DeviceCheck, Level, PodOutput
from eks_accelerators.verification.expected_bandwidth import Verdict, compare, verdict
from eks_accelerators.verification.findings import VerificationFinding
from eks_accelerators.verification.links import nvlinks_of
from eks_accelerators.verification.severity import FindingSeverity
from eks_accelerators.verification.tools import NOTHING, Tool, outputs

PYTORCH_IMAGE, NEURON_TOOLS_IMAGE = "pytorch", "pytorch-neuron"
"""Images in `charts-values/charts.yaml`."""

_CODE = "collective-bandwidth"
_LEAST_PART = 0.5


def _nccl(node: CheckedNode) -> CheckPod | CannotCheck | None:
    if not node.group.type.has_nvidia_gpu or (node.gpus < 2 and not node.group.has_efa):
        return None
    if not node.is_whole_and_idle:
        return CannotCheck(node.why_not_whole)
    tools = []
    if node.gpus > 1:
        sizes = ("-b", "128M", "-e", "8G", "-f", "2")
        tools.append(Tool("nccl", ("all_reduce_perf", *sizes, "-g", str(node.gpus), "-c", "1")))
    interfaces = node.group.resources.get(EFA_DEVICE, 0)
    if interfaces:
        tools.append(Tool("efa", other_tools.FI_INFO))
    return CheckPod(
        node.images[PYTORCH_IMAGE],
        tuple(tools),
        {node.group.resource: node.gpus, EFA_DEVICE: interfaces},
        seconds=1800,
    )


def _judge_nccl(node: CheckedNode, pods: Sequence[PodOutput]) -> Iterator[VerificationFinding]:
    found = outputs(pods[0].log)
    if node.gpus > 1:
        printed = found.get("nccl", NOTHING)
        run = nccl_tests.parse(printed.text)
        yield _judged(node, run, printed.said)
    if interfaces := node.group.resources.get(EFA_DEVICE, 0):
        domains = other_tools.efa_domains(found.get("efa", NOTHING).text)
        yield node.subject.judged(
            "efa-devices",
            f"{interfaces} domains of libfabric",
            f"{len(domains)} domains",
            holds=len(domains) >= interfaces,
        )


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
    least = known.largest[1] if known else links.rate * _LEAST_PART if links else None
    expected = f"all-reduce of at least {least:.0f} GB/s" if least else "all-reduce, right (no speed is published)"
    if run.errors:
        return node.subject.failed(_CODE, expected, "; ".join(run.errors))
    if not run.passed:
        return node.subject.not_verified(_CODE, expected, f"it did not come to its end: {said}")
    best = max(run.measurements, key=lambda each: each.bus_gb_per_second)
    told = f"{best.bus_gb_per_second:.0f} GB/s at {best.size_bytes / 2**20:.0f} MiB"
    if known and (outcome := verdict(run, known)) in (Verdict.SLOWER, Verdict.TOO_SLOW):
        slow = next(each for each in compare(run, known) if each.verdict is outcome)
        told = f"{slow.found_gb_per_second:.0f} of {slow.expected_gb_per_second:.0f} GB/s at {slow.size_bytes} bytes"
        severity = None if outcome is Verdict.TOO_SLOW else FindingSeverity.MONITOR
        return node.subject.failed(_CODE, expected, told, severity)
    return node.subject.judged(_CODE, expected, told, holds=least is None or best.bus_gb_per_second >= least)


COLLECTIVE_CHECKS: tuple[DeviceCheck, ...] = (
    DeviceCheck(
        "nccl",
        Level.STANDARD,
        "GPUs of a node exchange data as fast as their links allow; libfabric sees every EFA interface",
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
