"""Reports and plans for a terminal: readable without colour and when piped."""

import os
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from decimal import Decimal
from textwrap import fill
from typing import IO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text
from rich.tree import Tree

from eks_accelerators.accel import monitoring_report, render_headroom
from eks_accelerators.accel.lines import print_lines
from eks_accelerators.accel.reports.base import one_lined
from eks_accelerators.accel.reports.check import CheckReport, CostReport, NodeGroupReport, ProblemReport, WorkloadReport
from eks_accelerators.accel.reports.plan import PlanReport, ResourceReport
from eks_accelerators.accel.resource_counts import resource_counts
from eks_accelerators.accel.streams import below
from eks_accelerators.accel.tables import Row, print_table
from eks_accelerators.settings.printable import shown

_PIPED_WIDTH = 140
_TRAILING = re.compile(r" +((?:\x1b\[[0-9;]*m)*)\n")
"""Blanks at the end of a line, before what ends its colour."""

_SUBJECT = 12
"""Columns that the subject of a line about sharing has."""

_COLLAPSE_FROM = 4
"""So many siblings of one type, without children, share a line."""


class _Console(Console):
    """Sends its own colours, and of what it is given only what can be seen."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=shown(segment.text))

    def _render_buffer(self, buffer: Iterable[Segment]) -> str:
        """The text of lines, none of which ends in blanks: tables fill their last column, and wrapped lines keep theirs."""
        return _TRAILING.sub(r"\1\n", super()._render_buffer(buffer))


def console(stream: IO[str] | None = None) -> Console:
    """A console that is wide enough for tables when nobody says how wide it is."""
    # No markup, no emoji: what is printed comes from settings, and is shown as it is.
    made = _Console(file=below(stream or sys.stdout), highlight=False, soft_wrap=False, markup=False, emoji=False)
    if not made.is_terminal and not os.environ.get("COLUMNS", "").isdigit():
        made.width = _PIPED_WIDTH
    return made


def print_report(report: CheckReport, out: Console) -> None:
    """The report: resources where there are any, node groups, workloads, cost, problems."""
    if isinstance(report, PlanReport) and report.resources:
        out.print(_tree(report))
        count, components = resource_counts(report.resources)
        out.print(f"{count} resources, {components} of them components\n")
    if report.node_groups:
        print_table("Node groups", _node_groups(report.node_groups), out)
    if report.workloads:
        print_table("Workloads", _workloads(report.workloads), out)
    if runs := _runs(report.workloads):
        print_table("Runs", runs, out)
    _print_headroom(report, out)
    if report.monitoring:
        out.print("Monitoring", style="bold")
        print_lines(list(_under_subjects(monitoring_report.lines(report.monitoring), out.width)), out)
        out.print()
    if report.cost:
        _print_cost(report.cost, out)
    print_problems(report.problems, out)


def counted(problems: Iterable[ProblemReport]) -> str:
    """How many errors and warnings there are."""
    counts = {kind: sum(p.severity == kind for p in problems) for kind in ("error", "warning")}
    return ", ".join(f"{count} {kind}{'s' * (count != 1)}" for kind, count in counts.items())


def print_problems(problems: Iterable[ProblemReport], out: Console) -> None:
    """Problems, errors first, each with what was found, what is allowed and the fix."""
    listed = [one_lined(problem) for problem in problems]
    out.print(f"Problems: {counted(listed)}", style="bold")
    for problem in sorted(listed, key=lambda p: p.severity != "error"):
        colour = "red" if problem.severity == "error" else "yellow"
        line = f" (line {problem.line})" if problem.line else ""
        head = Text(f"  {problem.severity}: ", style=colour)
        head.append(f"{problem.path}{line}: {problem.message} [{problem.code}]", style="default")
        out.print(head, soft_wrap=True)
        for key, value in (("found", problem.found), ("allowed", problem.allowed), ("fix", problem.fix)):
            out.print(Text(f"      {key + ':':9}{value}"), soft_wrap=True)


def _tree(report: PlanReport) -> Tree:
    children: dict[str, list[ResourceReport]] = defaultdict(list)
    known = {resource.urn for resource in report.resources}
    for resource in report.resources:
        children[resource.parent if resource.parent in known else ""].append(resource)
    root = Tree(Text(f"{report.stack} in {report.region}", style="bold"))
    _grow(root, "", children)
    return root


def _grow(branch: Tree, urn: str, children: dict[str, list[ResourceReport]]) -> None:
    by_type: dict[str, list[ResourceReport]] = defaultdict(list)
    for child in sorted(children[urn], key=lambda c: (bool(c.custom), c.type, c.name)):
        by_type[child.type].append(child)
    for kind, siblings in by_type.items():
        if len(siblings) >= _COLLAPSE_FROM and not any(children[s.urn] for s in siblings):
            branch.add(Text(f"{short_type(kind)} x {len(siblings)}", style="dim"))
            continue
        for resource in siblings:
            label = Text(f"{short_type(kind)}  ")
            label.append(resource.name, style="bold")
            if resource.protect:
                label.append("  protected", style="yellow")
            _grow(branch.add(label), resource.urn, children)


def short_type(token: str) -> str:
    """`aws:ec2/vpc:Vpc` as `aws:ec2:Vpc`."""
    package, _, rest = token.partition(":")
    module, _, name = rest.rpartition(":")
    return f"{package}:{module.rpartition('/')[0] or module}:{name}"


def accelerators(group: NodeGroupReport) -> str:
    """What a node of a group of the report has: `8 x H100`, or `0.125 x L4` of a fractional instance."""
    part = group.partition_size
    return f"{group.accelerators_per_node if part >= 1 else format(part, 'g')} x {group.accelerator}"


def _node_groups(groups: Iterable[NodeGroupReport]) -> list[Row]:
    rows = []
    for group in groups:
        size = group.size
        rows.append(
            {
                "name": group.name,
                "type": group.instance_type,
                "accelerators": accelerators(group),
                "a node advertises": "\n".join(
                    [
                        *(f"{name}: {n}" for name, n in group.resources_per_node.items()),
                        *(f"{n} {name} by claim" for name, n in group.claims_per_node.items()),
                    ]
                ),
                "EFA": str(group.efa_interfaces or "-"),
                "zones": "\n".join(group.zones or ["the block's"]),
                "bought": "\nthen ".join([group.capacity_block or group.capacity_type, *group.next_capacity_blocks]),
                "min/now/max": f"{size.min}/{size.desired}/{size.max}",
                "$/h now": dollars(group.usd_per_hour_at_desired),
                "$/h max": dollars(group.usd_per_hour_at_max),
            }
        )
    return rows


def _workloads(workloads: Iterable[WorkloadReport]) -> list[Row]:
    rows = []
    for workload in workloads:
        fits = "unknown"
        if workload.pods_per_node is not None:
            fits = f"{workload.pods_per_node} per node (by {workload.limited_by}), {workload.pods_at_desired} now, {workload.pods_at_max} at most"
        rows.append(
            {
                "name": workload.name,
                "model": workload.model or workload.kind,
                "runs on": workload.node_group,
                "replicas": render_headroom.pods_of(workload),
                "fits": fits,
                "memory of one server": workload.memory or ("unknown" if workload.model else "-"),
            }
        )
    return rows


def _runs(workloads: Iterable[WorkloadReport]) -> list[Row]:
    return [
        {
            "name": workload.name,
            "takes": workload.run.words,
            "$/h": dollars(workload.run.usd_per_hour),
            "note": workload.run.note,
        }
        for workload in workloads
        if workload.run
    ]


def _print_headroom(report: CheckReport, out: Console) -> None:
    """What each group's sharing does, what its pods leave and what it would refuse."""
    if not report.node_groups:
        return
    out.print("Sharing and headroom", style="bold")
    lines = []
    for group in report.node_groups:
        said = render_headroom.lines(group, report.workloads)
        lines += [f"{group.name}: {group.sharing}", *_under_subjects(said, out.width)]
    print_lines(lines, out)
    out.print()


def _under_subjects(said: Iterable[tuple[str, str]], width: int) -> Iterator[str]:
    before = None
    for subject, sentence in said:
        label = "" if subject == before else f"  {subject}:"
        yield fill(
            sentence,
            max(width, 2 * _SUBJECT),
            initial_indent=label.ljust(_SUBJECT),
            subsequent_indent=" " * _SUBJECT,
            break_on_hyphens=False,
        )
        before = subject


def _cost_rows(cost: CostReport) -> list[Row]:
    return [
        {
            "what": line.name,
            "pieces": str(line.at_desired) if line.at_desired == line.at_max else f"{line.at_desired}-{line.at_max}",
            "$/h each": dollars(line.usd_per_hour),
            "$/h now": dollars(line.usd_per_hour_at_desired),
            "$/h max": dollars(line.usd_per_hour_at_max),
            "note": line.note,
        }
        for line in cost.lines
    ]


def _print_cost(cost: CostReport, out: Console) -> None:
    print_table("Cost", _cost_rows(cost), out)
    for label, hour, month, unknown in cost.sums:
        plus = f", and unknown: {', '.join(unknown)}" if unknown else ""
        out.print(f"Cost {label}: {dollars(hour)} USD per hour, {month:,.2f} USD per month of 730 hours{plus}")
    out.print(f"Not counted: {', '.join(cost.not_counted)}\n")


def dollars(value: Decimal | None) -> str:
    """USD with the digits that matter; `unknown` where unknown."""
    return "unknown" if value is None else f"{value:,.3f}"
