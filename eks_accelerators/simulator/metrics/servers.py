"""What a simulated vLLM server says of itself: the figures behind its page, and behind the use of its GPU.

Buckets: vLLM `vllm/v1/metrics/loggers.py`, public copy; read 2026-11-22. They are those that
`eks_accelerators/monitoring/data/metrics.json` names.
"""

import bisect
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Protocol

TIME_TO_FIRST_TOKEN = (
    *(0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1.0),
    *(2.5, 5.0, 7.5, 10.0, 20.0, 40.0, 80.0, 160.0, 640.0, 2560.0),
)
"""Upper bounds of the histogram's buckets, in seconds."""

INTER_TOKEN = (
    *(0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75),
    *(1.0, 2.5, 5.0, 7.5, 10.0, 20.0, 40.0, 80.0),
)
"""Upper bounds of the histogram's buckets, in seconds."""

REQUEST = (
    *(0.3, 0.5, 0.8, 1.0, 1.5, 2.0, 2.5, 5.0, 10.0, 15.0, 20.0, 30.0),
    *(40.0, 50.0, 60.0, 120.0, 240.0, 480.0, 960.0, 1920.0, 7680.0),
)
"""Ends of buckets in seconds: of whole requests, and of their time in the queue."""

_NONE: Mapping[str, float] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Histogram:
    """How often a value fell into each bucket since the server began. ``counts`` has one more than ``ends``: above all.

    Counts are those of each bucket alone; they may be fractions, since a model can observe half a request.
    """

    ends: tuple[float, ...]
    counts: tuple[float, ...]
    total: float = 0.0
    """Sum of all values, in seconds."""

    @classmethod
    def empty(cls, ends: tuple[float, ...]) -> "Histogram":
        """A histogram of these bounds without an observation."""
        return cls(ends, (0.0,) * (len(ends) + 1))

    @property
    def count(self) -> float:
        """Number of observations."""
        return sum(self.counts)

    def with_value(self, value: float, times: float = 1.0) -> "Histogram":
        """After ``value`` was seen ``times`` times."""
        at = bisect.bisect_left(self.ends, value)
        counts = (*self.counts[:at], self.counts[at] + times, *self.counts[at + 1 :])
        return Histogram(self.ends, counts, self.total + value * times)

    def cumulative(self) -> Iterator[tuple[float, float]]:
        """The end of each bucket, the last one infinite, with the number of values up to it."""
        so_far = 0.0
        for end, count in zip((*self.ends, math.inf), self.counts, strict=True):
            so_far += count
            yield end, so_far


@dataclass(frozen=True, slots=True)
class ServerState:
    """A server now. Gauges are of this moment; counters and histograms grow from the server's start.

    ``kv_cache_usage`` and ``busy`` are 0 to 1; ``busy`` is the share of time in which the GPU worked for this server
    lately. ``finished`` counts requests by vLLM's `finished_reason`: `stop`, `length`, `abort`. Tokens and requests may
    be fractions.
    """

    running: float = 0.0
    waiting: float = 0.0
    kv_cache_usage: float = 0.0
    busy: float = 0.0
    preemptions: float = 0.0
    prompt_tokens: float = 0.0
    generation_tokens: float = 0.0
    prefix_cache_queries: float = 0.0
    prefix_cache_hits: float = 0.0
    finished: Mapping[str, float] = field(default_factory=lambda: _NONE)
    time_to_first_token: Histogram = field(default_factory=lambda: Histogram.empty(TIME_TO_FIRST_TOKEN))
    inter_token: Histogram = field(default_factory=lambda: Histogram.empty(INTER_TOKEN))
    request: Histogram = field(default_factory=lambda: Histogram.empty(REQUEST))
    """Time from a request to the end of its answer."""
    queue: Histogram = field(default_factory=lambda: Histogram.empty(REQUEST))
    """Seconds that each request waited, as a histogram."""


class ServerStates(Protocol):
    """Who knows how the servers are."""

    def state(self, namespace: str, pod: str) -> ServerState | None:
        """The server in that pod; None where it is no server, or does not serve yet."""
        ...


class IdleServers:
    """Servers that nobody asks anything: each that runs is there, and does nothing."""

    def state(self, namespace: str, pod: str) -> ServerState | None:
        """One that has never had a request."""
        del namespace, pod
        return ServerState()
