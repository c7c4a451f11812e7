"""What holds of an account file beyond its shape, judged by what is written: the rest of it may yet be of the wrong shape."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from eks_accelerators.accelerators import instance_types, other_accelerators, quotas, system_instance_types, zones
from eks_accelerators.accelerators.suggest import closest
from eks_accelerators.settings.paths import Part, dotted
from eks_accelerators.settings.problems import Problem, Severity
from eks_accelerators.settings.pulumi_values import iso_time
from eks_accelerators.simulator.aws.bounds import EARLIEST, LATEST
from eks_accelerators.simulator.written_file import Rules

CODE = "account-file"
_BLOCKS = ("capacityReservations", "capacityBlockOfferings")
_IN_A_ZONE = (*_BLOCKS, "insufficientCapacity")
_BOUNDS = f"{EARLIEST:%Y-%m-%d} to {LATEST:%Y-%m-%d}"


@dataclass(frozen=True, slots=True)
class _Part:
    """One entry of a list of the file: keys with values."""

    path: tuple[Part, ...]
    values: Mapping[str, Any]

    def problem(self, key: str, message: str, allowed: str, fix: str) -> Problem:
        return _problem((*self.path, key), message, self.values[key], allowed, fix)


def account_rules(region: str) -> Rules:
    """The rules for an account in ``region``."""
    return partial(_problems, region)


def _problems(region: str, found: Mapping[str, Any], refused: Sequence[Problem]) -> Iterator[Problem]:
    """What is wrong beyond the shape; of what is ``refused`` for its shape nothing more is said."""
    told = {problem.path for problem in refused}
    for problem in _every(region, found):
        if problem.path not in told:
            yield problem


def _every(region: str, found: Mapping[str, Any]) -> Iterator[Problem]:
    yield from _out_of_bounds((), found, ("now",))
    yield from _unknown_quotas(found)
    yield from _zones_of_the_cluster(region, found)
    for kind in _IN_A_ZONE:
        for part in _parts(kind, found):
            yield from _unknown_type(part, blocks=kind in _BLOCKS)
            yield from _unknown_zone(region, part)
            yield from _out_of_bounds(part.path, part.values, ("start", "end"))
            yield from _ends_first(part)
    for kind in _BLOCKS:
        yield from _twice(_parts(kind, found))


def _parts(kind: str, found: Mapping[str, Any]) -> list[_Part]:
    written = found.get(kind)
    entries = enumerate(written) if isinstance(written, list) else ()
    return [_Part((kind, index), each) for index, each in entries if isinstance(each, Mapping)]


def _out_of_bounds(path: tuple[Part, ...], values: Mapping[str, Any], keys: Sequence[str]) -> Iterator[Problem]:
    """Moments are those of which the simulation knows something."""
    for key in keys:
        moment = _moment(values.get(key))
        if moment is not None and not EARLIEST <= moment <= LATEST:
            message = "this is outside of what is simulated"
            yield _problem((*path, key), message, values[key], _BOUNDS, "write a moment between these")


def _ends_first(part: _Part) -> Iterator[Problem]:
    start, end = _moment(part.values.get("start")), _moment(part.values.get("end"))
    if start is not None and end is not None and end <= start:
        message = "a Capacity Block ends after it begins"
        yield part.problem("end", message, f"after {start.isoformat()}", "write a later end, or an earlier start")


def _unknown_type(part: _Part, *, blocks: bool) -> Iterator[Problem]:
    """An instance type is one that there is; one of ``blocks`` is accelerated."""
    name = part.values.get("instanceType")
    if not isinstance(name, str) or instance_types.find(name):
        return
    if not blocks and (system_instance_types.find(name) or other_accelerators.has_no_accelerator(name)):
        return
    unknown = instance_types.UnknownInstanceTypeError(name, () if blocks else system_instance_types.names())
    allowed = "an accelerated instance type, such as p5.48xlarge" if blocks else "an instance type, such as g6.xlarge"
    yield part.problem("instanceType", unknown.message, allowed, unknown.fix)


def _unknown_zone(region: str, part: _Part) -> Iterator[Problem]:
    if isinstance(zone := part.values.get("zone"), str) and (refused := _no_zone(region, zone)):
        yield part.problem("zone", *refused)


def _zones_of_the_cluster(region: str, found: Mapping[str, Any]) -> Iterator[Problem]:
    cluster = found.get("cluster")
    written = cluster.get("zones") if isinstance(cluster, Mapping) else None
    for index, zone in enumerate(written if isinstance(written, list) else ()):
        if isinstance(zone, str) and (refused := _no_zone(region, zone)):
            message, allowed, fix = refused
            yield _problem(("cluster", "zones", index), message, zone, allowed, fix)


def _no_zone(region: str, zone: str) -> tuple[str, str, str] | None:
    """What is wrong with a zone, which stands by its name; what is allowed, and the fix."""
    known = zones.known(region, ids=False)
    if zone in known if known else zones.belongs_to(zone, region) and not zones.is_zone_id(zone):
        return None
    allowed = ", ".join(known or (f"{region}a", f"{region}b"))
    if zones.is_zone_id(zone):
        return "a zone stands by its name here", allowed, f"write its name, such as `{region}a`"
    guess = closest(zone, known or ()) or f"{region}a"
    return f"{region}, the region of the stack, has no such zone", allowed, f"write for example `{guess}`"


def _unknown_quotas(found: Mapping[str, Any]) -> Iterator[Problem]:
    """A code that nothing counts against would limit nothing."""
    written = found.get("quotas")
    known = quotas.codes()
    for code in written if isinstance(written, Mapping) else ():
        if code not in known:
            guess = closest(code, known)
            fix = f"did you mean `{guess}`, {quotas.name(guess)}?" if guess else "write one of these, or remove it"
            yield _problem(("quotas", code), "no instance counts against such a quota", code, ", ".join(known), fix)


def _twice(parts: Sequence[_Part]) -> Iterator[Problem]:
    named = [part for part in parts if isinstance(part.values.get("id"), str)]
    count = Counter(part.values["id"] for part in named)
    for part in named:
        if count[part.values["id"]] > 1:
            yield part.problem("id", "several have this ID", "each ID once", "give each an ID of its own")


def _moment(written: Any) -> datetime | None:
    """The moment that is written; None of what is none, or says no time zone."""
    if not isinstance(written, str):
        return None
    try:
        found = datetime.fromisoformat(iso_time(written) or written)
    except ValueError:
        return None
    return found if found.tzinfo else None


def _problem(path: tuple[Part, ...], message: str, found: object, allowed: str, fix: str) -> Problem:
    shown = iso_time(found) or found if isinstance(found, str) else str(found)
    return Problem(CODE, Severity.ERROR, dotted(path), message, shown, allowed, fix)
