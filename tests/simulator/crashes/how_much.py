"""How much of the crash matrix is tried: a sample, or all of it where CRASH_MATRIX is `all` (`make crash-matrix`)."""

import os
import zlib

from tests.simulator.crashes.sabotage import Operation

ALL = os.environ.get("CRASH_MATRIX") == "all"
_ONE_IN = 16


def in_the_sample(operation: Operation) -> bool:
    """Whether an operation is tried: always the same ones."""
    return ALL or zlib.crc32("/".join(operation).encode()) % _ONE_IN == 0
