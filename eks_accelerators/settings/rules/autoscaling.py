"""Rules about servers that follow the load."""

from collections.abc import Iterator

from eks_accelerators.accelerators.suggest import closest
from eks_accelerators.settings.autoscaling import Autoscaling, autoscaling_of, metrics_of
from eks_accelerators.settings.model.autoscaling import KV_CACHE_USE, AutoscalingSettings
from eks_accelerators.settings.model.monitoring import PrometheusKind
from eks_accelerators.settings.model.server import Server
from eks_accelerators.settings.problems import Severity
from eks_accelerators.settings.prometheus_address import can_be_asked
from eks_accelerators.settings.resolved_stack import PlacedWorkload
from eks_accelerators.settings.rules.registry import Context, RuleFinding, rule

_BUSY = (
    "a GPU is as busy with one request as with twenty, and under sharing the figure is of all its pods: servers would be added "
    "up to the maximum and never go"
)
_MEMORY = "vLLM takes its share of the GPU's memory when it starts, and keeps it: the figure says nothing of the load"
_LATE = "it is late, and nothing at all without traffic: alert on it, do not scale by it"
_QUEUE = "it is 0 on a server that is full and keeps up, so that the others would be taken away, and come back"
_NO_SIGNAL = {
    "gpuutil": _BUSY,
    "engineactive": _BUSY,
    "smactive": _BUSY,
    "tensoractive": _BUSY,
    "fbused": _MEMORY,
    "fbfree": _MEMORY,
    "memory": _MEMORY,
    "timetofirsttoken": _LATE,
    "ttft": _LATE,
    "latency": _LATE,
    "waiting": _QUEUE,
    "queue": _QUEUE,
    "cpu": "a server waits for its GPU, whatever its processors do",
}
"""Why not, by a part of the name without anything but letters."""


@rule("autoscaling-metric")
def autoscaling_metric(context: Context) -> Iterator[RuleFinding]:
    """Servers are scaled by their requests and their KV cache: never by GPU_UTIL or FB_USED, which say nothing of the load.

    Source: NVIDIA DCGM field identifiers: GPU_UTIL is the share of time in which any kernel ran; vLLM `--gpu-memory-utilization`.
    """
    for path, server in context.settings.workloads.servers():
        wanted, known = server.autoscaling, server.SCALES_BY
        for index, name in enumerate(metrics_of(server, wanted) if wanted and known else ()):
            if name not in known:
                guess = closest(name, known)
                yield RuleFinding(
                    f"{path}.autoscaling.metrics[{index}]",
                    f"{name} is no measure of a server's load: {_reason(name)}"
                    if _reason(name)
                    else f"there is no measure called {name!r}",
                    name,
                    ", ".join(known),
                    f"use {guess or known[0]}",
                )


@rule("autoscaling-not-measured")
def autoscaling_not_measured(context: Context) -> Iterator[RuleFinding]:
    """A server that follows its load shows what waits for it.

    TensorFlow Serving counts no requests that wait, what Triton's vLLM backend has taken is no longer pending, and NIM names its
    metrics by its version, which an image of your own does not tell.

    Source: TensorFlow Serving 2.19 `monitoring_config`; Triton `docs/user_guide/metrics.md`, pending request count; NVIDIA NIM for
    Large Language Models 1.15 `observability` and 2.x `reference/logging-and-observability`.
    """
    for path, server in context.settings.workloads.servers():
        if server.autoscaling and not server.shows_load:
            yield RuleFinding(
                f"{path}.autoscaling",
                "it has no measure of its load",
                "autoscaling",
                "replicas",
                "write replicas, or serve the model by workloads.vllm",
            )


@rule("autoscaling-without-prometheus")
def autoscaling_without_prometheus(context: Context) -> Iterator[RuleFinding]:
    """Servers follow the load only where a Prometheus scrapes them, and its address is known."""
    monitoring = context.settings.monitoring
    if can_be_asked(context.settings):
        return
    existing = monitoring.prometheus is PrometheusKind.EXISTING
    for path, _ in wanted_of(context):
        yield RuleFinding(
            path,
            "KEDA asks a Prometheus for the load, and " + ("its address is not known" if existing else "there is none"),
            f"prometheus: {monitoring.prometheus.value}",
            "a Prometheus with an address",
            "write monitoring.prometheusAddress" if existing else "write monitoring: {prometheus: stack}",
        )


@rule("autoscaling-target")
def autoscaling_target(context: Context) -> Iterator[RuleFinding]:
    """`targetConcurrency` is below the sequences that a server works on at a time: otherwise all of them queue before one is added.

    Source: `eks_accelerators/settings/autoscaling.py`: what the KV cache holds of full length, and vLLM takes at a time.
    """
    for placed, wanted in placed_of(context):
        scaling = _resolved(placed)
        if scaling and wanted.target_concurrency and wanted.target_concurrency > scaling.of_sequences:
            yield RuleFinding(
                f"{placed.path}.autoscaling.targetConcurrency",
                f"a server works on {scaling.of_sequences} sequences of full length at a time: the rest would wait, and no server "
                "be added",
                str(wanted.target_concurrency),
                f"at most {scaling.of_sequences}; 75 % of it is usual",
                "lower it, or leave it out",
            )


@rule("autoscaling-target-unused", Severity.WARNING)
def autoscaling_target_unused(context: Context) -> Iterator[RuleFinding]:
    """`targetConcurrency` is of requests: servers that are scaled by the use of their KV cache alone do not count them."""
    for path, server in context.settings.workloads.servers():
        wanted = server.autoscaling
        if wanted and wanted.target_concurrency and metrics_of(server, wanted) == (KV_CACHE_USE,):
            yield RuleFinding(
                f"{path}.autoscaling.targetConcurrency",
                "nobody reads this setting",
                f"metrics: [{KV_CACHE_USE}]",
                "metrics with concurrency",
                "remove it, or add concurrency to metrics",
            )


def wanted_of(context: Context) -> Iterator[tuple[str, AutoscalingSettings]]:
    """Path and settings of each autoscaling that is written."""
    for path, workload in context.settings.workloads.servers():
        if workload.autoscaling:
            yield f"{path}.autoscaling", workload.autoscaling


def placed_of(context: Context) -> Iterator[tuple[PlacedWorkload, AutoscalingSettings]]:
    """Each that is written for servers whose node group can be resolved."""
    for placed in context.stack.workloads:
        if isinstance(placed.workload, Server) and placed.workload.autoscaling:
            yield placed, placed.workload.autoscaling


def _resolved(placed: PlacedWorkload) -> Autoscaling | None:
    assert isinstance(placed.workload, Server)
    return autoscaling_of(placed.workload, placed.fit)


def _reason(name: str) -> str | None:
    letters = "".join(character for character in name.lower() if character.isalpha())
    return next((reason for part, reason in _NO_SIGNAL.items() if part in letters), None)
