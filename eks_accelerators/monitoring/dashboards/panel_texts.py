"""What a panel says of itself: what it means, what that is under the stack's own sharing, and which page says what to do."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from eks_accelerators.monitoring.dashboards.plan import DashboardPanel, DashboardPlan, PanelKind, PanelSection
from eks_accelerators.monitoring.dashboards.selection import PanelLeftOut
from eks_accelerators.monitoring.metrics import metrics, scopes
from eks_accelerators.monitoring.promql import series_of
from eks_accelerators.settings.resolved_stack import ResolvedStack

NOT_SHOWN = "Not shown"

_WAYS = {
    "exclusive": "Exclusive",
    "timeSlicing": "Time-slicing",
    "mps": "MPS",
    "mig": "MIG",
    "claimed": "Claimed",
}


def named(plan: DashboardPlan, missing: Sequence[PanelLeftOut]) -> DashboardPlan:
    """The dashboard with a last panel that names what is missing of it."""
    if not missing:
        return plan
    lines = "\n".join(f"- **{left_out.panel}**: {left_out.reason}" for left_out in missing)
    panel = DashboardPanel(
        NOT_SHOWN,
        PanelKind.TEXT,
        "Panels for which this stack has no metrics.",
        text=lines,
        width=24,
        height=2 + len(missing),
    )
    return replace(plan, sections=(*plan.sections, PanelSection(NOT_SHOWN, (panel,))))


def described(plan: DashboardPlan, stack: ResolvedStack, runbooks: str) -> DashboardPlan:
    """The dashboard with the whole description of every panel."""
    ways = ways_of(stack)
    sections = tuple(
        PanelSection(
            section.title, tuple(replace(panel, means=_description(panel, ways, runbooks)) for panel in section.panels)
        )
        for section in plan.sections
    )
    return replace(plan, sections=sections)


def ways_of(stack: ResolvedStack) -> tuple[str, ...]:
    """The ways in which the groups of a stack give GPUs to pods, as the catalogue of metrics names them."""
    found = {
        "claimed" if group.is_claimed else group.sharing.strategy
        for group in stack.groups.values()
        if group.type.has_nvidia_gpu
    }
    return tuple(way for way in _WAYS if way in found)


def _description(panel: DashboardPanel, ways: Sequence[str], runbooks: str) -> str:
    return "\n\n".join([panel.means, *_under_sharing(panel, ways), *_what_to_do(panel, runbooks)])


def _under_sharing(panel: DashboardPanel, ways: Sequence[str]) -> Iterator[str]:
    """What the catalogue says of the panel's metrics, in the ways that the stack has; nothing of GPUs that are whole."""
    if not set(ways) - {"exclusive"}:
        return
    named = {name for query in panel.queries for name in series_of(query.plain)}
    for name in sorted(named & metrics().keys()):
        if scope := metrics()[name].scope:
            texts = "; ".join(f"{_WAYS[way]}: {scopes()[scope][way]}" for way in ways)
            yield f"`{name}` is: {texts}."


def _what_to_do(panel: DashboardPanel, runbooks: str) -> Iterator[str]:
    if panel.runbook:
        page = f"{runbooks.rstrip('/')}/{panel.runbook}.md"
        yield f"What to do: [{panel.runbook}]({page})" if "://" in page else f"What to do: {page}"
