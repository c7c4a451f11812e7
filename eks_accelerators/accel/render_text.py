"""Reports and plans for a terminal: readable without colour and when piped."""

import os
import sys
from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal
from textwrap import fill
from typing import IO, Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text
from rich.tree import Tree

from eks_accelerators.accel import render_headroom
from eks_accelerators.accel.resource_counts import resource_counts
from eks_accelerators.accel.streams import below
from eks_accelerators.accel.tables import Row, print_table
from eks_accelerators.settings.printable import each_text, shown

_PIPED_WIDTH = 140
_SUBJECT = 11
"""Columns that the subject of a line about sharing has."""

_COLLAPSE_FROM = 4
"""So many siblings of one type, without children, share a line."""


class _Console(Console):
    """Sends its own colours, and of what it is given only what can be seen."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=shown(segment.text))


def console(stream: IO[str] | None = None) -> Console:
    """A console that is wide enough for tables when nobody says how wide it is."""
    # No markup, no emoji: what is printed comes from settings, and is shown as it is.
    made = _Console(file=below(stream or sys.stdout), highlight=False, soft_wrap=False, markup=False, emoji=False)
    if not made.is_terminal and not os.environ.get("COLUMNS", "").isdigit():
        made.width = _PIPED_WIDTH
    return made


def print_report(data: dict[str, Any], out: Console) -> None:
    """The report: resources where there are any, node groups, workloads, cost, problems."""
    data = each_text(data)
    if data.get("resources"):
        out.print(_tree(data))
        count, components = resource_counts(data["resources"])
        out.print(f"{count} resources, {components} of them components\n")
    if data["nodeGroups"]:
        print_table("Node groups", _node_groups(data["nodeGroups"]), out)
    if data["workloads"]:
        print_table("Workloads", _workloads(data["workloads"]), out)
    _print_room(data, out)
    if data["cost"]:
        _print_cost(data["cost"], out)
    print_problems(data["problems"], out)


def counted(problems: list[dict[str, Any]]) -> str:
    """How many errors and warnings there are."""
    counts = {kind: sum(p["severity"] == kind for p in problems) for kind in ("error", "warning")}
    return ", ".join(f"{count} {kind}{'s' * (count != 1)}" for kind, count in counts.items())


def print_problems(problems: list[dict[str, Any]], out: Console) -> None:
    """Problems, errors first, each with what was found, what is allowed and the fix."""
    problems = each_text(problems)
    out.print(f"Problems: {counted(problems)}", style="bold")
    for problem in sorted(problems, key=lambda p: p["severity"] != "error"):
        colour = "red" if problem["severity"] == "error" else "yellow"
        line = f" (line {problem['line']})" if problem["line"] else ""
        head = Text(f"  {problem['severity']}: ", style=colour)
        head.append(f"{problem['path']}{line}: {problem['message']} [{problem['code']}]", style="default")
        out.print(head, soft_wrap=True)
        for key in ("found", "allowed", "fix"):
            out.print(Text(f"      {key + ':':9}{problem[key]}"), soft_wrap=True)


def _tree(data: dict[str, Any]) -> Tree:
    children: dict[str, list[dict[str, Any]]] = defaultdict(list)
    known = {resource["urn"] for resource in data["resources"]}
    for resource in data["resources"]:
        children[resource["parent"] if resource["parent"] in known else ""].append(resource)
    root = Tree(Text(f"{data['stack']} in {data['region']}", style="bold"))
    _grow(root, "", children)
    return root


def _grow(branch: Tree, urn: str, children: dict[str, list[dict[str, Any]]]) -> None:
    by_type: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for child in sorted(children[urn], key=lambda c: (bool(c["custom"]), c["type"], c["name"])):
        by_type[child["type"]].append(child)
    for kind, siblings in by_type.items():
        if len(siblings) >= _COLLAPSE_FROM and not any(children[s["urn"]] for s in siblings):
            branch.add(Text(f"{short_type(kind)} x {len(siblings)}", style="dim"))
            continue
        for resource in siblings:
            label = Text(f"{short_type(kind)}  ")
            label.append(resource["name"], style="bold")
            if resource["protect"]:
                label.append("  protected", style="yellow")
            _grow(branch.add(label), resource["urn"], children)


def short_type(token: str) -> str:
    """`aws:ec2/vpc:Vpc` as `aws:ec2:Vpc`."""
    package, _, rest = token.partition(":")
    module, _, name = rest.rpartition(":")
    return f"{package}:{module.rpartition('/')[0] or module}:{name}"


def accelerators(group: dict[str, Any]) -> str:
    """What a node of a group of the report has: `8 x H100`, or `0.125 x L4` of a fractional instance."""
    part = group["partitionSize"]
    return f"{group['acceleratorsPerNode'] if part >= 1 else format(part, 'g')} x {group['accelerator']}"


def _node_groups(groups: list[dict[str, Any]]) -> list[Row]:
    rows = []
    for group in groups:
        size = group["size"]
        rows.append(
            {
                "name": group["name"],
                "type": group["instanceType"],
                "accelerators": accelerators(group),
                "a node advertises": "\n".join(
                    [
                        *(f"{name}: {n}" for name, n in group["resourcesPerNode"].items()),
                        *(f"{n} {name} by claim" for name, n in group["claimsPerNode"].items()),
                    ]
                ),
                "EFA": str(group["efaInterfaces"] or "-"),
                "zones": "\n".join(group["zones"] or ["the block's"]),
                "bought": "\nthen ".join(
                    [group["capacityBlock"] or group["capacityType"], *group["nextCapacityBlocks"]]
                ),
                "min/now/max": f"{size['min']}/{size['desired']}/{size['max']}",
                "$/h now": dollars(group["usdPerHourAtDesired"]),
                "$/h max": dollars(group["usdPerHourAtMax"]),
            }
        )
    return rows


def _workloads(workloads: list[dict[str, Any]]) -> list[Row]:
    rows = []
    for workload in workloads:
        fits = "unknown"
        if workload["podsPerNode"] is not None:
            fits = f"{workload['podsPerNode']} a node (by {workload['limitedBy']}), {workload['podsAtDesired']} now, {workload['podsAtMax']} at most"
        rows.append(
            {
                "name": workload["name"],
                "model": workload["model"] or workload["kind"],
                "runs on": workload["nodeGroup"],
                "replicas": str(workload["replicas"]),
                "fits": fits,
                "memory of one server": workload["memory"] or ("unknown" if workload["model"] else "-"),
            }
        )
    return rows


def _print_room(data: dict[str, Any], out: Console) -> None:
    """What each group's sharing does, what its pods leave and what it would refuse."""
    if data["nodeGroups"]:
        out.print("Sharing and room", style="bold")
    for group in data["nodeGroups"]:
        out.print(f"{group['name']}: {group['sharing']}")
        before = None
        for subject, sentence in render_headroom.lines(group, data["workloads"]):
            label = "" if subject == before else f"  {subject}:"
            out.print(
                fill(
                    sentence,
                    max(out.width, 2 * _SUBJECT),
                    initial_indent=label.ljust(_SUBJECT),
                    subsequent_indent=" " * _SUBJECT,
                    break_on_hyphens=False,
                ),
                soft_wrap=True,
            )
            before = subject
    if data["nodeGroups"]:
        out.print()


def _cost_rows(cost: dict[str, Any]) -> list[Row]:
    return [
        {
            "what": line["name"],
            "pieces": str(line["atDesired"])
            if line["atDesired"] == line["atMax"]
            else f"{line['atDesired']}-{line['atMax']}",
            "$/h each": dollars(line["usdPerHour"]),
            "$/h now": dollars(line["usdPerHourAtDesired"]),
            "$/h max": dollars(line["usdPerHourAtMax"]),
            "note": line["note"],
        }
        for line in cost["lines"]
    ]


def _print_cost(cost: dict[str, Any], out: Console) -> None:
    print_table("Cost", _cost_rows(cost), out)
    for label, key in (("now", "AtDesired"), ("at the largest size", "AtMax")):
        plus = f", and unknown: {', '.join(cost['unknown' + key])}" if cost["unknown" + key] else ""
        hour, month = dollars(cost["usdPerHour" + key]), f"{Decimal(cost['usdPerMonth' + key]):,.2f}"
        out.print(f"Cost {label}: {hour} USD an hour, {month} USD a month of 730 hours{plus}")
    out.print(f"Not counted: {', '.join(cost['notCounted'])}\n")


def dollars(value: str | None) -> str:
    """USD with the digits that matter; `unknown` where unknown."""
    return "unknown" if value is None else f"{Decimal(value):,.3f}"
