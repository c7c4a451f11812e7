"""How `accel blocks` writes times and numbers."""

from datetime import UTC, datetime
from decimal import Decimal


def moment(at: datetime) -> str:
    """A time in UTC, to the minute."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M}"


def percent(part: Decimal | None) -> str:
    """A part of one in percent."""
    return "unknown" if part is None else f"{part * 100:.0f} %"


def short(number: Decimal) -> str:
    """A number without digits that say nothing: `72`, `71.5`."""
    return f"{number:.2f}".rstrip("0").rstrip(".")
