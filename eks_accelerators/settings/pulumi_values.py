"""What the Pulumi CLI makes of a word in a stack file, and the text that it hands to the program.

The CLI reads YAML with `gopkg.in/yaml.v3` v3.0.1, keeps each value as JSON and hands it over as text: `010` is 8, `yes`
is a word, and a date without quotes is Go's `2026-12-01 00:00:00 +0000 UTC`. Source: `resolve.go` there, `object.go` of
`github.com/pulumi/pulumi/sdk/v3/go/common/resource/config` v3.250.0, and Go's `time.Parse`, read 2026-11-22. A test asks
the CLI itself.
"""

import json
import math
import re
from calendar import monthrange
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from eks_accelerators.accelerators import go_yaml
from eks_accelerators.accelerators.go_yaml import BINARY, BOOL, FLOAT, INT, NULL, STR, TIMESTAMP

_WORDS: dict[str, tuple[str, Any]] = {
    **dict.fromkeys(("true", "True", "TRUE"), (BOOL, True)),
    **dict.fromkeys(("false", "False", "FALSE"), (BOOL, False)),
    **go_yaml.CONSTANTS,
}
_WRITTEN_TIME = re.compile(
    r"(\d{4})-(\d\d?)-(\d\d?)"
    r"(?:([Tt ])(\d\d?):(\d\d?):(\d\d?)(?:[.,](\d+))?(?:(Z)|([-+])(\d\d):(\d\d))?)?",
    re.ASCII,
)
_HANDED_TIME = re.compile(r"(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?) ([-+]\d\d)(\d\d) \S+", re.ASCII)
_JSON_WRITES_IN_FULL = 1e21


def scalar(text: str, tag: str, plain: bool) -> Any:
    """The value of a scalar: text, a number, true, false or None.

    ``tag`` is the long form, empty where there is none; ``plain`` says that it stands without quotes. Raises `ValueError`
    for what the CLI refuses.
    """
    value = _read(text, tag, plain)
    return _number(value) if isinstance(value, float) else value


def in_json(value: Any) -> Any:
    """``value`` as a member of a list or mapping, which the CLI keeps as JSON: large numbers lose their last digits."""
    is_large = isinstance(value, int) and not -(2**63) <= value < 2**63
    return _number(float(value)) if is_large else value


def key(text: str, tag: str, plain: bool) -> str:
    """The key that a scalar is: keys are text to the CLI, written as Go writes the value. Raises `ValueError`."""
    value = _read(text, tag, plain)
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _go_float(value)
    return "<nil>" if value is None else str(value)


def handed_over(value: Any) -> str:
    """A value of `config` as the program gets it: text as it is, nothing as empty text, all else as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return _json_float(value)
    return "" if value is None else json.dumps(value)


def as_engine_config(config: Mapping[str, Any]) -> dict[str, str]:
    """The `config` section of a stack file as the engine hands it to a program: every value as text."""
    return {name: handed_over(value) for name, value in config.items()}


def iso_time(text: str) -> str | None:
    """The time that the CLI handed over for a date without quotes, as ISO 8601; None for any other text."""
    found = _HANDED_TIME.fullmatch(text)
    return f"{found[1]}T{found[2]}{found[3]}:{found[4]}" if found else None


def _read(text: str, tag: str, plain: bool) -> Any:
    if tag == STR or (not tag and not plain):
        return text
    if tag == BINARY:
        return go_yaml.binary(text)
    if tag not in ("", BOOL, INT, FLOAT, NULL, TIMESTAMP):
        return text
    found, value = _guessed(text, tag)
    if tag not in ("", found) and (tag, found) != (FLOAT, INT):
        raise ValueError(f"{text!r} is no {tag.rpartition(':')[2]}")
    return value


def _guessed(text: str, tag: str) -> tuple[str, Any]:
    """What a word looks like, with the tag of that."""
    if text in _WORDS:
        return _WORDS[text]
    if not go_yaml.may_be_number(text):
        return STR, text
    if tag in ("", TIMESTAMP) and (time := _time(text)):
        return TIMESTAMP, time
    return go_yaml.number(text) or (STR, text)


def _number(value: float) -> int | float:
    """A number as JSON has it: whole ones below 1e21 without a point, in the digits that name it shortest."""
    if not math.isfinite(value):
        raise ValueError("infinity, and what is no number, cannot be kept as JSON")
    if value.is_integer() and abs(value) < _JSON_WRITES_IN_FULL:
        return int(Decimal(repr(value)))
    return value


def _json_float(value: float) -> str:
    """A number as Go's `encoding/json` writes it."""
    if 1e-6 <= abs(value) < _JSON_WRITES_IN_FULL:
        return format(Decimal(repr(value)), "f")
    return re.sub(r"e([-+])0", r"e\1", repr(value))


def _go_float(value: float) -> str:
    """A number as Go's `%v` writes it: the shortest digits, with an exponent from 1e6 and below 1e-4."""
    if not math.isfinite(value):
        raise ValueError("infinity, and what is no number, is no key")
    sign, digits, power = Decimal(repr(value)).normalize().as_tuple()
    exponent = len(digits) + int(power) - 1
    if value and not -4 <= exponent < 6:
        point = "." if len(digits) > 1 else ""
        written = f"{digits[0]}{point}{''.join(map(str, digits[1:]))}e{exponent:+03d}"
        return f"-{written}" if sign else written
    return format(Decimal(repr(value)).normalize(), "f")


def _time(text: str) -> str | None:
    """A time as Go writes it, of a text in one of the forms that the CLI takes for one; None for any other."""
    found = _WRITTEN_TIME.fullmatch(text)
    if found is None:
        return None
    year, month, day = (int(part) for part in found.group(1, 2, 3))
    hour, minute, second = (int(part or 0) for part in found.group(5, 6, 7))
    has_zone = bool(found[9] or found[10])
    if found[4] and (found[4] == " ") is has_zone:
        return None  # a zone stands behind T, and only there
    if not (1 <= month <= 12 and 1 <= day <= _days(year, month) and hour < 24 and minute < 60 and second < 60):
        return None
    zone = _zone(found[10], int(found[11]), int(found[12])) if found[10] else "+0000 UTC"
    fraction = (found[8] or "")[:9].rstrip("0")
    point = "." if fraction else ""
    return f"{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}{point}{fraction} {zone}" if zone else None


def _days(year: int, month: int) -> int:
    return monthrange(year or 4, month)[1]  # the year 0 is a leap year, which Python does not have


def _zone(sign: str, hours: int, minutes: int) -> str | None:
    """An offset as Go writes it where no zone of the machine has it; None for one that it does not take."""
    if hours > 24 or minutes > 60:
        return None
    total = 60 * hours + minutes
    offset = f"{sign}{total // 60:02}{total % 60:02}"
    return f"{offset} {offset}" if total else "+0000 UTC"
