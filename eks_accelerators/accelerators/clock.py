"""The present, by which windows and dates are judged: one place, so that a simulation can set it."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

_set: datetime | None = None


def now() -> datetime:
    """The present in UTC; inside `set_to` the moment that was set."""
    return _set or datetime.now(UTC)


@contextmanager
def set_to(moment: datetime) -> Iterator[None]:
    """Inside, `now` stands still at ``moment``, in every thread."""
    global _set  # noqa: PLW0603  (programs under an engine run on threads of their own)
    before, _set = _set, moment.astimezone(UTC)
    try:
        yield
    finally:
        _set = before
