"""Rules about servers on nodes that come and go by the clock."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from eks_accelerators.settings.model.node_autoscaling import NodeAutoscaler
from eks_accelerators.settings.model.node_groups import CapacityType, ScheduledScaling
from eks_accelerators.settings.model.server import Server
from eks_accelerators.settings.problems import Severity
from eks_accelerators.settings.resolved_stack import PlacedWorkload
from eks_accelerators.settings.rules.registry import Context, RuleFinding, rule
from eks_accelerators.settings.scheduled_nodes import NodesAway, first_met, hours_within, nodes_away

_AHEAD = timedelta(days=366)
"""Summer and winter: a schedule of nodes is in UTC, the hours of servers in their own time zone."""


@rule("scheduled-scaling-waits", Severity.WARNING)
def scheduled_scaling_waits(context: Context) -> Iterator[RuleFinding]:
    """No server is kept while `scheduledScaling` leaves its node group without nodes: it would stay Pending all that time.

    A workload runs on its own node group alone. Where an autoscaler brings nodes, another rule refuses the schedule; on a
    Capacity Block all servers wait for its start anyway, and go with its end.
    Source: `AcceleratorPodUnschedulable` in `eks_accelerators/monitoring/alerts/pods.py`: the alert comes after 15 minutes.
    """
    until = context.now + _AHEAD
    for placed in context.stack.workloads:
        group = placed.group.settings
        if group.autoscaler is not NodeAutoscaler.NONE or group.bought_as is CapacityType.CAPACITY_BLOCK:
            continue
        if isinstance(placed.workload, Server) and (away := nodes_away(group, context.now, until)):
            yield from _waiting(placed, placed.workload, away, context.now, until)


def _waiting(
    placed: PlacedWorkload, server: Server, away: tuple[NodesAway, ...], now: datetime, until: datetime
) -> Iterator[RuleFinding]:
    scaling = server.autoscaling
    if scaling is None:
        fix = "write autoscaling with min: 0 and a schedule of hours in which there are nodes"
        yield _finding(placed, server.COUNT, placed.fit.replicas, str(placed.fit.replicas), away[0], fix)
        return
    if scaling.min > 0:
        fix = "set min: 0, with a schedule of hours in which there are nodes"
        yield _finding(placed, "autoscaling.min", scaling.min, str(scaling.min), away[0], fix)
    for index, hours in enumerate(scaling.schedule):
        if met := first_met(away, hours_within(hours, now, until)):
            path = f"autoscaling.schedule[{index}]"
            written = f"{hours.start} to {hours.end}, {hours.timezone}"
            fix = "begin after the nodes have come, and end before they go"
            yield _finding(placed, path, hours.replicas, written, met, fix)


def _finding(placed: PlacedWorkload, path: str, replicas: int, found: str, away: NodesAway, fix: str) -> RuleFinding:
    pods = replicas * placed.fit.pods_per_replica
    name, back = placed.group.name, away.brought_by
    ends = f"until {_action(back)} brings some" if back else "and nothing brings any again"
    return RuleFinding(
        f"{placed.path}.{path}",
        f"{pods} pod{'s' if pods != 1 else ''} of {placed.name} stay{'' if pods != 1 else 's'} Pending while {name} has no nodes: "
        f"{_action(away.emptied_by)} takes them away, {ends}, and an alert comes",
        found,
        f"no server while {name} has no nodes",
        f"{fix}; or keep a node by desired: 1 in {away.emptied_by.name}",
    )


def _action(action: ScheduledScaling) -> str:
    return f"{action.name} ({action.recurrence} UTC)" if action.recurrence else f"{action.name} ({action.start_time})"
