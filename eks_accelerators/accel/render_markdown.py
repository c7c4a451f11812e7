"""Plans as Markdown, for a comment on a pull request."""

from collections.abc import Sequence

from eks_accelerators.accel import monitoring_report, render_headroom
from eks_accelerators.accel.markdown_text import Made, cell, code, fence, plain, prose
from eks_accelerators.accel.markdown_text import lines as below_each_other
from eks_accelerators.accel.render_changes import cost_sentence, property_line
from eks_accelerators.accel.render_text import accelerators, counted, dollars, short_type
from eks_accelerators.accel.reports.check import CheckReport, CostReport, NodeGroupReport, ProblemReport, WorkloadReport
from eks_accelerators.accel.reports.plan import ChangedResource, Changes, PlanReport, ResourceReport
from eks_accelerators.accel.resource_counts import resource_counts

_SIGNS = {"add": "+", "change": "!", "replace": "-", "remove": "-"}
"""What GitHub colours a line of a diff by: green, orange, red."""

_LONGEST_LIST = 60
"""So many changed resources are listed; a comment has a limit of 65,536 characters."""


def markdown(report: CheckReport) -> str:
    """The plan as Markdown: what changes, node groups, workloads, cost and problems."""
    lines = [f"### Plan of {code(report.stack)}", ""]
    lines += [f"**{counted(report.problems)}**", ""] if report.problems else ["No problems.", ""]
    if isinstance(report, PlanReport) and report.changes:
        lines += _changes(report.changes)
    lines += (
        _node_groups(report.node_groups) + _workloads(report.workloads) + _runs(report.workloads) + _headroom(report)
    )
    if report.monitoring:
        rows = [[subject, prose(sentence)] for subject, sentence in monitoring_report.lines(report.monitoring)]
        lines += _table(["monitoring", ""], rows)
    if report.cost:
        lines += _cost(report.cost)
    lines += _problems(report.problems)
    if isinstance(report, PlanReport) and report.resources:
        lines += _resources(report.resources)
    return "\n".join(lines)


def _changes(changes: Changes) -> list[str]:
    summary = ", ".join(f"{count} to {action}" for action, count in changes.summary)
    lines = [f"Against {code(changes.against)}: {summary}. Cost: {prose(cost_sentence(changes.cost))}", ""]
    lines += [_caution(entry) for entry in changes.resources if entry.grave]
    listed = changes.resources[:_LONGEST_LIST]
    if listed:
        shown = []
        for entry in listed:
            shown.append(f"{_SIGNS[entry.action]} {entry.action} {short_type(entry.type)} {entry.name}")
            shown += [f"    {property_line(difference)}" for difference in entry.properties]
        if more := len(changes.resources) - len(listed):
            shown.append(f"  and {more} more")
        lines += ["<details><summary>Changed resources</summary>", "", *fence(shown, "diff"), "", "</details>", ""]
    return lines


def _caution(entry: ChangedResource) -> str:
    what = f"**{entry.action}** {plain(short_type(entry.type))} {code(entry.name)}"
    return f"> [!CAUTION]\n> {what}: {entry.grave}\n"


def _node_groups(groups: Sequence[NodeGroupReport]) -> list[str]:
    if not groups:
        return []
    rows = [
        [
            code(g.name),
            g.instance_type,
            accelerators(g),
            below_each_other(
                [
                    *(code(f"{name}: {count}") for name, count in g.resources_per_node.items()),
                    *(Made(f"{code(f'{count} {name}')} by claim") for name, count in g.claims_per_node.items()),
                ]
            ),
            ", then ".join([g.capacity_block or g.capacity_type, *g.next_capacity_blocks]),
            f"{g.size.min}/{g.size.desired}/{g.size.max}",
            dollars(g.usd_per_hour_at_desired),
            dollars(g.usd_per_hour_at_max),
        ]
        for g in groups
    ]
    return _table(
        ["node group", "type", "accelerators", "a node advertises", "bought", "min/desired/max", "$/h now", "$/h max"],
        rows,
    )


def _workloads(workloads: Sequence[WorkloadReport]) -> list[str]:
    if not workloads:
        return []
    rows = [
        [
            code(w.name),
            w.model or code(w.kind),
            code(w.node_group),
            render_headroom.pods_of(w),
            str(w.pods_at_desired),
            str(w.pods_at_max),
            w.memory or ("unknown" if w.model else ""),
        ]
        for w in workloads
    ]
    return _table(["workload", "model", "runs on", "replicas", "fit now", "fit at most", "memory of one server"], rows)


def _runs(workloads: Sequence[WorkloadReport]) -> list[str]:
    rows = [
        [code(w.name), prose(w.run.words), dollars(w.run.usd_per_hour), prose(w.run.note)] for w in workloads if w.run
    ]
    return _table(["run", "takes", "$/h", "note"], rows) if rows else []


def _headroom(report: CheckReport) -> list[str]:
    lines = []
    for group in report.node_groups:
        rows = [[subject, prose(sentence)] for subject, sentence in render_headroom.lines(group, report.workloads)]
        lines += _table([f"sharing and headroom of {code(group.name)}", group.sharing], rows)
    return lines


def _cost(cost: CostReport) -> list[str]:
    lines = []
    for label, hour, month, unknown in cost.sums:
        plus = prose(f", and unknown: {', '.join(unknown)}") if unknown else ""
        lines.append(f"- Cost {label}: **{dollars(hour)} USD per hour**, {month:,.2f} USD per month of 730 hours{plus}")
    return [*lines, f"- Not counted: {', '.join(cost.not_counted)}", ""]


def _problems(problems: Sequence[ProblemReport]) -> list[str]:
    rows = [
        [
            p.severity,
            code(p.path),
            Made(f"{prose(p.message)} ({code(p.code)})"),
            prose(p.found),
            prose(p.fix),
        ]
        for p in sorted(problems, key=lambda p: p.severity != "error")
    ]
    return _table(["", "where", "what", "found", "fix"], rows) if rows else []


def _resources(resources: Sequence[ResourceReport]) -> list[str]:
    counts: dict[str, int] = {}
    for resource in resources:
        counts[short_type(resource.type)] = counts.get(short_type(resource.type), 0) + 1
    rows = [[kind, str(count)] for kind, count in sorted(counts.items())]
    return [
        f"<details><summary>{resource_counts(resources)[0]} resources</summary>",
        "",
        *_table(["type", "number"], rows),
        "</details>",
        "",
    ]


def _table(columns: list[str], rows: list[list[str]]) -> list[str]:
    head = [cell(Made(column)) for column in columns]
    lines = [head, ["---"] * len(columns), *([cell(each) for each in row] for row in rows)]
    return [*(f"| {' | '.join(row)} |" for row in lines), ""]
