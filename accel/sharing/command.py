"""`accel sharing check`: what the device plugin makes of a configuration file."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from accelerators import device_plugin, mig
from accelerators.device_plugin import Effective, Judgement, Node
from accelerators.findings import Finding
from accelerators.instance_types import InstanceType, UnknownInstanceTypeError, get
from accelerators.sharing import NVIDIA_GPU

WHOLE, EMPTY = "off", "enabled"
"""Words for a GPU that is not in MIG mode, and for one that is and has no instances."""


def check(file: Path, instance_type: str | None, layouts: Sequence[str]) -> dict[str, Any]:
    """The documented JSON (`docs/json.md`) of a configuration file, for a node of ``instance_type`` if one is given.

    ``layouts`` are MIG layouts: none, one for all GPUs of the node, or one for each.
    """
    try:
        content = file.read_bytes()
    except OSError as error:
        return _report(None, Judgement((Finding("unreadable-file", "", f"{file}: {error.strerror}"),)))
    node, problems = _node(instance_type, layouts)
    return _report(node, Judgement(tuple(problems)) if problems else device_plugin.judge(content, node))


def _node(name: str | None, layouts: Sequence[str]) -> tuple[Node | None, list[Finding]]:
    """The node that is meant, and what is wrong with how it is described."""
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
    return None if text == WHOLE else {} if text == EMPTY else mig.parse(text)


def _layout_problems(kind: InstanceType, text: str) -> Iterator[Finding]:
    if text == WHOLE:
        return
    # A GPU in MIG mode without instances is one that could have the smallest.
    gpu = mig.gpu_of(kind)
    judged = next(iter(gpu.profiles)) if gpu and text == EMPTY else text
    for problem in mig.judge_text(kind, judged).problems:
        yield Finding(problem.code, f"--mig {text}", problem.message)


def _report(node: Node | None, judgement: Judgement) -> dict[str, Any]:
    return {
        "verdict": judgement.verdict,
        "instanceType": node.instance_type.name if node else None,
        "problems": [problem.to_dict() for problem in judgement.problems],
        "ignored": list(judgement.ignored),
        "effective": _effective(node, judgement.effective) if judgement.effective else None,
    }


def _effective(node: Node | None, effective: Effective) -> dict[str, Any]:
    counts = effective.advertised
    return {
        "strategy": effective.strategy,
        "migStrategy": effective.mig_strategy,
        "renameByDefault": effective.rename_by_default,
        "failRequestsGreaterThanOne": effective.fail_requests_greater_than_one,
        "sharedDevicesAllocationPolicy": effective.allocation_policy,
        "resources": [
            {"name": one.name, "replicas": one.replicas, "advertisedAs": one.advertised_as}
            for one in effective.resources
        ],
        "advertised": None if counts is None else dict(counts),
        "largestRequest": {name: effective.largest_request(name) for name in counts or {}},
        "memoryMibPerShare": _memory_per_share(node, effective) if node else None,
    }


def _memory_per_share(node: Node, effective: Effective) -> int | None:
    """Memory of a GPU by its shares: MPS holds pods to it, time-slicing does not."""
    memory = node.instance_type.accelerator.memory_mib
    shares = [one.replicas for one in effective.resources if one.name == NVIDIA_GPU]
    return memory // max(shares) if memory and shares and not node.in_mig_mode else None


def text(data: dict[str, Any]) -> str:
    """The report for a terminal."""
    return "\n".join(_lines(data))


def _lines(data: dict[str, Any]) -> Iterator[str]:
    ignored = len(data["ignored"])
    what = f" {ignored} {'property' if ignored == 1 else 'properties'}" if ignored else ""
    yield {"accepted-but-ignores": f"accepted, but ignores{what}"}.get(data["verdict"], data["verdict"])
    for problem in data["problems"]:
        line = f"line {problem['line']}" if problem["line"] else ""
        where = f"{problem['path']} ({line})" if problem["path"] and line else problem["path"] or line
        yield f"  {problem['severity']}: {where}{': ' if where else ''}{problem['message']} [{problem['code']}]"
    if data["effective"]:
        yield from _effect(data["effective"], data["instanceType"])


def _effect(effective: dict[str, Any], instance_type: str | None) -> Iterator[str]:
    yield f"sharing: {effective['strategy']}, MIG strategy {effective['migStrategy']}"
    for one in effective["resources"]:
        renamed = f" as {one['advertisedAs']}" if one["advertisedAs"] != one["name"] else ""
        yield f"  each {one['name']} counts {one['replicas']} times{renamed}"
    if effective["memoryMibPerShare"]:
        held = "MPS holds each to" if effective["strategy"] == "mps" else "nothing holds any to"
        yield f"  {held} its {effective['memoryMibPerShare']:,} MiB of memory"
    if effective["advertised"] is not None:
        yield f"a node of {instance_type} advertises"
        for name, count in effective["advertised"].items():
            most = effective["largestRequest"][name]
            yield f"  {name}: {count}" + (f", a pod may ask for {most}" if most != count else "")
