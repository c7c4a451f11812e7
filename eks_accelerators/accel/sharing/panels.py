"""One GPU under each kind of sharing: who may allocate which memory, who computes when, and what each pod sees.

Every number comes from the arithmetic that `accel check` and `accel fit` use: advertised resources, memory of shares and
instances, places of MIG instances.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from eks_accelerators.accelerators import instance_types, mig
from eks_accelerators.accelerators.instance_types import InstanceType
from eks_accelerators.accelerators.sharing import EXCLUSIVE, Partitioning, Share, Sharing, shares
from eks_accelerators.accelerators.sharing_effects import effects

PODS = "ABCDEFGH"
"""Names of the pods of one GPU."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a GPU's memory or compute, from ``start`` on, both in parts of the whole.

    ``pods`` are those that draw on it, empty for what others than this node's pods have. ``enforced`` is whether
    something keeps the others out. ``text`` stands in it.
    """

    pods: str
    start: Fraction
    size: Fraction
    text: str
    enforced: bool = True


@dataclass(frozen=True, slots=True)
class Panel:
    """One GPU under one kind of sharing. ``compute`` are lanes or, where ``in_turns``, turns; ``facts`` are in words."""

    title: str
    chip: str
    whole_gib: float
    memory: tuple[Part, ...]
    compute: tuple[Part, ...]
    in_turns: bool
    facts: Mapping[str, str]


def panels() -> tuple[Panel, ...]:
    """Every kind of sharing, as in the documentation."""
    l4 = instance_types.get("g6.2xlarge")
    return (
        exclusive(l4),
        time_sliced(l4, 4),
        by_mps(l4, 4),
        divided(instance_types.get("p5.4xlarge"), {"3g.40gb": 1, "1g.10gb": 4}),
        fractional(instance_types.get("g6f.2xlarge")),
    )


def exclusive(kind: InstanceType) -> Panel:
    """A pod has a GPU to itself."""
    (share,) = shares(kind)
    facts = {
        "a pod asks": _asks(kind, EXCLUSIVE),
        "memory": f"all of it: {_gib(share)}",
        "compute": "all of it, all the time",
        "faults": "a pod's fault is its own",
        "metrics": "all of them, by pod",
    }
    memory, compute = _equal([f"pod A: {_gib(share)}"]), _equal(["pod A"])
    return Panel(f"exclusive: {kind.name}", share.device, _number(share), memory, compute, False, facts)


def time_sliced(kind: InstanceType, replicas: int) -> Panel:
    """Pods take turns, and draw on the same memory."""
    sharing = Sharing("timeSlicing", replicas)
    (share,) = shares(kind, sharing)
    pods = PODS[: share.sharers]
    text = f"pods {', '.join(pods)}: each may take all {_gib(share)}"
    memory = (Part(pods, Fraction(0), Fraction(1), text, enforced=False),)
    facts = _facts(kind, sharing, f"in turns: a busy pod waits for up to {share.sharers - 1} others")
    title = f"timeSlicing: {kind.name}, {replicas} replicas"
    return Panel(title, share.device, _number(share), memory, _equal([*pods] * 2), True, facts)


def by_mps(kind: InstanceType, replicas: int) -> Panel:
    """Pods compute at once, each with its part of memory and threads."""
    sharing = Sharing("mps", replicas)
    (share,) = shares(kind, sharing)
    pods, each = PODS[: share.sharers], Fraction(1, share.sharers)
    memory = _equal([f"{pod}: {_gib(share, share.sharers)}" for pod in pods])
    lanes = _equal([f"{pod}: {each} of the threads" for pod in pods])
    facts = _facts(kind, sharing, f"at once, each with at most {each} of the threads")
    return Panel(f"mps: {kind.name}, {replicas} replicas", share.device, _number(share), memory, lanes, False, facts)


def divided(kind: InstanceType, layout: mig.Layout) -> Panel:
    """Pods have instances of their own, in places that the GPU has for them. Raises ValueError where it has none."""
    gpu = mig.gpu_of(kind)
    placed = mig.place(gpu, layout) if gpu else None
    if gpu is None or placed is None:
        raise ValueError(f"{kind.name} cannot be divided into {mig.written(layout)}")
    sharing = Sharing("mig", mig=Partitioning.of("mixed", [layout]))
    sizes = {share.profile: share for share in shares(kind, sharing)}
    slices = max(profile.compute_slices for profile in gpu.profiles.values())
    memory, lanes, computing = [], [], 0
    for pod, instance in zip(PODS, placed, strict=False):
        own = gpu.profiles[instance.profile].compute_slices
        text = f"{pod}: {_number(sizes[instance.profile]):.1f}"
        text += f" GiB, {instance.profile}" if instance.size > gpu.memory_slices // 4 else ""
        memory.append(_part(pod, instance.start, instance.size, gpu.memory_slices, text))
        lanes.append(_part(pod, computing, own, slices, f"{pod}: {own} of {slices} compute slices"))
        computing += own
    each = " or ".join(sorted({str(gpu.profiles[name].compute_slices) for name in layout}, reverse=True))
    return Panel(
        f"mig: {kind.name}, {mig.written(layout).replace(',', ', ')}",
        kind.accelerator.name,
        _gib_of(kind.accelerator.memory_mib),
        _with_unused(memory),
        _with_unused(lanes),
        False,
        _facts(kind, sharing, f"at once, each on compute slices of its own: {each} of {slices}"),
    )


def fractional(kind: InstanceType) -> Panel:
    """EC2 has divided the GPU, and the node sees its part alone."""
    (share,) = shares(kind)
    own = Fraction(kind.accelerator.partition_size)
    rest = "other instances of EC2, out of sight"
    parts = [Part("A", Fraction(0), own, f"A: {_gib(share)}"), Part("", own, 1 - own, rest)]
    lanes = [Part("A", Fraction(0), own, "A: its part, all the time"), Part("", own, 1 - own, rest)]
    facts = {
        "a pod asks": _asks(kind, EXCLUSIVE),
        "memory": f"divided by EC2: {own} of an {share.device}, {_gib(share)}",
        "compute": f"{own} of an {share.device}, all the time",
        "faults": "a pod's fault is its own",
        "metrics": "those of the part, by pod",
    }
    whole = _number(share) / float(own)
    return Panel(
        f"exclusive: {kind.name}, a fractional instance", share.device, whole, tuple(parts), tuple(lanes), False, facts
    )


def _equal(texts: Sequence[str]) -> tuple[Part, ...]:
    """Equal parts, for the pods that their texts begin with."""
    return tuple(_part(text.removeprefix("pod ")[0], index, 1, len(texts), text) for index, text in enumerate(texts))


def _part(pods: str, start: int, size: int, whole: int, text: str) -> Part:
    return Part(pods, Fraction(start, whole), Fraction(size, whole), text)


def _with_unused(parts: Sequence[Part]) -> tuple[Part, ...]:
    """The parts, and what lies between and after them."""
    found, at = [], Fraction(0)
    for part in (*parts, Part("", Fraction(1), Fraction(0), "")):
        if part.start > at:
            found.append(Part("", at, part.start - at, "unused", enforced=False))
        at = part.start + part.size
        found.append(part)
    return tuple(part for part in found if part.size)


def _facts(kind: InstanceType, sharing: Sharing, compute: str) -> dict[str, str]:
    said = effects(kind, sharing)
    return {
        "a pod asks": _asks(kind, sharing),
        "memory": said["memory"],
        "compute": compute,
        "faults": said["faults"],
        "metrics": said["metrics"],
    }


def _asks(kind: InstanceType, sharing: Sharing) -> str:
    """What a pod asks for, and how many of it the node has."""
    return ", or ".join(f"{share.resource}: 1; the node has {share.count}" for share in shares(kind, sharing))


def _gib(share: Share, sharers: int = 1) -> str:
    return f"{_number(share) / sharers:.2f} GiB"


def _number(share: Share) -> float:
    return _gib_of(share.memory_mib)


def _gib_of(memory_mib: int | None) -> float:
    if memory_mib is None:
        raise ValueError("a GPU whose memory is not known cannot be drawn")
    return memory_mib / 1024
