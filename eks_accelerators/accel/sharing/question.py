"""What is asked of `accel sharing check`: a file, and the nodes that it is for."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from eks_accelerators.accel.sharing.words import Chart, Nodes
from eks_accelerators.accelerators import mig
from eks_accelerators.accelerators.device_plugin import Node
from eks_accelerators.accelerators.findings import Finding
from eks_accelerators.accelerators.instance_types import InstanceType, UnknownInstanceTypeError, get

WHOLE, EMPTY = "off", "enabled"
"""Words for a GPU that is not in MIG mode, and for one that is and has no instances."""


@dataclass(frozen=True, slots=True)
class SharingQuestion:
    """A file, and for which nodes it is judged.

    ``layouts`` are MIG layouts: none, one for all GPUs of the node, or one for each. Without ``chart`` the file is a
    configuration of the device plugin; with it, values of the chart, which is released in ``namespace``.
    """

    file: Path
    instance_type: str | None = None
    layouts: Sequence[str] = ()
    nodes: Nodes = Nodes.AL2023
    chart: Chart | None = None
    namespace: str = Chart.PLUGIN


def node_of(question: SharingQuestion) -> tuple[Node | None, list[Finding]]:
    """The node that is meant, and what is wrong with how it is described."""
    name, layouts = question.instance_type, question.layouts
    if name is None:
        return None, [Finding("mig-without-type", "--mig", "needs --instance-type")] if layouts else []
    try:
        kind = get(name)
    except UnknownInstanceTypeError as error:
        return None, [Finding("instance-type-unknown", "--instance-type", str(error))]
    if not kind.has_nvidia_gpu:
        return None, [Finding("no-gpu", "--instance-type", f"{name} has no NVIDIA GPU")]
    count = kind.accelerator.count
    if len(layouts) not in (0, 1, count):
        message = f"{len(layouts)} layouts; give one for all {count} GPUs of {name}, or one for each"
        return None, [Finding("mig-layouts", "--mig", message)]
    problems = [problem for text in layouts for problem in _layout_problems(kind, text)]
    return (None, problems) if problems else (Node.of(kind, [_layout(text) for text in layouts] or [None]), [])


def _layout(text: str) -> mig.Layout | None:
    if text == WHOLE:
        return None
    return {} if text == EMPTY else mig.parse(text)


def _layout_problems(kind: InstanceType, text: str) -> Iterator[Finding]:
    if text == WHOLE:
        return
    # A GPU in MIG mode without instances is one that could have the smallest.
    gpu = mig.gpu_of(kind)
    judged = next(iter(gpu.profiles)) if gpu and text == EMPTY else text
    for problem in mig.judge_text(kind, judged).problems:
        yield Finding(problem.code, f"--mig {text}", problem.message)
