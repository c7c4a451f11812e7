"""Words as Go's YAML libraries read them: what its versions 2 and 3 have in common.

`gopkg.in/yaml.v3` reads for the Pulumi CLI, `go.yaml.in/yaml/v2` for NVIDIA's device plugin and for Helm. They differ from
PyYAML: `08` and `1e3` are numbers, `1:30` is a text. Source: `resolve.go` of v3.0.1 and of v2.4.3, read 2026-11-21.
"""

import base64
import math
import re
from typing import Any

_PREFIX = "tag:yaml.org,2002:"
STR, BOOL, INT, FLOAT, NULL, TIMESTAMP, BINARY, MERGE = (
    _PREFIX + name for name in ("str", "bool", "int", "float", "null", "timestamp", "binary", "merge")
)

CONSTANTS: dict[str, tuple[str, Any]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), (NULL, None)),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), (FLOAT, math.nan)),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), (FLOAT, math.inf)),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), (FLOAT, -math.inf)),
}
"""Words with a value of their own, and its tag. The versions differ in which words are true and false."""

_INTEGER = re.compile(r"([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]{0,19}))", re.ASCII)
_BASES = (16, 2, 8, 10)
_DECIMAL = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", re.ASCII)
_BASE64 = re.compile(r"([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")


def may_be_number(text: str) -> bool:
    """Whether a word, which is not empty, begins as a number or a time does."""
    return text[0] in "+-.0123456789"


def number(text: str) -> tuple[str, int | float] | None:
    """The number that a word is, with its tag: whole, in 64 bits, where it is written so; None for what is none."""
    if text[0] == ".":
        plain = text
    else:
        plain = text.replace("_", "")
        if (whole := _whole(plain)) is not None:
            return INT, whole
    if _DECIMAL.fullmatch(plain) and math.isfinite(float(plain)):
        return FLOAT, float(plain)
    return None


def binary(text: str) -> str:
    """What `!!binary` stands for; bytes that are no text are replaced. Raises `ValueError`."""
    encoded = text.replace("\n", "").replace("\r", "")
    if not _BASE64.fullmatch(encoded):
        raise ValueError("!!binary of what is no base64")
    return base64.b64decode(encoded).decode("utf-8", "replace")


def aliases_exceed(by_alias: int, count: int) -> bool:
    """Whether a document is refused of which ``by_alias`` of ``count`` values come from aliases (`decode.go`)."""
    low, high = 400_000, 4_000_000
    allowed = 0.99 - 0.89 * min(max(count - low, 0) / (high - low), 1)
    return by_alias > 100 and count > 1000 and by_alias / count > allowed


def _whole(text: str) -> int | None:
    found = _INTEGER.fullmatch(text)
    if found is None:
        return None
    digits, base = next((digits, base) for digits, base in zip(found.groups()[1:], _BASES, strict=True) if digits)
    value = int(found[1] + digits, base)
    return value if -(2**63) <= value < 2**63 or (not found[1] and value < 2**64) else None
