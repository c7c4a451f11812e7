"""Moments as a user writes them on the command line."""

import re
from datetime import UTC, datetime, timedelta

from eks_accelerators.simulator.aws.bounds import EARLIEST, LATEST

_STEP = re.compile(r"\+(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?")
_FORMS = "2026-12-01T11:30, 2026-12-01T11:30:00+01:00, or a step such as +3h, +2d or +1d12h30m"


def parse_moment(text: str, now: datetime) -> datetime:
    """``text`` as a moment in UTC; without an offset it is UTC, and a step counts from ``now``.

    Raises `ValueError` with the forms that are allowed.
    """
    try:
        return _step(text, now) if text.startswith("+") else _moment(text)
    except (ValueError, OverflowError):
        raise ValueError(f"{text!r} is no time; write {_FORMS}") from None


def parse_clock(text: str, now: datetime) -> datetime:
    """``text`` as a moment to which a simulated clock can go that stands at ``now``.

    Raises `ValueError` where there is no such moment: time does not run backwards, and has an end.
    """
    moment = parse_moment(text, now)
    if moment > LATEST:
        raise ValueError(f"{text!r} is too late: a simulated clock goes to {LATEST:%Y-%m-%d}, from {EARLIEST:%Y-%m-%d}")
    if moment < now.replace(microsecond=0):
        raise ValueError(
            f"{text!r} is too early: the simulated clock stands at {now:%Y-%m-%d %H:%M} UTC and does not run backwards; "
            "the account file says where the clock of a new simulation begins"
        )
    return moment


def _step(text: str, now: datetime) -> datetime:
    found = _STEP.fullmatch(text)
    if not found or not any(found.groups()):
        raise ValueError(text)
    weeks, days, hours, minutes = (int(part or 0) for part in found.groups())
    return now + timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes)


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
