"""What holds between the steps of a load, judged by what is written: the rest of it may yet be of the wrong shape."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeGuard

from eks_accelerators.settings.paths import Part, dotted, split
from eks_accelerators.settings.problems import Problem, Severity
from eks_accelerators.settings.validation import meant_key
from eks_accelerators.simulator.load.profile import LONGEST_SECONDS, LoadProfile, seconds_of

_LOADS = ("requests", "perSecond")
_LONGEST = f"{LONGEST_SECONDS // 3600}h"


def step_problems(found: Mapping[str, Any], refused: Sequence[Problem]) -> Iterator[Problem]:
    """The problems between the keys of a profile, beside those ``refused`` for their shape. A key that is misspelt is not missed."""
    written = found.get("steps")
    steps = [each if isinstance(each, Mapping) else None for each in written] if isinstance(written, list) else []
    unknown = [split(problem.path) for problem in refused if problem.code == "unknown-key"]
    misspelt = {loc[:-1] for loc in unknown if meant_key(loc, LoadProfile) in _LOADS}
    for index, step in enumerate(steps):
        if step is not None:
            yield from _one_load(index, step, misspelt=("steps", index) in misspelt)
    yield from _out_of_bounds(found, steps)
    yield from _out_of_order(found, steps)


def _one_load(index: int, step: Mapping[str, Any], *, misspelt: bool) -> Iterator[Problem]:
    """A step has one of both kinds of load."""
    said = [key for key in _LOADS if step.get(key) is not None]
    allowed = "requests (in flight), or perSecond"
    if len(said) == len(_LOADS):
        message = "a step has one kind of load: users who wait for their answer, or those who do not"
        yield _problem(("steps", index), message, " and ".join(said), allowed, "remove one of the two")
    elif not said and not misspelt:
        keys = ", ".join(str(key) for key in step if step[key] is not None)
        yield _problem(("steps", index), "the step says no load", keys, allowed, "add `requests: 40`")


def _out_of_bounds(found: Mapping[str, Any], steps: Sequence[Mapping[str, Any] | None]) -> Iterator[Problem]:
    """Moments are within a day."""
    for index, step in enumerate(steps):
        if step is not None and (at := _seconds(step.get("at", 0))) is not None and not _is_moment(at):
            message = "a step begins within the load" if at > 0 else "a step begins at the beginning, or later"
            yield _problem(
                ("steps", index, "at"), message, step["at"], f"0 to {_LONGEST}", "write for example `at: 5m`"
            )
    lasts = _seconds(found.get("for"))
    if lasts is not None and not 0 < lasts <= LONGEST_SECONDS:
        message = f"a load lasts {_LONGEST} at most" if lasts > 0 else "the load is over as it begins"
        yield _problem(("for",), message, found["for"], f"1s to {_LONGEST}", "write for example `for: 30m`")


def _out_of_order(found: Mapping[str, Any], steps: Sequence[Mapping[str, Any] | None]) -> Iterator[Problem]:
    """The first step is at the beginning, each begins after the one before it, and the load ends after the last has begun."""
    written = [(index, step.get("at", 0)) for index, step in enumerate(steps) if step is not None]
    known = [(index, at, seconds) for index, at in written if _is_moment(seconds := _seconds(at))]
    if known and known[0][0] == 0 and known[0][2] != 0:
        yield _problem(
            ("steps", 0, "at"), "the first step is the load from the beginning on", known[0][1], "0", "write `at: 0`"
        )
    for (_, before, earlier), (index, at, later) in itertools.pairwise(known):
        if later <= earlier:
            message = "a step begins after the one before it, which it ends"
            fix = "write the steps in order of time, each with an `at` of its own"
            yield _problem(("steps", index, "at"), message, at, f"after {before}", fix)
    lasts, last = _seconds(found.get("for")), max(known, key=lambda each: each[2], default=None)
    if last and lasts and 0 < lasts <= last[2]:
        message = f"the load ends before steps[{last[0]}] has begun, or as it begins"
        yield _problem(
            ("for",), message, found["for"], f"more than {last[1]}", "let it last longer, or remove the step"
        )


def _seconds(written: Any) -> int | None:
    """The seconds of what is written; None of what is no duration."""
    if isinstance(written, str):
        try:
            return seconds_of(written)
        except ValueError:
            return None
    return written if isinstance(written, int) and not isinstance(written, bool) else None


def _is_moment(seconds: int | None) -> TypeGuard[int]:
    return seconds is not None and 0 <= seconds <= LONGEST_SECONDS


def _problem(loc: tuple[Part, ...], message: str, found: Any, allowed: str, fix: str) -> Problem:
    return Problem("load-steps", Severity.ERROR, dotted(loc), message, str(found) or "nothing", allowed, fix)
