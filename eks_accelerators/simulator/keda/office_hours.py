"""KEDA's `cron` trigger in simulated time: the same hours as a question to a Prometheus whose `time()` is the simulated one.

KEDA itself would look at the wall clock, by which a simulated day is over in minutes.
Source: KEDA v2.20.2, `pkg/scalers/cron_scaler.go`: within the hours is who comes to an end before the next start; read 2026-11-22.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from eks_accelerators.simulator.aws.schedules import next_run

HORIZON = timedelta(days=28)
"""Hours are written out for so long from the beginning of the clock; there are none after it."""


def as_prometheus_trigger(trigger: Mapping[str, Any], simulated_begin: float, prometheus_url: str) -> dict[str, Any]:
    """A trigger with the same name, that wants ``desiredReplicas`` within the same hours, and nothing outside of them."""
    metadata = trigger["metadata"]
    begin = datetime.fromtimestamp(simulated_begin, UTC)
    hours = " or ".join(f"vector(time()) >= {start:.0f} < {end:.0f}" for start, end in _hours(metadata, begin))
    within = f"({hours}) * 0 + {metadata['desiredReplicas']} or " if hours else ""
    asked = {
        "serverAddress": prometheus_url,
        "query": f"{within}vector(0)",
        "threshold": "1",
        "ignoreNullValues": "false",
    }
    return {**trigger, "type": "prometheus", "metricType": "AverageValue", "metadata": asked}


def _hours(metadata: Mapping[str, str], begin: datetime) -> Iterator[tuple[float, float]]:
    """Starts and ends, in seconds since 1970; the first may have started before."""
    zone = metadata["timezone"]
    start, end = (next_run(metadata[name], zone, begin) for name in ("start", "end"))
    if end < start:
        yield begin.timestamp(), end.timestamp()
    while start < begin + HORIZON:
        end = next_run(metadata["end"], zone, start)
        yield start.timestamp(), end.timestamp()
        start = next_run(metadata["start"], zone, end)
