"""Which series an expression of PromQL names. Source: Prometheus documentation 3, `querying/basics` and `querying/operators`."""

import re
from functools import cache

_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')
_LABELS = re.compile(r"\{[^{}]*\}|\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^()]*\)")
_NAME = re.compile(r"(?<![\w:.])[a-zA-Z_:][\w:]*(?![\w:]|\s*\()")
"""A word, and neither a function nor the unit of a number."""
_WORDS = frozenset({"and", "or", "unless", "bool", "offset", "group_left", "group_right", "Inf", "NaN"})


@cache
def series_of(expression: str) -> frozenset[str]:
    """The names of the series that an expression asks for; it has to be one that Prometheus takes."""
    return frozenset(_NAME.findall(_LABELS.sub(" ", _TEXT.sub("", expression)))) - _WORDS
