"""vLLM servers that are slow or full.

The objective is a first token within 2.5 seconds, the edge of a bucket, for 99 of 100 requests. The burn rates are those
of Google's SRE workbook, chapter 5: 14.4 spends 2 percent of a month's budget in an hour, 6 spends 5 percent in 6 hours.
Of a handful of requests one late answer is a high rate and no trouble: so many have to be late, whatever their part. See there,
"Low-Traffic Services and Error Budget Alerting".
"""

from eks_accelerators.monitoring.alerts.alert import Alert, AlertSeverity
from eks_accelerators.monitoring.alerts.concerns import VLLM

SECONDS_TO_FIRST_TOKEN = 2.5
ALLOWED_SLOW = 0.01
FEWEST_LATE = 10
"""Requests within the longer window."""

_OF_SERVER = "by (namespace, model_name)"
_OF_POD = "by (namespace, pod)"


def _requests(function: str, window: str) -> tuple[str, str]:
    """Requests within ``window`` by servers, as ``function`` counts them: those with a first token in time, and all."""
    in_time = f'{function}(vllm:time_to_first_token_seconds_bucket{{le="{SECONDS_TO_FIRST_TOKEN}"}}[{window}])'
    every = f"{function}(vllm:time_to_first_token_seconds_count[{window}])"
    return f"sum {_OF_SERVER} ({in_time})", f"sum {_OF_SERVER} ({every})"


def _slow(window: str, times: float) -> str:
    """Servers of which too large a share of requests waits longer than the objective."""
    in_time, every = _requests("rate", window)
    return f"1 - {in_time} / {every} > {times * ALLOWED_SLOW:g}"


def _burning(short: str, long: str, times: float) -> str:
    """Slow for long enough and for enough requests to matter, and slow still."""
    in_time, every = _requests("increase", long)
    enough = f"{every} - {in_time} >= {FEWEST_LATE}"
    on = "and on (namespace, model_name)"
    return f"({_slow(short, times)}) {on} ({_slow(long, times)}) {on} ({enough})"


ALERTS = (
    Alert(
        "VllmFirstTokenSlow",
        _burning("5m", "1h", 14.4),
        AlertSeverity.CRITICAL,
        "overloaded-servers",
        VLLM,
        "{{ $labels.model_name }} in {{ $labels.namespace }} answers late",
        "{{ $value | humanizePercentage }} of the requests waited longer than 2.5 s for the first token.",
        held="2m",
    ),
    Alert(
        "VllmFirstTokenSlowish",
        _burning("30m", "6h", 6),
        AlertSeverity.WARNING,
        "overloaded-servers",
        VLLM,
        "{{ $labels.model_name }} in {{ $labels.namespace }} answers late now and then",
        "{{ $value | humanizePercentage }} of the requests waited longer than 2.5 s for the first token.",
        held="15m",
    ),
    Alert(
        "VllmQueueGrowing",
        # vLLM 0.16, which serves on Inferentia2 and Trainium1, gives no reason.
        f'(sum {_OF_SERVER} (vllm:num_requests_waiting_by_reason{{reason="capacity"}})'
        f" or sum {_OF_SERVER} (vllm:num_requests_waiting))"
        f" > 4 * count {_OF_SERVER} (vllm:num_requests_running)",
        AlertSeverity.WARNING,
        "overloaded-servers",
        VLLM,
        "Requests wait for {{ $labels.model_name }} in {{ $labels.namespace }}",
        "{{ $value }} of them, more than 4 for each server.",
        held="5m",
    ),
    Alert(
        "VllmPreempting",
        # For each request that is answered: long answers are few, and no server puts back one in ten seconds for minutes.
        # A cache that is full has room again for a moment after each.
        f"sum {_OF_POD} (rate(vllm:num_preemptions_total[10m]))"
        f" / sum {_OF_POD} (rate(vllm:request_success_total[10m])) > 0.1"
        f" and on (namespace, pod) max {_OF_POD} (max_over_time(vllm:kv_cache_usage_perc[10m])) > 0.95",
        AlertSeverity.WARNING,
        "overloaded-servers",
        VLLM,
        "{{ $labels.namespace }}/{{ $labels.pod }} does work twice",
        "Its KV cache is full: for each request that is answered {{ $value | humanize }} are put back.",
        held="10m",
    ),
)
