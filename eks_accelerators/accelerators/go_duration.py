"""Durations as Go writes them, such as `1h30m`: what provider settings and the device plugin's file are read with.

Source: `time.ParseDuration`, https://pkg.go.dev/time#ParseDuration. The package `durationpy` reads days, weeks and years
too, which Go refuses.
"""

import re
from decimal import Decimal

_UNITS = {"ns": 1, "us": 10**3, "µs": 10**3, "μs": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9}
_PART = re.compile(rf"([0-9]+\.?[0-9]*|\.[0-9]+)({'|'.join(sorted(_UNITS, key=len, reverse=True))})", re.ASCII)
_LONGEST = 2**63
"""Nanoseconds: about 292 years."""


def nanoseconds(text: str) -> int | None:
    """The length of a duration, below zero with a minus sign; None for what is none."""
    unsigned = text[1:] if text[:1] in ("+", "-") else text
    if unsigned == "0":
        return 0
    if not re.fullmatch(rf"({_PART.pattern})+", unsigned, re.ASCII):
        return None
    length = sum(int(Decimal(number) * _UNITS[unit]) for number, unit in _PART.findall(unsigned))
    signed = -length if text[0] == "-" else length
    return signed if -_LONGEST <= signed < _LONGEST else None
