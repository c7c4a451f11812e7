"""What changes between two revisions, for a terminal."""

import json
from decimal import Decimal

from pydantic import JsonValue
from rich.console import Console
from rich.text import Text

from eks_accelerators.accel.render_text import short_type
from eks_accelerators.accel.reports.plan import Changes, CostDifference, DifferenceReport

SIGNS = {"add": "+", "change": "~", "replace": "+-", "remove": "-"}
_COLOURS = {"add": "green", "change": "yellow", "replace": "red", "remove": "red"}
_LONGEST = 120


def print_changes(changes: Changes, out: Console) -> None:
    """Added, changed, replaced and removed resources, the grave ones first, and the difference in cost."""
    out.print(f"Changes against {changes.against}", style="bold")
    if changes.new_stack:
        out.print("  the stack is not there at that revision: everything is new")
    if changes.against_failed:
        out.print("  that revision has errors of its own and registers nothing: everything shows as new")
    out.print("  " + ", ".join(f"{count} to {action}" for action, count in changes.summary))
    for entry in changes.resources:
        line = Text(f"  {SIGNS[entry.action]:3}", style=_COLOURS[entry.action])
        line.append(f"{entry.action:8}{short_type(entry.type)}  {entry.name}", style="default")
        if entry.grave:
            line.append(f"  !!! {entry.grave}", style="bold red")
        out.print(line, soft_wrap=True)
        for difference in entry.properties:
            out.print(Text(f"        {property_line(difference)}"), soft_wrap=True)
    out.print(f"  Cost: {cost_sentence(changes.cost)}\n", soft_wrap=True)


def property_line(difference: DifferenceReport) -> str:
    """One changed property: its values, or why it changes where an engine alone knows them."""
    mark = "  (replaces)" if difference.replaces else ""
    if difference.because:
        return f"{difference.path}: {difference.because}{mark}"
    return f"{difference.path}: {shown(difference.before)} -> {shown(difference.after)}{mark}"


def cost_sentence(cost: CostDifference) -> str:
    """The difference in cost, in words."""
    parts = [
        f"{signed(hour)} USD per hour, {signed(month)} per month {label}"
        for label, hour, month in (
            ("now", cost.usd_per_hour_at_desired, cost.usd_per_month_at_desired),
            ("at the largest size", cost.usd_per_hour_at_max, cost.usd_per_month_at_max),
        )
    ]
    unknown = f"; unknown: {', '.join(cost.unknown)}" if cost.unknown else ""
    return "; ".join(parts) + unknown


def signed(value: Decimal | None) -> str:
    """A difference with its sign; `unknown` where unknown."""
    return "unknown" if value is None else f"{value:+,.2f}"


def shown(value: JsonValue) -> str:
    """A property's value on one line."""
    if value is None:
        return "(nothing)"
    text = json.dumps(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
