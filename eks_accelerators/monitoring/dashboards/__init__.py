"""Dashboards for Grafana, as code: `dashboards_of` a stack has those that concern it and whose metrics are emitted."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from eks_accelerators.monitoring.dashboards import capacity_blocks, cost, fleet, gpu, neuron, servers, training
from eks_accelerators.monitoring.dashboards.grafana import as_json
from eks_accelerators.monitoring.dashboards.panel_texts import described, named
from eks_accelerators.monitoring.dashboards.plan import DashboardPlan
from eks_accelerators.monitoring.dashboards.selection import Emitted, PanelLeftOut, for_stack
from eks_accelerators.monitoring.metrics import Exporter
from eks_accelerators.monitoring.recording_rules import NO_ENDS, recording_rules
from eks_accelerators.settings.resolved_stack import ResolvedStack

PLANS: tuple[DashboardPlan, ...] = (
    fleet.PLAN,
    gpu.PLAN,
    servers.PLAN,
    training.PLAN,
    neuron.PLAN,
    cost.PLAN,
    capacity_blocks.PLAN,
)
"""Every dashboard there is, in the order in which people look at them."""


@dataclass(frozen=True, slots=True)
class Dashboard:
    """A dashboard of a stack. ``name`` is that of its file, ``json`` what Grafana reads."""

    name: str
    title: str
    json: str


def plans_of(
    stack: ResolvedStack,
    emitted: Collection[Exporter],
    block_ends: Mapping[str, datetime] = NO_ENDS,
    *,
    alerts: bool = True,
) -> tuple[tuple[DashboardPlan | None, tuple[PanelLeftOut, ...]], ...]:
    """Every dashboard as the stack can have it, None where it has none; and the panels that it would have besides."""
    known = Emitted(emitted, recording_rules(stack, block_ends), alerts)
    return tuple(for_stack(plan, stack, known) for plan in PLANS)


def dashboards_of(
    stack: ResolvedStack,
    emitted: Collection[Exporter],
    block_ends: Mapping[str, datetime] = NO_ENDS,
    runbooks: str | None = None,
    *,
    alerts: bool = True,
) -> tuple[Dashboard, ...]:
    """The dashboards of a stack whose Prometheus scrapes the exporters ``emitted`` and has the rules of `rules_of`.

    ``runbooks`` is the address below which the pages of the panels are, that of the settings by default; ``alerts``, whether
    the alerts are among its rules. Each dashboard names the panels that it lacks.
    """
    pages = runbooks or stack.settings.monitoring.alerts.runbooks
    return tuple(
        Dashboard(plan.uid, plan.title, as_json(described(named(plan, missing), stack, pages)))
        for plan, missing in plans_of(stack, emitted, block_ends, alerts=alerts)
        if plan
    )


def panels_left_out(
    stack: ResolvedStack,
    emitted: Collection[Exporter],
    block_ends: Mapping[str, datetime] = NO_ENDS,
    *,
    alerts: bool = True,
) -> tuple[PanelLeftOut, ...]:
    """The panels that concern a stack and that none of its dashboards can show."""
    return tuple(left_out for _, missing in plans_of(stack, emitted, block_ends, alerts=alerts) for left_out in missing)
