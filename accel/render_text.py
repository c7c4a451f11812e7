"""Reports and plans for a terminal: readable without colour and when piped."""

import sys
from collections import defaultdict
from decimal import Decimal
from typing import IO, Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

_PIPED_WIDTH = 140
_COLLAPSE_FROM = 4
"""So many siblings of one type, without children, share a line."""


def console(stream: IO[str] | None = None) -> Console:
    """A console that is wide enough for tables when nobody says how wide it is."""
    made = Console(file=stream or sys.stdout, highlight=False, soft_wrap=False)
    if not made.is_terminal:
        made.width = _PIPED_WIDTH
    return made


def print_report(data: dict[str, Any], out: Console) -> None:
    """The report: resources where there are any, node groups, workloads, cost, problems."""
    if data.get("resources"):
        out.print(_tree(data))
        count = len(data["resources"])
        out.print(f"{count} resources, {sum(not r['custom'] for r in data['resources'])} of them components\n")
    if data["nodeGroups"]:
        out.print(_node_groups(data["nodeGroups"]))
    if data["workloads"]:
        out.print(_workloads(data["workloads"]))
    if data["cost"]:
        _print_cost(data["cost"], out)
    print_problems(data["problems"], out)


def print_problems(problems: list[dict[str, Any]], out: Console) -> None:
    """Problems, errors first, each with what was found, what is allowed and the fix."""
    counts = [sum(p["severity"] == kind for p in problems) for kind in ("error", "warning")]
    out.print(f"Problems: {counts[0]} errors, {counts[1]} warnings", style="bold")
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


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        right = column in ("nodes", "$/h now", "$/h max", "replicas", "EFA")
        table.add_column(column, justify="right" if right else "left", overflow="fold")
    return table


def _node_groups(groups: list[dict[str, Any]]) -> Table:
    table = _table(
        "Node groups",
        "name",
        "type",
        "accelerators",
        "a node advertises",
        "EFA",
        "zones",
        "bought",
        "nodes",
        "$/h now",
        "$/h max",
    )
    for group in groups:
        size = group["size"]
        count = f"{group['acceleratorsPerNode']} x {group['accelerator']}"
        if group["partitionSize"] < 1:
            count = f"{group['partitionSize']:g} x {group['accelerator']}"
        table.add_row(
            group["name"],
            group["instanceType"],
            count,
            "\n".join(f"{name}: {number}" for name, number in group["resourcesPerNode"].items()),
            str(group["efaInterfaces"] or "-"),
            ", ".join(group["zones"] or ["the block's"]),
            group["capacityBlock"] or group["capacityType"],
            f"{size['min']}/{size['desired']}/{size['max']}",
            dollars(group["usdPerHourAtDesired"]),
            dollars(group["usdPerHourAtMax"]),
        )
    table.caption = "nodes: min/desired/max"
    table.caption_justify = "left"
    return table


def _workloads(workloads: list[dict[str, Any]]) -> Table:
    table = _table("Workloads", "name", "model", "runs on", "replicas", "fits", "memory of one server")
    for workload in workloads:
        fits = "unknown"
        if workload["podsPerNode"] is not None:
            fits = f"{workload['podsPerNode']} a node (by {workload['limitedBy']}), {workload['podsAtDesired']} now, {workload['podsAtMax']} at most"
        table.add_row(
            workload["name"],
            workload["model"],
            workload["nodeGroup"],
            str(workload["replicas"]),
            fits,
            workload["memory"] or "unknown",
        )
    return table


def _print_cost(cost: dict[str, Any], out: Console) -> None:
    table = _table("Cost", "what", "pieces", "$/h each", "$/h now", "$/h max", "note")
    for line in cost["lines"]:
        pieces = (
            str(line["atDesired"]) if line["atDesired"] == line["atMax"] else f"{line['atDesired']}-{line['atMax']}"
        )
        table.add_row(
            line["name"],
            pieces,
            dollars(line["usdPerHour"]),
            dollars(line["usdPerHourAtDesired"]),
            dollars(line["usdPerHourAtMax"]),
            line["note"],
        )
    out.print(table)
    for label, key in (("now", "AtDesired"), ("at the largest size", "AtMax")):
        plus = f", and unknown: {', '.join(cost['unknown' + key])}" if cost["unknown" + key] else ""
        hour, month = dollars(cost["usdPerHour" + key]), f"{Decimal(cost['usdPerMonth' + key]):,.2f}"
        out.print(f"Cost {label}: {hour} USD an hour, {month} USD a month of 730 hours{plus}")
    out.print(f"Not counted: {', '.join(cost['notCounted'])}\n")


def dollars(value: str | None) -> str:
    """USD with the digits that matter; `unknown` where unknown."""
    return "unknown" if value is None else f"{Decimal(value):,.3f}"
