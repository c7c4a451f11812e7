"""Plans as Markdown, for a comment on a pull request."""

from decimal import Decimal
from typing import Any

from eks_accelerators.accel import render_headroom
from eks_accelerators.accel.markdown_text import Made, cell, code, fence, plain, prose
from eks_accelerators.accel.markdown_text import lines as below_each_other
from eks_accelerators.accel.render_changes import cost_sentence, property_line
from eks_accelerators.accel.render_text import accelerators, counted, dollars, short_type
from eks_accelerators.accel.resource_counts import resource_counts

_SIGNS = {"add": "+", "change": "!", "replace": "-", "remove": "-"}
"""What GitHub colours a line of a diff by: green, orange, red."""

_LONGEST_LIST = 60
"""So many changed resources are listed; a comment has a limit of 65,536 characters."""


def markdown(data: dict[str, Any]) -> str:
    """The plan as Markdown: what changes, node groups, workloads, cost and problems."""
    lines = [f"### Plan of {code(data['stack'])}", ""]
    lines += [f"**{counted(data['problems'])}**", ""] if data["problems"] else ["No problems.", ""]
    if "changes" in data:
        lines += _changes(data["changes"])
    lines += _node_groups(data["nodeGroups"]) + _workloads(data["workloads"]) + _room(data)
    if data["cost"]:
        lines += _cost(data["cost"])
    lines += _problems(data["problems"])
    if data.get("resources"):
        lines += _resources(data["resources"])
    return "\n".join(lines)


def _changes(changes: dict[str, Any]) -> list[str]:
    summary = ", ".join(f"{count} to {action}" for action, count in changes["summary"].items())
    lines = [f"Against {code(changes['against'])}: {summary}. Cost: {prose(cost_sentence(changes['cost']))}", ""]
    lines += [_caution(entry) for entry in changes["resources"] if entry["grave"]]
    listed = changes["resources"][:_LONGEST_LIST]
    if listed:
        shown = []
        for entry in listed:
            shown.append(f"{_SIGNS[entry['action']]} {entry['action']} {short_type(entry['type'])} {entry['name']}")
            shown += [f"    {property_line(difference)}" for difference in entry["properties"]]
        if more := len(changes["resources"]) - len(listed):
            shown.append(f"  and {more} more")
        lines += ["<details><summary>Changed resources</summary>", "", *fence(shown, "diff"), "", "</details>", ""]
    return lines


def _caution(entry: dict[str, Any]) -> str:
    what = f"**{entry['action']}** {plain(short_type(entry['type']))} {code(entry['name'])}"
    return f"> [!CAUTION]\n> {what}: {entry['grave']}\n"


def _node_groups(groups: list[dict[str, Any]]) -> list[str]:
    if not groups:
        return []
    rows = [
        [
            code(g["name"]),
            g["instanceType"],
            accelerators(g),
            below_each_other(
                [
                    *(code(f"{name}: {count}") for name, count in g["resourcesPerNode"].items()),
                    *(Made(f"{code(f'{count} {name}')} by claim") for name, count in g["claimsPerNode"].items()),
                ]
            ),
            ", then ".join([g["capacityBlock"] or g["capacityType"], *g["nextCapacityBlocks"]]),
            f"{g['size']['min']}/{g['size']['desired']}/{g['size']['max']}",
            dollars(g["usdPerHourAtDesired"]),
            dollars(g["usdPerHourAtMax"]),
        ]
        for g in groups
    ]
    return _table(
        ["node group", "type", "accelerators", "a node advertises", "bought", "min/desired/max", "$/h now", "$/h max"],
        rows,
    )


def _workloads(workloads: list[dict[str, Any]]) -> list[str]:
    if not workloads:
        return []
    rows = [
        [
            code(w["name"]),
            w["model"] or code(w["kind"]),
            code(w["nodeGroup"]),
            str(w["replicas"]),
            str(w["podsAtDesired"]),
            str(w["podsAtMax"]),
            str(w["memory"]) if w["model"] else "",
        ]
        for w in workloads
    ]
    return _table(["workload", "model", "runs on", "replicas", "fit now", "fit at most", "memory of one server"], rows)


def _room(data: dict[str, Any]) -> list[str]:
    lines = []
    for group in data["nodeGroups"]:
        rows = [[subject, prose(sentence)] for subject, sentence in render_headroom.lines(group, data["workloads"])]
        lines += _table([f"sharing and room of {code(group['name'])}", group["sharing"]], rows)
    return lines


def _cost(cost: dict[str, Any]) -> list[str]:
    lines = []
    for label, key in (("now", "AtDesired"), ("at the largest size", "AtMax")):
        plus = prose(f", and unknown: {', '.join(cost['unknown' + key])}") if cost["unknown" + key] else ""
        month = f"{Decimal(cost['usdPerMonth' + key]):,.2f}"
        lines.append(
            f"- Cost {label}: **{dollars(cost['usdPerHour' + key])} USD an hour**, {month} USD a month of 730 hours{plus}"
        )
    return [*lines, f"- Not counted: {', '.join(cost['notCounted'])}", ""]


def _problems(problems: list[dict[str, Any]]) -> list[str]:
    rows = [
        [
            p["severity"],
            code(p["path"]),
            Made(f"{prose(p['message'])} ({code(p['code'])})"),
            prose(p["found"]),
            prose(p["fix"]),
        ]
        for p in sorted(problems, key=lambda p: p["severity"] != "error")
    ]
    return _table(["", "where", "what", "found", "fix"], rows) if rows else []


def _resources(resources: list[dict[str, Any]]) -> list[str]:
    counts: dict[str, int] = {}
    for resource in resources:
        counts[short_type(resource["type"])] = counts.get(short_type(resource["type"]), 0) + 1
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
