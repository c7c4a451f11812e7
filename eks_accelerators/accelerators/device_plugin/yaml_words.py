"""What a plain word means to the plugin's YAML reader, and what a tag makes of it.

It is not what PyYAML takes it for: `y` is true, `08` and `1e3` are numbers, `1:30` is a text. Source: `resolve.go` of
`go.yaml.in/yaml/v2` v2.4.3, read 2026-11-21.
"""

import re
from typing import Any

from eks_accelerators.accelerators import go_yaml
from eks_accelerators.accelerators.go_yaml import BINARY, BOOL, FLOAT, INT, MERGE, NULL, STR, TIMESTAMP

__all__ = ["MERGE", "UnreadableError", "scalar"]

_WORDS: dict[str, tuple[str, Any]] = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), (BOOL, True)),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), (BOOL, False)),
    **go_yaml.CONSTANTS,
}
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
    if tag == BINARY:
        try:
            return go_yaml.binary(text)
        except ValueError as error:
            raise UnreadableError(str(error), line) from None
    return value


def _resolved(text: str, wanted: str, line: int) -> tuple[str, Any]:
    if wanted not in ("", STR, BOOL, INT, FLOAT, NULL, TIMESTAMP):
        return wanted, text
    tag, value = (STR, text) if wanted == STR else _guessed(text, wanted)
    if wanted == FLOAT and tag == INT:
        return FLOAT, float(value)
    if wanted in ("", STR, tag):
        return tag, value
    raise UnreadableError(f"{text!r} is no {wanted.rpartition(':')[2]}", line)


def _guessed(text: str, tag: str) -> tuple[str, Any]:
    if text in _WORDS:
        return _WORDS[text]
    if not go_yaml.may_be_number(text):
        return STR, text
    if tag == TIMESTAMP and _DATE.fullmatch(text):
        return TIMESTAMP, text
    return go_yaml.number(text) or (STR, text)
