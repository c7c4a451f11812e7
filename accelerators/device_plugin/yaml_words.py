"""What a plain word means to the plugin's YAML reader, and what a tag makes of it.

It is not what PyYAML takes it for: `y` is true, `08` and `1e3` are numbers, `1:30` is a text. Source: `resolve.go` of
`go.yaml.in/yaml/v2` v2.4.3, read 2026-11-21.
"""

import base64
import math
import re
from typing import Any

_PREFIX = "tag:yaml.org,2002:"
_STR, _BOOL, _INT, _FLOAT, _NULL, _TIMESTAMP, _BINARY, MERGE = (
    _PREFIX + name for name in ("str", "bool", "int", "float", "null", "timestamp", "binary", "merge")
)
_WORDS: dict[str, tuple[str, Any]] = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), (_BOOL, True)),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), (_BOOL, False)),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), (_NULL, None)),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), (_FLOAT, math.nan)),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), (_FLOAT, math.inf)),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), (_FLOAT, -math.inf)),
}
_INTEGER = re.compile(r"([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]{0,19}))", re.ASCII)
_BASES = (16, 2, 8, 10)
_DECIMAL = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", re.ASCII)
_BASE64 = re.compile(r"([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}([Tt ]\d{1,2}:\d{1,2}:\d{1,2}(\.\d*)?(Z|[-+]\d\d:\d\d)?)?", re.ASCII)


class UnreadableError(ValueError):
    """The plugin's reader makes nothing of the text. ``line`` is where, from 1, if that is known."""

    def __init__(self, message: str, line: int | None = None) -> None:
        self.line = line
        super().__init__(message)


def scalar(text: str, tag: str, plain: bool, line: int) -> Any:
    """The value of a scalar on ``line``; ``tag`` is empty where there is none. Raises `UnreadableError`."""
    if not tag and not plain:
        return text
    tag, value = _resolved(text, tag, line)
    if tag == _BINARY:
        encoded = text.replace("\n", "").replace("\r", "")
        if not _BASE64.fullmatch(encoded):
            raise UnreadableError("!!binary of what is no base64", line)
        return base64.b64decode(encoded).decode("utf-8", "replace")
    return value


def _resolved(text: str, wanted: str, line: int) -> tuple[str, Any]:
    if wanted not in ("", _STR, _BOOL, _INT, _FLOAT, _NULL, _TIMESTAMP):
        return wanted, text
    tag, value = (_STR, text) if wanted == _STR else _guessed(text, wanted)
    if wanted == _FLOAT and tag == _INT:
        return _FLOAT, float(value)
    if wanted in ("", _STR, tag):
        return tag, value
    raise UnreadableError(f"{text!r} is no {wanted.removeprefix(_PREFIX)}", line)


def _guessed(text: str, tag: str) -> tuple[str, Any]:
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "+-.0123456789":
        return _STR, text
    if tag == _TIMESTAMP and _DATE.fullmatch(text):
        return _TIMESTAMP, text
    plain = text if text[0] == "." else text.replace("_", "")
    if text[0] != ".":
        integer = _INTEGER.fullmatch(plain)
        if integer:
            digits, base = next(
                (digits, base) for digits, base in zip(integer.groups()[1:], _BASES, strict=True) if digits
            )
            value = int(integer[1] + digits, base)
            if -(2**63) <= value < 2**63 or (not integer[1] and value < 2**64):
                return _INT, value
    if _DECIMAL.fullmatch(plain) and math.isfinite(float(plain)):
        return _FLOAT, float(plain)
    return _STR, text
