"""What following the load means for a workload: how many servers, on how many nodes, for how much."""

from decimal import Decimal

from eks_accelerators.accel.reports.check import AutoscalingReport, HoursReport
from eks_accelerators.settings.autoscaling import autoscaling_of
from eks_accelerators.settings.cost import Cost, node_per_hour
from eks_accelerators.settings.model.server import Server
from eks_accelerators.settings.resolved_stack import PlacedWorkload
from eks_accelerators.settings.spreading import spread_of


def scaling_report(placed: PlacedWorkload, cost: Cost) -> AutoscalingReport | None:
    """None where the number of servers stays as it is. The nodes are counted as if no other workload were on them."""
    workload, fit = placed.workload, placed.fit
    scaling = autoscaling_of(workload, fit) if isinstance(workload, Server) else None
    if scaling is None:
        return None
    apart = spread_of(workload, placed.group, fit)
    at_least = apart.min_domains if apart else 0
    at_min, at_max = (_nodes(servers, fit.pods_per_node, at_least) for servers in (scaling.least, scaling.most))
    price = node_per_hour(cost, placed.group.name)
    return AutoscalingReport(
        min=scaling.least,
        max=scaling.most,
        hours=tuple(
            HoursReport(start=one.start, end=one.end, timezone=one.timezone, replicas=one.replicas)
            for one in scaling.schedule
        ),
        metrics=scaling.metrics,
        target_concurrency=scaling.target,
        sequences_at_a_time=scaling.of_sequences,
        start_seconds=scaling.start_seconds,
        fallback_replicas=scaling.fallback,
        nodes_at_min=at_min,
        nodes_at_max=at_max,
        usd_per_hour_at_min=_times(price, at_min),
        usd_per_hour_at_max=_times(price, at_max),
    )


def _nodes(servers: int, per_node: int, at_least: int) -> int | None:
    """How many nodes take so many servers, which are kept apart on ``at_least`` so many."""
    return max(at_least, -(-servers // per_node)) if per_node else None


def _times(price: Decimal | None, nodes: int | None) -> Decimal | None:
    if nodes == 0:
        return Decimal(0)
    return None if price is None or nodes is None else price * nodes
