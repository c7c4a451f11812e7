"""How the servers of a workload follow its load, with every default applied.

Sources: Kubernetes v1.36.3 `pkg/controller/podautoscaler/replica_calculator.go`: of a metric with `AverageValue` the number
of servers is the sum divided by the target, whether the last ones are ready or not; with `Value` it is the ratio times the
servers that are ready. `autoscaling/v2` for what a policy is. Read 2026-11-22.
"""

from dataclasses import dataclass
from math import ceil, floor

from eks_accelerators.accelerators import durations
from eks_accelerators.settings.fit import PodFit
from eks_accelerators.settings.model.autoscaling import AutoscalingSettings, ReplicaHours
from eks_accelerators.settings.model.server import Server
from eks_accelerators.settings.workload_kinds import start_of

_TARGET_SHARE = 0.75
"""Of the sequences that a server takes at a time: the middle of the 70 to 80 % of the concurrency at which the time to the
first token breaks, from which people start. A server that is full has no place for who comes while the next one starts."""

KV_CACHE_TARGET = 0.8
"""Part of the KV cache that may be in use: beyond it vLLM soon takes sequences out again, and calculates them anew."""

_LONGEST_PERIOD, _LONGEST_WINDOW, _SHORTEST_WINDOW = 1800, 3600, 600


@dataclass(frozen=True, slots=True)
class Policy:
    """At most ``pods`` servers, or ``percent`` of those that there are where that is more, within ``period_seconds``; what the
    load asked for in the last ``window_seconds`` counts.
    """

    pods: int
    percent: int | None
    period_seconds: int
    window_seconds: int


@dataclass(frozen=True, slots=True)
class Autoscaling:
    """How many servers there are: ``least`` to ``most``, and ``fallback`` at least while Prometheus does not answer.

    ``target`` is the requests of one server, running and waiting, at which another is added: ``of_sequences`` is what a server
    takes at a time. ``start_seconds`` is the time from a pod's creation to its first answer.
    """

    least: int
    most: int
    fallback: int
    target: int
    of_sequences: int
    metrics: tuple[str, ...]
    start_seconds: int
    schedule: tuple[ReplicaHours, ...]
    up: Policy
    down: Policy


def autoscaling_of(workload: Server, fit: PodFit) -> Autoscaling | None:
    """How the servers follow the load; None where they do not."""
    wanted = workload.autoscaling
    if wanted is None:
        return None
    start, sequences = start_seconds(workload, fit), sequences_at_a_time(workload, fit)
    up, down = wanted.scale_up, wanted.scale_down
    return Autoscaling(
        least=wanted.min,
        most=wanted.max,
        fallback=wanted.fallback_replicas or max(1, wanted.min),
        target=wanted.target_concurrency or max(1, floor(sequences * _TARGET_SHARE)),
        of_sequences=sequences,
        metrics=metrics_of(workload, wanted),
        start_seconds=start,
        schedule=wanted.schedule,
        up=Policy(up.pods or 2, None if up.pods else 100, up.period_seconds or start, up.stabilization_seconds),
        down=Policy(
            down.pods or 1,
            None if down.pods else 25,
            down.period_seconds or start,
            _window(start) if down.stabilization_seconds is None else down.stabilization_seconds,
        ),
    )


def metrics_of(workload: Server, wanted: AutoscalingSettings) -> tuple[str, ...]:
    """What is written, else all that the kind of server shows."""
    return tuple(dict.fromkeys(wanted.metrics if "metrics" in wanted.model_fields_set else workload.SCALES_BY))


def start_seconds(workload: Server, fit: PodFit) -> int:
    """How long a server takes from its pod's creation to its first answer: as measured by the user, else by others, longer where its
    kind and its weights are known to take longer.

    Source: `data/resource-types.json`, `cold-start`: the image is pulled, the weights are downloaded, the engine starts, on a
    node that is there. A node that has to come first takes minutes more.
    """
    if workload.autoscaling and workload.autoscaling.start_seconds:
        return workload.autoscaling.start_seconds
    measured = durations.seconds("kubernetes:apps/v1:Deployment", "create", "vllm/vllm-openai")
    assert measured is not None
    known = start_of(workload, fit)
    return min(_LONGEST_PERIOD, ceil(max(measured.seconds, known.whole if known else 0.0)))


def sequences_at_a_time(workload: Server, fit: PodFit) -> int:
    """How many requests of full length one server works on at a time."""
    return workload.requests_at_a_time(fit.full_sequences)


def _window(start: int) -> int:
    """Who goes too early is missed for as long as a server takes to start."""
    return min(_LONGEST_WINDOW, max(_SHORTEST_WINDOW, 2 * start))
