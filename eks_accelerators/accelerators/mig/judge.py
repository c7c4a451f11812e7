"""Whether a layout can be had on the GPUs of an instance type, what it gives, and what comes nearest."""

import re
from dataclasses import dataclass

from eks_accelerators.accelerators import instance_types
from eks_accelerators.accelerators.findings import Finding
from eks_accelerators.accelerators.instance_types import InstanceType
from eks_accelerators.accelerators.mig.layouts import Layout, LayoutSyntaxError, parse, written
from eks_accelerators.accelerators.mig.placement import MigInstance, nearest, place
from eks_accelerators.accelerators.mig.profiles import MigGpu, gpu_of
from eks_accelerators.accelerators.suggest import closest

CODES = ("mig-unsupported", "mig-unknown", "mig-syntax", "mig-profile", "mig-count", "mig-placement")
"""Codes of the problems that are found."""


@dataclass(frozen=True, slots=True)
class MigJudgement:
    """What is to be said of a layout.

    ``placement`` is one way to have it, empty where there is none; ``nearest`` are layouts that can be had, empty
    where this one can, or where nothing like it can.
    """

    problems: tuple[Finding, ...]
    placement: tuple[MigInstance, ...] = ()
    nearest: tuple[Layout, ...] = ()

    @property
    def valid(self) -> bool:
        """Whether the GPU can be divided so."""
        return not self.problems


def judge_text(instance_type: InstanceType, text: str) -> MigJudgement:
    """Judge a layout written as `3g.40gb=1,1g.10gb=4`."""
    unsupported = _unsupported(instance_type)
    if unsupported:
        return MigJudgement((unsupported,))
    try:
        return judge(instance_type, parse(text))
    except LayoutSyntaxError as error:
        return MigJudgement((Finding("mig-syntax", "", str(error)),))


def judge(instance_type: InstanceType, layout: Layout) -> MigJudgement:
    """Judge ``layout`` for each GPU of a node."""
    gpu = gpu_of(instance_type)
    if gpu is None:
        unsupported = _unsupported(instance_type)
        return MigJudgement((unsupported,) if unsupported else ())
    problems = [_unknown(gpu, name) for name in layout if name not in gpu.profiles]
    problems += [
        Finding("mig-count", name, f"{layout[name]} x {name}: {gpu.name} takes at most {gpu.profiles[name].maximum}")
        for name in layout
        if name in gpu.profiles and layout[name] > gpu.profiles[name].maximum
    ]
    placement = None if problems else place(gpu, layout)
    if placement is None:
        if not problems:
            problems.append(Finding("mig-placement", "", _impossible(gpu, layout)))
        return MigJudgement(tuple(problems), nearest=_proposals(gpu, layout))
    return MigJudgement((), placement)


def _unsupported(instance_type: InstanceType) -> Finding | None:
    chip = instance_type.accelerator.name
    if not instance_type.mig_capable:
        with_mig = ", ".join(kind.name for kind in instance_types.every() if gpu_of(kind))
        return Finding("mig-unsupported", "", f"{instance_type.name} ({chip}) has no MIG; these have: {with_mig}")
    if gpu_of(instance_type) is None:
        return Finding(
            "mig-unknown", "", f"the MIG profiles of {instance_type.name} ({chip}) are not known, so nothing is judged"
        )
    return None


def _unknown(gpu: MigGpu, name: str) -> Finding:
    near = _like(gpu, name) or closest(name, gpu.profiles)
    hint = f"did you mean {near}? It has: " if near else "it has: "
    return Finding("mig-profile", name, f"{gpu.name} has no profile {name}; {hint}{', '.join(gpu.profiles)}")


def _impossible(gpu: MigGpu, layout: Layout) -> str:
    compute = sum(gpu.profiles[name].compute_slices * count for name, count in layout.items())
    memory = sum(gpu.profiles[name].size * count for name, count in layout.items())
    slices = f"{compute} compute slices and {memory} memory slices"
    if compute > _compute_slices(gpu) or memory > gpu.memory_slices:
        return f"{written(layout)} needs {slices}; {gpu.name} has {_compute_slices(gpu)} and {gpu.memory_slices}"
    return f"{written(layout)} needs {slices}, which {gpu.name} has, but not from slices where each may start"


def _compute_slices(gpu: MigGpu) -> int:
    return max(profile.compute_slices for profile in gpu.profiles.values())


def _proposals(gpu: MigGpu, layout: Layout) -> tuple[Layout, ...]:
    """The nearest layouts; a profile of another GPU stands for the one of as many compute slices."""
    wanted: dict[str, int] = {}
    for name, count in layout.items():
        own = name if name in gpu.profiles else _like(gpu, name)
        if own:
            wanted[own] = wanted.get(own, 0) + count
    return tuple(nearest(gpu, wanted)) if wanted else ()


def _like(gpu: MigGpu, name: str) -> str | None:
    match = re.match(r"(\d)g", name, re.ASCII)
    wanted = (match[1], name.endswith("+me")) if match else None
    for own in gpu.profiles:
        if wanted == (own[0], own.endswith("+me")):
            return own
    return None
