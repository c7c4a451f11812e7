"""How `accel blocks` writes times, money and JSON."""

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import typer


def print_json(data: dict[str, Any]) -> None:
    """The answer as JSON, and nothing else."""
    typer.echo(json.dumps(data, indent=2))


def moment(at: datetime) -> str:
    """A time in UTC, to the minute."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M}"


def money(amount: Decimal | None) -> str | None:
    """A price by the hour for JSON: text with four digits, null where unknown."""
    return None if amount is None else f"{amount:.4f}"


def percent(part: Decimal | None) -> str:
    """A part of one in percent."""
    return "unknown" if part is None else f"{part * 100:.0f} %"


def short(number: Decimal) -> str:
    """A number without digits that say nothing: `72`, `71.5`."""
    return f"{number:.2f}".rstrip("0").rstrip(".")
