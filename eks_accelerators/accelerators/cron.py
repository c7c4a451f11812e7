"""Cron expressions of five fields, as KEDA reads them.

Source: robfig/cron v3.0.1 `parser.go`: fields of numbers, names, ranges, lists and steps; the days of the week are 0 (Sunday) to
6, and 7 is refused. Read 2026-11-22.
"""

import re
from dataclasses import dataclass

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_PART = re.compile(r"(?P<first>\*|\?|\w+)(-(?P<last>\w+))?(/(?P<step>\d+))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class _Field:
    least: int
    most: int
    names: tuple[str, ...] = ()

    def number(self, text: str) -> int | None:
        """What ``text`` stands for; None where it is nothing of this field."""
        if text.lower() in self.names:
            return self.least + self.names.index(text.lower())
        found = int(text) if text.isdecimal() else -1
        return found if self.least <= found <= self.most else None

    def allows(self, part: str) -> bool:
        """Whether one part of a list is right."""
        match = _PART.fullmatch(part)
        if match is None or (match["step"] and int(match["step"]) == 0):
            return False
        if match["first"] in ("*", "?"):
            return match["last"] is None
        first, last = self.number(match["first"]), self.number(match["last"] or match["first"])
        return first is not None and last is not None and first <= last


_FIELDS = (_Field(0, 59), _Field(0, 23), _Field(1, 31), _Field(1, 12, _MONTHS), _Field(0, 6, _DAYS))


def is_cron(text: str) -> bool:
    """Whether ``text`` is a cron expression of five fields that KEDA takes."""
    fields = text.split()
    return len(fields) == len(_FIELDS) and all(
        field.allows(part) for field, written in zip(_FIELDS, fields, strict=True) for part in written.split(",")
    )
