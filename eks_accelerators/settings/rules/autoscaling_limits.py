"""Rules about how many servers there are that follow the load."""

from collections.abc import Iterator
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from eks_accelerators.accelerators.cron import ever_comes, is_cron
from eks_accelerators.settings.autoscaling import start_seconds
from eks_accelerators.settings.model.node_autoscaling import NodeAutoscaler
from eks_accelerators.settings.model.server import Server
from eks_accelerators.settings.problems import Severity
from eks_accelerators.settings.rules.autoscaling import placed_of, wanted_of
from eks_accelerators.settings.rules.registry import Context, RuleFinding, rule


@rule("autoscaling-from-zero")
def autoscaling_from_zero(context: Context) -> Iterator[RuleFinding]:
    """A server that may be gone altogether is woken by something outside it: here a schedule.

    Source: KEDA 2.20 `pkg/scaling/executor`: without an active trigger nothing leaves zero; vLLM's metrics are those of its pods,
    and without a pod there are none. Kubernetes Services keep no request until a pod is there.
    """
    for path, wanted in wanted_of(context):
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
    for path, wanted in wanted_of(context):
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
    for path, wanted in wanted_of(context):
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
    for placed, wanted in placed_of(context):
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
    for placed, wanted in placed_of(context):
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
    for placed in context.stack.workloads:
        path, server = placed.path, placed.workload
        if not isinstance(server, Server) or server.autoscaling is None:
            continue
        start, wanted = start_seconds(server, placed.fit), server.autoscaling
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


@rule("autoscaling-fixed-number", Severity.WARNING)
def autoscaling_fixed_number(context: Context) -> Iterator[RuleFinding]:
    """Servers that follow their load have room between `min` and `max`."""
    for path, wanted in wanted_of(context):
        if wanted.min == wanted.max:
            yield RuleFinding(
                path,
                "there is nothing to scale",
                f"min {wanted.min}, max {wanted.max}",
                "min below max",
                f"raise max, lower min, or write `replicas: {wanted.min}` instead of autoscaling",
            )


def _is_zone(name: str) -> bool:
    """Whether the time zone exists; where this machine knows none at all, every name could be one."""
    try:
        ZoneInfo(name)
    except (ValueError, OSError):
        return False
    except ZoneInfoNotFoundError:
        return not available_timezones()
    return True
