"""What of a dashboard a stack gets: the panels that concern it and whose series somebody emits or records."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from eks_accelerators.monitoring.dashboards.plan import DashboardPanel, DashboardPlan, PanelSection, Variable
from eks_accelerators.monitoring.metrics import Exporter
from eks_accelerators.monitoring.promql import series_of
from eks_accelerators.monitoring.recording_rules import WHY_NOT, RecordingRule
from eks_accelerators.monitoring.rules import needs_of
from eks_accelerators.settings.resolved_stack import ResolvedStack

ALERTS = "ALERTS"
"""The series of alerts that are pending or firing."""


@dataclass(frozen=True, slots=True)
class PanelLeftOut:
    """A panel that concerns a stack and cannot be shown, and why."""

    dashboard: str
    panel: str
    reason: str


@dataclass(frozen=True, slots=True)
class Emitted:
    """What the Prometheus of a stack has: the exporters that it scrapes, what it records, and whether it has alerts."""

    exporters: Collection[Exporter]
    recorded: Sequence[RecordingRule]
    alerts: bool = True


def for_stack(
    plan: DashboardPlan, stack: ResolvedStack, emitted: Emitted
) -> tuple[DashboardPlan | None, tuple[PanelLeftOut, ...]]:
    """The dashboard as the stack can have it, and what is missing of it; None where nothing is left or it is for others.

    Panels that ask for the same under one title, a number and its course, are missing once.
    """
    if not plan.concern.applies(stack):
        return None, ()
    sections = []
    missing: dict[PanelLeftOut, None] = {}
    for section in plan.sections:
        kept = []
        for panel in _concerned(section, stack):
            if reason := lacks((query.plain for query in panel.queries), emitted):
                missing[PanelLeftOut(plan.name, panel.title, reason)] = None
            else:
                kept.append(panel)
        if kept:
            sections.append(PanelSection(section.title, tuple(kept)))
    variables = tuple(variable for variable in plan.variables if not lacks([variable.series], emitted))
    chosen = replace(plan, sections=tuple(sections), variables=variables)
    if not any(map(_shows_more_than_alerts, chosen.panels)) or _asks_for_more(chosen, plan.variables):
        return None, tuple(missing)
    return chosen, tuple(missing)


def lacks(expressions: Iterable[str], emitted: Emitted) -> str:
    """Why expressions have no answer, in words; empty where they can have one."""
    exporters: set[Exporter] = set()
    unknown: set[str] = set()
    reasons = []
    for expression in expressions:
        if ALERTS in series_of(expression) and not emitted.alerts:
            reasons.append("no alerts are deployed")
        needs = needs_of(expression, emitted.recorded)
        exporters |= needs.exporters
        unknown |= needs.unknown
    if absent := sorted(exporters.difference(emitted.exporters, [Exporter.PROMETHEUS])):
        reasons.append(f"nobody scrapes {' and '.join(absent)}")
    reasons += dict.fromkeys(WHY_NOT.get(name, f"this stack has no {name}") for name in sorted(unknown))
    return "; ".join(reasons)


def _concerned(section: PanelSection, stack: ResolvedStack) -> Iterator[DashboardPanel]:
    return (panel for panel in section.panels if panel.concern.applies(stack))


def _shows_more_than_alerts(panel: DashboardPanel) -> bool:
    return any(series_of(query.plain) != {ALERTS} for query in panel.queries)


def _asks_for_more(chosen: DashboardPlan, variables: Sequence[Variable]) -> bool:
    """Whether a panel that is left asks for a variable that is not."""
    gone = {variable.name for variable in variables} - {variable.name for variable in chosen.variables}
    return any(f"${name}" in query.expression for panel in chosen.panels for query in panel.queries for name in gone)
