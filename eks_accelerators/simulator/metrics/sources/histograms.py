"""A histogram as Python's client of Prometheus shows it."""

import math
from collections.abc import Iterator, Mapping

from eks_accelerators.simulator.metrics.exposition import Sample, number
from eks_accelerators.simulator.metrics.servers import Histogram


def histogram_samples(name: str, histogram: Histogram, labels: Mapping[str, str]) -> Iterator[Sample]:
    """Its series. Ends are written as `1.0` and `+Inf`."""
    for end, count in histogram.cumulative():
        written = number(end) if math.isinf(end) else repr(float(end))
        yield Sample(f"{name}_bucket", {**labels, "le": written}, count)
    yield Sample(f"{name}_sum", labels, histogram.total)
    yield Sample(f"{name}_count", labels, histogram.count)
