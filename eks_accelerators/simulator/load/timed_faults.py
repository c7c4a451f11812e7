"""Faults that strike in the midst of a load: devices, exporters, and EC2 without capacity."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from eks_accelerators.simulator.load.profile import seconds_of
from eks_accelerators.simulator.metrics.faults import DeviceFault, FaultError, parse

NO_CAPACITY = "no-capacity"
_FORM = f"{NO_CAPACITY}:GROUP"
"""How it is written."""


@dataclass(frozen=True, slots=True)
class TimedFault:
    """One fault, and when it strikes and ends in seconds from the beginning of the load; ``ends`` is None where it stays.

    Without ``device`` EC2 has no more nodes of ``group``: in ``zone``, or in no zone where that is None.
    """

    text: str
    at: int
    device: DeviceFault | None
    group: str = ""
    ends: int | None = None
    zone: str | None = None


def parse_timed(text: str, groups: Mapping[str, str] | Collection[str]) -> TimedFault:
    """`FAULT[@+TIME[..+TIME]]`, where FAULT is that of a device or an exporter, or `no-capacity:GROUP[/ZONE]`.

    The `+` may be left out. Raises `FaultError`.
    """
    what, found, moments = text.partition("@")
    at, ends = _moments(text, what, moments) if found else (0, None)
    name, _, where = what.partition(":")
    if name != NO_CAPACITY:
        return TimedFault(what, at, parse(what, set(groups), {NO_CAPACITY: _FORM}), ends=ends)
    group, in_zone, zone = where.partition("/")
    if group not in groups:
        known = ", ".join(sorted(groups)) or "no node group"
        raise FaultError(f"--fault {text}: found {group!r}; allowed: {known}; write {_FORM}")
    if in_zone and not zone:
        raise FaultError(
            f"--fault {text}: found no zone after /; allowed: a zone of {group}; write {NO_CAPACITY}:{group}"
        )
    return TimedFault(what, at, None, group, ends, zone or None)


def _moments(text: str, what: str, moments: str) -> tuple[int, int | None]:
    """When it strikes, and when it ends. Raises `FaultError`."""
    begin, until, end = moments.partition("..")
    try:
        at = seconds_of(begin.removeprefix("+"))
        ends = seconds_of(end.removeprefix("+")) if until else None
    except ValueError:
        raise FaultError(
            f"--fault {text}: found {moments!r}; allowed: a time from the beginning; write {what}@+5m"
        ) from None
    if ends is not None and ends <= at:
        raise FaultError(
            f"--fault {text}: found {end!r}; allowed: an end after the begin; write {what}@{begin}..+{(at + 600) // 60}m"
        )
    return at, ends
