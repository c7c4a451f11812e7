"""What changes between two revisions, for a terminal."""

import json
from decimal import Decimal
from typing import Any

from rich.console import Console
from rich.text import Text

from eks_accelerators.accel.render_text import short_type
from eks_accelerators.settings.printable import each_text

SIGNS = {"add": "+", "change": "~", "replace": "+-", "remove": "-"}
_COLOURS = {"add": "green", "change": "yellow", "replace": "red", "remove": "red"}
_LONGEST = 120


def print_changes(changes: dict[str, Any], out: Console) -> None:
    """Added, changed, replaced and removed resources, the grave ones first, and the difference in cost."""
    changes = each_text(changes, but={"before", "after"})  # those are shown as JSON
    out.print(f"Changes against {changes['against']}", style="bold")
    if changes["newStack"]:
        out.print("  the stack is not there at that revision: everything is new")
    if changes["againstFailed"]:
        out.print("  that revision has errors of its own and registers nothing: everything shows as new")
    summary = changes["summary"]
    out.print("  " + ", ".join(f"{count} to {action}" for action, count in summary.items()))
    for entry in changes["resources"]:
        line = Text(f"  {SIGNS[entry['action']]:3}", style=_COLOURS[entry["action"]])
        line.append(f"{entry['action']:8}{short_type(entry['type'])}  {entry['name']}", style="default")
        if entry["grave"]:
            line.append(f"  !!! {entry['grave']}", style="bold red")
        out.print(line, soft_wrap=True)
        for difference in entry["properties"]:
            out.print(Text(f"        {property_line(difference)}"), soft_wrap=True)
    out.print(f"  Cost: {cost_sentence(changes['cost'])}\n", soft_wrap=True)


def property_line(difference: dict[str, Any]) -> str:
    """One changed property: its values, or why it changes where an engine alone knows them."""
    mark = "  (replaces)" if difference["replaces"] else ""
    if difference["because"]:
        return f"{difference['path']}: {difference['because']}{mark}"
    return f"{difference['path']}: {shown(difference['before'])} -> {shown(difference['after'])}{mark}"


def cost_sentence(cost: dict[str, Any]) -> str:
    """The difference in cost, in words."""
    parts = [
        f"{signed(cost['usdPerHour' + key])} USD an hour, {signed(cost['usdPerMonth' + key])} a month {label}"
        for label, key in (("now", "AtDesired"), ("at the largest size", "AtMax"))
    ]
    unknown = f"; unknown: {', '.join(cost['unknown'])}" if cost["unknown"] else ""
    return "; ".join(parts) + unknown


def signed(value: str | None) -> str:
    """A difference with its sign; `unknown` where unknown."""
    return "unknown" if value is None else f"{Decimal(value):+,.2f}"


def shown(value: Any) -> str:
    """A property's value on one line."""
    if value is None:
        return "(nothing)"
    text = json.dumps(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
