"""What is said of a kind of workload that is a server, and where programs show their metrics."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from eks_accelerators.accelerators.start_times import StartTime
from eks_accelerators.settings.server_questions import ServerQuestion

TF_SERVING_PATH = "/monitoring/prometheus/metrics"
"""Where TensorFlow Serving shows its metrics: it is told so."""


@dataclass(frozen=True, slots=True)
class ServerMetrics:
    """Where the pods of a server show the metrics of the exporter that is called as its program."""

    port: int
    path: str = "/metrics"


@dataclass(frozen=True, slots=True)
class NoMetrics:
    """Nothing is scraped of such a server, for the ``reason`` given."""

    reason: str


@dataclass(frozen=True, slots=True)
class ServerKind:
    """What a kind has to say because it is a server.

    ``start``: how long one that sits so on its node group takes to start, or None where that is not known. ``question``: what it
    is asked to see that it answers. ``metrics``: where Prometheus finds them, or why it cannot; kinds that run one program show the same.
    """

    start: Callable[[Any, Any], StartTime | None]
    question: Callable[[Any], ServerQuestion]
    metrics: ServerMetrics | NoMetrics


OF_VLLM = ServerMetrics(8000)
OF_NIM = ServerMetrics(8000, "/v1/metrics")
OF_TRITON = ServerMetrics(8002)
OF_TF_SERVING = ServerMetrics(8501, TF_SERVING_PATH)
