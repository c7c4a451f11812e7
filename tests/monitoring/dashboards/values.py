"""Values as people read them, by Grafana's identifier of the unit; Grafana's own words differ in small things."""

import math
from collections.abc import Callable
from datetime import UTC, datetime

from eks_accelerators.monitoring.dashboards import plan

_BINARY = ("B", "KiB", "MiB", "GiB", "TiB")
_DECIMAL = ("B/s", "kB/s", "MB/s", "GB/s", "TB/s")


def shown(value: float, unit: str) -> str:
    """The value with its unit, to three digits or so."""
    return _WRITERS.get(unit, _number)(value) if math.isfinite(value) else "no value"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) or abs(value) >= 1000 else f"{value:.3g}"


def _scaled(value: float, step: float, names: tuple[str, ...]) -> str:
    at = 0
    while abs(value) >= step and at < len(names) - 1:
        value, at = value / step, at + 1
    return f"{value:.3g} {names[at]}"


def _seconds(value: float) -> str:
    return f"{value * 1000:.3g} ms" if abs(value) < 1 else f"{value:.3g} s"


def _duration(value: float) -> str:
    days, rest = divmod(int(value), 86400)
    hours, minutes = rest // 3600, rest % 3600 // 60
    parts = ((days, "d"), (hours, "h"), (minutes, "min"))
    return " ".join(f"{count} {name}" for count, name in parts if count) or "0 min"


_WRITERS: dict[str, Callable[[float], str]] = {
    plan.RATIO: lambda value: f"{value * 100:.3g} %",
    plan.USD: lambda value: f"${value:,.2f}",
    plan.SECONDS: _seconds,
    plan.BYTES: lambda value: _scaled(value, 1024, _BINARY),
    plan.BYTES_PER_SECOND: lambda value: _scaled(value, 1000, _DECIMAL),
    plan.CELSIUS: lambda value: f"{value:.3g} °C",
    plan.WATTS: lambda value: f"{value:.3g} W",
    plan.MEGAHERTZ: lambda value: f"{value:.0f} MHz",
    plan.PER_SECOND: lambda value: f"{_number(value)}/s",
    plan.DURATION: _duration,
    plan.DATE: lambda value: f"{datetime.fromtimestamp(value / 1000, UTC):%Y-%m-%d %H:%M}",
}
