"""A timeline as bars in plain text, one row for each top-level part of the deployment."""

from collections.abc import Sequence

from eks_accelerators.simulator.timeline.rounding import said, unit_of
from eks_accelerators.simulator.timeline.timeline import Step, Timeline

CRITICAL, BUSY, IDLE = "█", "▒", "·"
_SHORTEST_BAR = 10
_MARK_EVERY = 10
"""Columns between two marks of the scale, at least."""


def chart(timeline: Timeline, width: int = 80) -> str:
    """Bars of the timeline in ``width`` columns: on the critical path, busy, and begun but waiting for another part.

    Names are never cut, so that a very narrow chart is wider than asked for.
    """
    parts = _parts(timeline)
    if not parts:
        return ""
    labels = max(map(len, parts))
    lengths = {part: said(max(s.end for s in steps) - min(s.start for s in steps)) for part, steps in parts.items()}
    columns = max(_SHORTEST_BAR, width - labels - max(map(len, lengths.values())) - 4)
    critical: set[tuple[str, str]] = {(step.urn, step.action) for step in timeline.path}
    rows = [
        f"{part:<{labels}}  {_bar(steps, timeline.makespan, columns, critical)}  {lengths[part]}"
        for part, steps in parts.items()
    ]
    return "\n".join([*rows, f"{'':<{labels}}  {_scale(timeline.makespan, columns)}"])


def _parts(timeline: Timeline) -> dict[str, list[Step]]:
    """The steps that take time, by part; parts by their start, then their end."""
    parts: dict[str, list[Step]] = {}
    for step in timeline.steps:
        if step.seconds > 0:
            parts.setdefault(step.part, []).append(step)
    return dict(sorted(parts.items(), key=lambda part: (part[1][0].start, max(s.end for s in part[1]), part[0])))


def _bar(steps: Sequence[Step], total: float, columns: int, critical: set[tuple[str, str]]) -> str:
    cells = [" "] * columns
    first, last = min(step.start for step in steps), max(step.end for step in steps)
    for sign, spans in (
        (IDLE, [(first, last)]),
        (BUSY, [(step.start, step.end) for step in steps]),
        (CRITICAL, [(step.start, step.end) for step in steps if (step.urn, step.action) in critical]),
    ):
        for start, end in spans:
            left = min(int(start / total * columns), columns - 1)
            right = max(left + 1, round(end / total * columns))  # something that happened is seen
            cells[left:right] = sign * (right - left)
    return "".join(cells)


def _scale(total: float, columns: int) -> str:
    """Round numbers of seconds or minutes below the columns where they are."""
    size, sign = unit_of(total)
    length = total / size
    each = next(n for n in (1, 2, 5, 10, 15, 30, 60, 120, 240, 10**9) if n / length * columns >= _MARK_EVERY)
    line = ""
    for mark in range(0, int(length) + 1, each):
        at = int(mark / length * columns)
        if at + len(str(mark)) <= columns:
            line = f"{line:<{at}}{mark}"
    return f"{line} {sign}"
