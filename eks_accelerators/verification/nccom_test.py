"""The table that AWS's `nccom-test` prints.

Sources: aws-neuron-sdk 81ce03a `tools/neuron-sys-tools/nccom-test.rst` (columns, failures, and that GB/s is GiB/s); awslabs
awsome-distributed-ai `micro-benchmarks/nccom-tests` for a table as today's release prints it; read 2026-11-22.
"""

import math
import re
from collections.abc import Iterator
from typing import Any

from eks_accelerators.verification.collectives import GIB_PER_GB, CollectiveRun, Measurement

_HEADER = re.compile(r"^\s*size\(B\)\s")
_SIZE, _BANDWIDTH = "size(B)", "busbw(GB/s)"
_AVERAGE = re.compile(r"Avg bus bandwidth\s*:")
_FAILED = re.compile(
    r"errors? found - test failed|Failure running|is not running|Traceback|NRT.*(?:error|fail)|ERROR", re.IGNORECASE
)
_MOST_ERRORS = 5


def parse_table(text: str) -> CollectiveRun:
    """What the tool prints; never raises. Which column is which is read from the header, as flags of the tool add some."""
    columns: list[str] = []
    measurements: dict[int, Measurement] = {}
    errors: list[str] = []
    concluded = False
    for line in text.splitlines():
        words = line.split()
        if _FAILED.search(line):
            errors.append(line.strip())
        elif _HEADER.match(line):
            columns = words
        elif _AVERAGE.search(line):
            concluded = True
        elif columns and words and words[0].isdigit():
            row = _measured(dict(zip(columns, words, strict=False)))
            if isinstance(row, Measurement):
                measurements[row.size_bytes] = row
            else:
                errors.append(row)
    return _run(measurements, errors, concluded=concluded)


def _measured(row: dict[str, Any]) -> Measurement | str:
    try:
        size, bandwidth = int(row[_SIZE]), float(row[_BANDWIDTH])
    except (KeyError, TypeError, ValueError, OverflowError):
        return f"a row without size or bus bandwidth: {' '.join(_shown(row))}"
    if not math.isfinite(bandwidth) or bandwidth < 0:
        return f"the bus bandwidth at {size} bytes is {bandwidth}"
    return Measurement(size, bandwidth * GIB_PER_GB, None)


def _shown(row: dict[str, Any]) -> Iterator[str]:
    return (f"{key}={value}" for key, value in row.items())


def _run(measurements: dict[int, Measurement], errors: list[str], *, concluded: bool) -> CollectiveRun:
    ordered = tuple(measurements[size] for size in sorted(measurements))
    return CollectiveRun(ordered, tuple(dict.fromkeys(errors))[:_MOST_ERRORS], concluded)
