"""Rules about servers that follow the load."""

from collections.abc import Iterator
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from eks_accelerators.accelerators.cron import ever_comes, is_cron
from eks_accelerators.accelerators.suggest import closest
from eks_accelerators.settings.autoscaling import Autoscaling, autoscaling_of, metrics_of, start_seconds
from eks_accelerators.settings.model.autoscaling import KV_CACHE_USE, AutoscalingSettings
from eks_accelerators.settings.model.monitoring import PrometheusKind
from eks_accelerators.settings.model.node_autoscaling import NodeAutoscaler
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


@rule("autoscaling-from-zero")
def autoscaling_from_zero(context: Context) -> Iterator[RuleFinding]:
    """A server that may be gone altogether is woken by something outside it: here a schedule.

    Source: KEDA 2.20 `pkg/scaling/executor`: without an active trigger nothing leaves zero; vLLM's metrics are those of its pods,
    and without a pod there are none. Kubernetes Services keep no request until a pod is there.
    """
    for path, wanted in _wanted(context):
        if wanted.min == 0 and not wanted.schedule:
            yield RuleFinding(
                f"{path}.min",
                "a server that is not there shows no load, so that nothing would ever start it again, and its Service answers "
                "nobody meanwhile",
                "0",
                "at least 1, or a schedule",
                "set min: 1, or add a schedule with the hours in which it is wanted",
            )


@rule("autoscaling-bounds")
def autoscaling_bounds(context: Context) -> Iterator[RuleFinding]:
    """`min` is at most `max`, and the replicas of a schedule and of the fallback are not beyond `max`.

    Source: KEDA 2.20 `CheckReplicaCountBoundsAreValid`; a HorizontalPodAutoscaler never goes beyond its largest size.
    """
    for path, wanted in _wanted(context):
        pairs = [(f"{path}.min", wanted.min), (f"{path}.fallbackReplicas", wanted.fallback_replicas or 0)]
        pairs += [(f"{path}.schedule[{index}].replicas", each.replicas) for index, each in enumerate(wanted.schedule)]
        for here, count in pairs:
            if count > wanted.max:
                yield RuleFinding(
                    here, "there are never more than max", str(count), f"at most {wanted.max}", "lower it, or raise max"
                )


@rule("autoscaling-schedule")
def autoscaling_schedule(context: Context) -> Iterator[RuleFinding]:
    """Hours have a beginning and an end that differ, as cron expressions of five fields that come, and a time zone that exists.

    Source: KEDA 2.20 `pkg/scalers/cron_scaler.go`.
    """
    for path, wanted in _wanted(context):
        for index, hours in enumerate(wanted.schedule):
            here = f"{path}.schedule[{index}]"
            for key, text, example in (("start", hours.start, "30 7 * * 1-5"), ("end", hours.end, "0 19 * * 1-5")):
                if not is_cron(text):
                    allowed = "five fields: minute, hour, day, month, day of the week (0, Sunday, to 6)"
                    yield RuleFinding(f"{here}.{key}", "this is no cron expression", text, allowed, f"write {example}")
                elif not ever_comes(text):
                    yield RuleFinding(
                        f"{here}.{key}", "this day never comes", text, "a day that its month has", f"write {example}"
                    )
            if hours.start == hours.end:
                yield RuleFinding(
                    f"{here}.end", "it ends when it begins", hours.end, "another time", "write when it ends"
                )
            if not _is_zone(hours.timezone):
                yield RuleFinding(
                    f"{here}.timezone",
                    "there is no such time zone",
                    hours.timezone,
                    "a name of the time zone database",
                    "write Europe/Berlin, or Etc/UTC",
                )


@rule("autoscaling-shares")
def autoscaling_shares(context: Context) -> Iterator[RuleFinding]:
    """The node group holds `max` servers at its largest size: accelerators, shares, CPU and memory of the nodes together."""
    for placed, wanted in _placed(context):
        fit, group = placed.fit, placed.group
        if fit.pods_per_node and wanted.max > fit.pods_at_max:
            yield RuleFinding(
                f"{placed.path}.autoscaling.max",
                f"{fit.pods_per_node} server{'s fit' if fit.pods_per_node != 1 else ' fits'} a node of {group.name} (limited by {fit.limited_by}), which has at most "
                f"{group.settings.size.max} nodes: further ones would stay Pending, with or without an autoscaler of nodes",
                str(wanted.max),
                f"at most {fit.pods_at_max}",
                f"set max: {fit.pods_at_max}, or raise size.max of the node group",
            )


@rule("autoscaling-waits-for-nodes", Severity.WARNING)
def autoscaling_waits_for_nodes(context: Context) -> Iterator[RuleFinding]:
    """The node group holds `max` servers as it is, unless something adds nodes."""
    for placed, wanted in _placed(context):
        fit, group = placed.fit, placed.group
        nobody = group.settings.autoscaler is NodeAutoscaler.NONE
        if nobody and fit.pods_at_desired < wanted.max <= fit.pods_at_max:
            yield RuleFinding(
                f"{placed.path}.autoscaling.max",
                f"{fit.pods_at_desired} server{'s fit' if fit.pods_at_desired != 1 else ' fits'} {group.name} at its desired size, and nothing adds nodes: further ones stay "
                "Pending",
                str(wanted.max),
                f"at most {fit.pods_at_desired} without an autoscaler of nodes",
                f"write autoscaler: clusterAutoscaler for {group.name}, raise size.desired, or set max: "
                f"{max(1, fit.pods_at_desired)}",
            )


@rule("autoscaling-without-prometheus")
def autoscaling_without_prometheus(context: Context) -> Iterator[RuleFinding]:
    """Servers follow the load only where a Prometheus scrapes them, and its address is known."""
    monitoring = context.settings.monitoring
    if can_be_asked(context.settings):
        return
    existing = monitoring.prometheus is PrometheusKind.EXISTING
    for path, _ in _wanted(context):
        yield RuleFinding(
            path,
            "KEDA asks a Prometheus for the load, and " + ("its address is not known" if existing else "there is none"),
            f"prometheus: {monitoring.prometheus.value}",
            "a Prometheus with an address",
            "write monitoring.prometheusAddress" if existing else "write monitoring: {prometheus: stack}",
        )


@rule("autoscaling-beside-replicas")
def autoscaling_beside_replicas(context: Context) -> Iterator[RuleFinding]:
    """A number of servers is written, or follows the load: each deployment would set back what the autoscaler has set."""
    for path, workload in context.settings.workloads.servers():
        if workload.autoscaling and workload.replicas is not None:
            yield RuleFinding(
                f"{path}.replicas",
                "autoscaling sets the number of servers",
                str(workload.replicas),
                "nothing beside autoscaling",
                f"remove replicas, and set autoscaling.min: {workload.replicas} if there are never to be fewer",
            )


@rule("autoscaling-faster-than-start")
def autoscaling_faster_than_start(context: Context) -> Iterator[RuleFinding]:
    """Nobody judges before the last change has had an effect: periods and windows are at least the time that a server takes to start.

    Requests pile up while a server starts. Who adds servers faster than they start adds them for that pile, up to the maximum;
    who takes one away sooner needs it again before it could be back.
    """
    for path, server in context.settings.workloads.servers():
        if server.autoscaling is None:
            continue
        start, wanted = start_seconds(server), server.autoscaling
        pairs = (
            ("scaleUp.periodSeconds", wanted.scale_up.period_seconds),
            ("scaleDown.stabilizationSeconds", wanted.scale_down.stabilization_seconds),
        )
        for key, seconds in pairs:
            if seconds is not None and seconds < start:
                yield RuleFinding(
                    f"{path}.autoscaling.{key}",
                    f"a server takes {start} s to start",
                    str(seconds),
                    f"at least {start}",
                    f"set {start}, or startSeconds to what you have measured",
                )


@rule("autoscaling-target")
def autoscaling_target(context: Context) -> Iterator[RuleFinding]:
    """`targetConcurrency` is below the sequences that a server works on at a time: otherwise all of them queue before one is added.

    Source: `eks_accelerators/settings/autoscaling.py`: what the KV cache holds of full length, and vLLM takes at a time.
    """
    for placed, wanted in _placed(context):
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


@rule("autoscaling-fixed-number", Severity.WARNING)
def autoscaling_fixed_number(context: Context) -> Iterator[RuleFinding]:
    """Servers that follow their load have room between `min` and `max`."""
    for path, wanted in _wanted(context):
        if wanted.min == wanted.max:
            yield RuleFinding(
                path,
                "there is nothing to scale",
                f"min {wanted.min}, max {wanted.max}",
                "min below max",
                f"raise max, lower min, or write `replicas: {wanted.min}` instead of autoscaling",
            )


def _wanted(context: Context) -> Iterator[tuple[str, AutoscalingSettings]]:
    """Path and settings of each autoscaling that is written."""
    for path, workload in context.settings.workloads.servers():
        if workload.autoscaling:
            yield f"{path}.autoscaling", workload.autoscaling


def _placed(context: Context) -> Iterator[tuple[PlacedWorkload, AutoscalingSettings]]:
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


def _is_zone(name: str) -> bool:
    """Whether the time zone exists; where this machine knows none at all, every name could be one."""
    try:
        ZoneInfo(name)
    except (ValueError, OSError):
        return False
    except ZoneInfoNotFoundError:
        return not available_timezones()
    return True
