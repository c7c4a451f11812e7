"""PromQL and rule files as a Prometheus gets them that goes by the wall clock: the one place where they are compressed.

Every duration is divided by the pace: ranges, steps of subqueries, offsets, `for`, `keep_firing_for`, intervals. `time()`
becomes the simulated moment, because thresholds on it are in simulated seconds. Numbers stay: a rate is per second of
either clock, as exporters count what goes on all the time at its true rate per wall second.
Source: Prometheus documentation 3, `querying/basics` and `configuration/recording_rules`, read 2026-11-22.
"""

import re
from collections.abc import Mapping
from typing import Any

from eks_accelerators.simulator.pace import Pace, PacedClock

_TOKEN = re.compile(
    r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|`[^`]*`|#[^\n]*'
    r"|(?P<time>time\s*\(\s*\))"
    r"|:*[a-zA-Z_][a-zA-Z0-9_:]*"  # a name; in [1h:5m] what follows the colon is none
    r"|(?P<number>\d[0-9a-zA-Z.]*)"
    r"|(?P<open>\[)|(?P<close>\])|(?P<sign>[-+])|\s+|.",
    re.DOTALL,
)
_UNITS = {
    "y": 365 * 86_400_000,
    "w": 7 * 86_400_000,
    "d": 86_400_000,
    "h": 3_600_000,
    "m": 60_000,
    "s": 1000,
    "ms": 1,
}
_DURATION = re.compile("".join(rf"(?:(\d+){unit})?" for unit in _UNITS))


def milliseconds(duration: str) -> int:
    """The length of a duration such as `1h30m`; raises ValueError for what Prometheus would not read as one."""
    found = _DURATION.fullmatch(duration)
    if not found or not any(found.groups()):
        raise ValueError(f"found {duration!r}; allowed: a duration of Prometheus, such as 30s, 10m or 1h30m")
    return sum(int(count) * size for count, size in zip(found.groups(), _UNITS.values(), strict=True) if count)


def written(wall_seconds: float) -> str:
    """A duration as Prometheus reads it, to the millisecond, which is its resolution. What is not 0 is at least that."""
    length = max(1, round(wall_seconds * 1000)) if wall_seconds > 0 else 0
    return f"{length // 1000}s" if length % 1000 == 0 else f"{length}ms"


def duration(text: str, pace: Pace) -> str:
    """A duration at this pace. Raises ValueError for what is none."""
    return written(pace.wall(milliseconds(text) / 1000))


def expression(text: str, clock: PacedClock) -> str:
    """A PromQL expression in simulated time, as it asks a Prometheus that goes by the wall clock.

    Text, labels and numbers stay as they are. A moment after `@` is a simulated one.
    """
    parts: list[str] = []
    in_range, expected = False, ""
    for token in _TOKEN.finditer(text):
        kind, part = token.lastgroup, token.group()
        if kind == "number" and (in_range or expected == "offset"):
            part = _length(part, clock.pace)
        elif kind == "number" and expected == "@":
            part = f"{clock.wall(float(part)):.3f}"
        elif kind == "time":
            part = _simulated_time(clock)
        parts.append(part)
        in_range = kind == "open" or (in_range and kind != "close")
        if not (part.isspace() or kind == "sign" or part.startswith("#")):
            expected = part.lower() if part.lower() in ("offset", "@") else ""
    return "".join(parts)


def rule_file(rules: Mapping[str, Any], clock: PacedClock) -> dict[str, Any]:
    """The content of a rule file, such as `as_rule_file` gives, at this pace."""
    return {**rules, "groups": [_group(group, clock) for group in rules["groups"]]}


def _group(group: Mapping[str, Any], clock: PacedClock) -> dict[str, Any]:
    times = {key: duration(group[key], clock.pace) for key in ("interval", "query_offset") if key in group}
    return {**group, **times, "rules": [_rule(rule, clock) for rule in group["rules"]]}


def _rule(rule: Mapping[str, Any], clock: PacedClock) -> dict[str, Any]:
    times = {key: duration(rule[key], clock.pace) for key in ("for", "keep_firing_for") if key in rule}
    return {**rule, **times, "expr": expression(rule["expr"], clock)}


def _length(text: str, pace: Pace) -> str:
    """A duration, or a number of seconds, which Prometheus takes in its place."""
    return written(pace.wall(float(text))) if text.replace(".", "", 1).isdigit() else duration(text, pace)


def _simulated_time(clock: PacedClock) -> str:
    """The simulated moment of an evaluation. A double holds seconds of today to a microsecond."""
    return f"({clock.simulated_begin!r} + {clock.pace.factor!r} * (time() - {clock.wall_begin!r}))"
