"""The length of a deployment in a sentence, with what it is made of."""

from itertools import groupby

from eks_accelerators.accelerators import durations
from eks_accelerators.simulator.timeline.rounding import shares, unit_of
from eks_accelerators.simulator.timeline.timeline import Step, Timeline


def sentence(timeline: Timeline) -> str:
    """Such as `19 min on AWS: cluster 9 → add-ons 1 → node group 2 → Llama 7`.

    The parts are those of the critical path; they add up, and what rounds to nothing is left out. Where lengths
    are unknown it says so.
    """
    if not timeline.steps:
        return "nothing to do on AWS"
    labels, lengths = _parts(timeline)
    size, sign = unit_of(timeline.makespan)
    rounded = shares(lengths, size)
    least = "at least " if timeline.unknown else ""
    total = f"{least}{sum(rounded)} {sign} on AWS"
    said = [(label, length) for label, length in zip(labels, rounded, strict=True) if length]
    parts = [(label, sum(n for _, n in same)) for label, same in groupby(said, key=lambda part: part[0])]
    named = [f"{label} {length}" for label, length in parts] if len(parts) > 1 else [label for label, _ in parts]
    shown = f"{total}: {' → '.join(named)}" if named else total
    unknown = ", ".join(kind.rpartition(":")[2] for kind in timeline.unknown)
    return f"{shown}; not counted: {unknown}" if unknown else shown


def _parts(timeline: Timeline) -> tuple[list[str], list[float]]:
    """Consecutive steps of one name are one part; last, the time lost by waiting for a free worker."""
    mixed = len({step.action == "delete" for step in timeline.path}) > 1
    labels, lengths = [], []
    for label, steps in groupby(timeline.path, key=lambda step: _label(step, mixed=mixed)):
        labels.append(label)
        lengths.append(sum(step.seconds for step in steps))
    labels.append("waiting for a worker")
    lengths.append(timeline.makespan - timeline.critical_seconds)
    return labels, lengths


def _label(step: Step, *, mixed: bool) -> str:
    label = durations.name(step.type, step.name)
    return f"delete {label}" if mixed and step.action == "delete" else label
