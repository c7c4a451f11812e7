"""Cron expressions of five fields, as KEDA reads them.

Source: robfig/cron v3.0.1 `parser.go`: fields of numbers, names, ranges, lists and steps; the days of the week are 0 (Sunday) to
6, and 7 is refused; `spec.go`: where neither the day of the month nor that of the week is `*` or `?`, either will do.
Read 2026-11-22.
"""

import calendar
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

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

    def numbers(self, written: str) -> set[int]:
        """All numbers of a whole field whose parts are right."""
        return {number for part in written.split(",") for number in self._range(part)}

    def _range(self, part: str) -> range:
        match = _PART.fullmatch(part)
        assert match is not None
        step = int(match["step"] or 1)
        first = self.number(match["first"])
        if first is None:  # any
            return range(self.least, self.most + 1, step)
        if match["last"]:
            last = self.number(match["last"])
            assert last is not None
        else:
            last = self.most if match["step"] else first
        return range(first, last + 1, step)


_DAY, _MONTH = _Field(1, 31), _Field(1, 12, _MONTHS)
_FIELDS = (_Field(0, 59), _Field(0, 23), _DAY, _MONTH, _Field(0, 6, _DAYS))
_A_LEAP_YEAR = 2024


def is_cron(text: str) -> bool:
    """Whether ``text`` is a cron expression of five fields that KEDA takes."""
    fields = text.split()
    return len(fields) == len(_FIELDS) and all(
        field.allows(part) for field, written in zip(_FIELDS, fields, strict=True) for part in written.split(",")
    )


def ever_comes(text: str) -> bool:
    """Whether a cron expression of five fields names a day that exists, as 31 February does not.

    A day or month that is written as other crons have it, such as `L`, is not judged.
    """
    _, _, day, month, weekday = text.split()
    if not all(field.allows(part) for field, whole in ((_DAY, day), (_MONTH, month)) for part in whole.split(",")):
        return True
    if not _is_any(weekday):
        return True  # on that day of the week, whatever the day of the month
    longest = max(calendar.monthrange(_A_LEAP_YEAR, number)[1] for number in _MONTH.numbers(month))
    return min(_DAY.numbers(day)) <= longest


def times(text: str, zone: tzinfo, after: datetime, until: datetime) -> Iterator[datetime]:
    """When a cron expression that `is_cron` comes in a time zone: later than ``after``, and by ``until``; in UTC.

    A time that the clock skips in spring comes an hour late.
    """
    minutes, hours, days, months, weekdays = (
        field.numbers(written) for field, written in zip(_FIELDS, text.split(), strict=True)
    )
    either = not any(_is_any(written) for written in text.split()[2::2])
    date, last = (at.astimezone(zone).date() for at in (after, until))
    while date <= last:
        by_day, by_weekday = date.day in days, date.isoweekday() % 7 in weekdays
        if date.month in months and (by_day or by_weekday if either else by_day and by_weekday):
            for hour in sorted(hours):
                for minute in sorted(minutes):
                    at = datetime(date.year, date.month, date.day, hour, minute, tzinfo=zone).astimezone(UTC)
                    if after < at <= until:
                        yield at
        date += timedelta(days=1)


def _is_any(written: str) -> bool:
    return any(part in ("*", "?", "*/1", "?/1") for part in written.split(","))
