"""Faults that strike in the midst of a load: devices, exporters, and EC2 without capacity."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from eks_accelerators.simulator.load.profile import seconds_of
from eks_accelerators.simulator.metrics.faults import DeviceFault, FaultError, parse

NO_CAPACITY = "no-capacity"


@dataclass(frozen=True, slots=True)
class TimedFault:
    """One fault, and when it strikes in seconds from the beginning of the load. Without ``device`` EC2 has no more nodes of
    ``group``.
    """

    text: str
    at: int
    device: DeviceFault | None
    group: str = ""


def parse_timed(text: str, groups: Mapping[str, str] | Collection[str]) -> TimedFault:
    """`FAULT[@+TIME]`, where FAULT is that of a device or an exporter, or `no-capacity:GROUP`. Raises `FaultError`."""
    what, found, moment = text.partition("@")
    at = 0
    if found:
        try:
            at = seconds_of(moment.removeprefix("+"))
        except ValueError:
            raise FaultError(
                f"--fault {text}: found {moment!r}; allowed: a time from the beginning; write {what}@+5m"
            ) from None
    name, _, group = what.partition(":")
    if name != NO_CAPACITY:
        return TimedFault(what, at, parse(what, set(groups)))
    if group not in groups:
        known = ", ".join(sorted(groups)) or "no node group"
        raise FaultError(f"--fault {text}: found {group!r}; allowed: {known}; write {NO_CAPACITY}:GROUP")
    return TimedFault(what, at, None, group)
