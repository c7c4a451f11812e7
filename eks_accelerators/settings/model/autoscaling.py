"""How the servers of a workload follow its load."""

from typing import Annotated

from pydantic import Field

from eks_accelerators.settings.model.base import Model

Replicas = Annotated[int, Field(ge=1, le=10**6)]
PeriodSeconds = Annotated[int, Field(ge=1, le=1800)]
"""Kubernetes refuses longer ones. Source: autoscaling/v2, `HPAScalingPolicy.periodSeconds`."""
WindowSeconds = Annotated[int, Field(ge=0, le=3600)]
"""Source: autoscaling/v2, `HPAScalingRules.stabilizationWindowSeconds`."""

CONCURRENCY, KV_CACHE_USE, PENDING_REQUESTS = "concurrency", "kvCacheUse", "pendingRequests"
METRICS = (CONCURRENCY, KV_CACHE_USE)
"""What servers of vLLM can be scaled by. A rule refuses others, with the reason."""


class ReplicaHours(Model):
    """Hours in which servers are kept, whatever the load."""

    start: str
    """Cron expression of the beginning, such as `30 7 * * 1-5`: before people come, by the time that a server takes to
    start."""
    end: str
    """Cron expression of the end, such as `0 19 * * 1-5`."""
    timezone: str
    """Time zone of both, such as `Europe/Berlin`."""
    replicas: Replicas
    """Servers that are there in these hours at least."""


class ScaleUp(Model):
    """How fast servers are added."""

    pods: Replicas | None = None
    """Servers that are added within `periodSeconds` at most; by default 2, or as many as there are where that is more."""
    period_seconds: PeriodSeconds | None = None
    """By default the time that a server takes to start."""
    stabilization_seconds: WindowSeconds = 30
    """How long the load has to ask for more before servers are added."""


class ScaleDown(Model):
    """How fast servers are taken away."""

    pods: Replicas | None = None
    """Servers that go within `periodSeconds` at most; by default 1, or a quarter of them where that is more."""
    period_seconds: PeriodSeconds | None = None
    """By default the time that a server takes to start."""
    stabilization_seconds: WindowSeconds | None = None
    """How long the load has to ask for less before servers go; by default twice the time that one takes to start, at least
    600."""


class AutoscalingSettings(Model):
    """Servers follow the load: KEDA asks Prometheus and sets their number."""

    min: Annotated[int, Field(ge=0, le=10**6)] = 1
    """Fewest servers. 0 only with a `schedule`, which wakes them: a server that is not there has no load to show."""
    max: Replicas
    """Most servers. The node group has to hold them at its largest size."""
    target_concurrency: Replicas | None = None
    """Requests of one server, running and waiting, at which another is added; by default 75 % of the sequences that it takes
    at a time. Measure it: 70 to 80 % of the number at which the time to the first token breaks."""
    metrics: Annotated[tuple[str, ...], Field(min_length=1, json_schema_extra={"examples": [list(METRICS)]})] = METRICS
    """What they are scaled by: `concurrency` (requests of each server) and `kvCacheUse` (above 80 % of the KV cache); what asks
    for most servers wins. Triton has `pendingRequests` (of each server) alone, which is its default."""
    start_seconds: PeriodSeconds | None = None
    """Seconds from a pod's creation to its first answer, measured; by default what was measured elsewhere. How fast servers
    are added and taken away follows from it."""
    fallback_replicas: Replicas | None = None
    """Servers that are there at least when Prometheus does not answer: none is taken away then; by default `min`."""
    schedule: tuple[ReplicaHours, ...] = ()
    """Hours in which servers are kept, whatever the load."""
    scale_up: ScaleUp = ScaleUp()
    """How fast servers are added."""
    scale_down: ScaleDown = ScaleDown()
    """How fast servers are taken away."""
