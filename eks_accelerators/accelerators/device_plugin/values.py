"""Single values as Go's `encoding/json` takes them into the plugin's fields: what fits which type."""

from typing import Any

from eks_accelerators.accelerators.device_plugin.report import ConfigurationReport
from eks_accelerators.accelerators.go_duration import nanoseconds

_JSON_WRITES_IN_FULL = 1e21
"""From here on a number is written with an exponent, and then is no whole number any more."""


def text(value: Any, path: str, report: ConfigurationReport) -> str | None:
    """A text; None where there is none."""
    if value is None or isinstance(value, str):
        return value
    report.error("wrong-type", path, f"{shown(value)} is no text")
    return None


def boolean(value: Any, path: str, report: ConfigurationReport) -> bool | None:
    """True or false; None where there is neither."""
    if value is None or isinstance(value, bool):
        return value
    report.error("wrong-type", path, f"{shown(value)} is neither true nor false")
    return None


def whole(value: Any, low: int = -(2**63), high: int = 2**63 - 1) -> int | None:
    """A whole number between ``low`` and ``high``, also where it is written as `4.0`; None for anything else."""
    if isinstance(value, float) and value.is_integer() and abs(value) < _JSON_WRITES_IN_FULL:
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
        return value
    return None


def duration(value: Any, path: str, report: ConfigurationReport) -> None:
    """Report what is no duration: nanoseconds, `infinite`, or a text such as `1h30m`."""
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
        return
    if not isinstance(value, str) or not (value == "infinite" or nanoseconds(value) is not None):
        report.error("wrong-type", path, f"{shown(value)} is no duration, such as 60s, 1h30m or infinite")


def shown(value: Any) -> str:
    """A value as it stands in YAML, cut where it is long."""
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case dict():
            return "a mapping"
        case list():
            return "a list"
    written = repr(value)
    return written if len(written) <= 60 else f"{written[:57]}..."
