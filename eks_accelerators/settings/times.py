"""Dates that stand in a stack file without quotes, of which the Pulumi CLI makes Go's text of a time.

Where a setting is a time, that text is read as one. Where it is any other text it would silently become a tag, a label or a
name that nobody wrote, so it is refused.
"""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

from eks_accelerators.settings.paths import Part, dotted
from eks_accelerators.settings.problems import Problem, Severity
from eks_accelerators.settings.pulumi_values import iso_time

Path = tuple[Part, ...]


def read_times(values: Any, is_time: Callable[[Path], bool]) -> tuple[Any, tuple[Problem, ...]]:
    """``values`` with the times among them in ISO 8601, and a problem for each that is none.

    ``is_time`` says whether the setting at a path is a time.
    """
    found = list(_handed_over((), values))
    if not found:
        return values, ()
    meant = {path: time for path, time, is_key in found if not is_key and is_time(path)}
    return _replaced((), values, meant), tuple(_not_meant(path, time) for path, time, _ in found if path not in meant)


def _handed_over(path: Path, value: Any) -> Iterator[tuple[Path, str, bool]]:
    """Every text below ``path`` that was a date without quotes, as ISO 8601, and whether it is a key."""
    if isinstance(value, dict):
        for key, child in value.items():
            if time := iso_time(str(key)):
                yield (*path, key), time, True
            yield from _handed_over((*path, key), child)
    elif isinstance(value, list):
        for index, child in enumerate(value):
            yield from _handed_over((*path, index), child)
    elif isinstance(value, str) and (time := iso_time(value)):
        yield path, time, False


def _replaced(path: Path, value: Any, times: dict[Path, str]) -> Any:
    if isinstance(value, dict):
        return {key: _replaced((*path, key), child, times) for key, child in value.items()}
    if isinstance(value, list):
        return [_replaced((*path, index), child, times) for index, child in enumerate(value)]
    return _utc(times[path]) if path in times else value


def _utc(time: str) -> str:
    try:
        return datetime.fromisoformat(time).astimezone(UTC).isoformat().replace("+00:00", "Z")
    except (ValueError, OverflowError):  # the year 0, which Go has; the setting's own type refuses it
        return time


def _not_meant(path: Path, time: str) -> Problem:
    return Problem(
        "unquoted-date",
        Severity.ERROR,
        dotted(path),
        "Pulumi takes a date without quotes for a time, and hands over another text than stands there",
        time,
        "text",
        "put it in quotes",
    )
