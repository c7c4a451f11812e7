"""Fail when a Pulumi preview would replace or delete what takes hours, or money, to get back.

Reads the file that `pulumi preview --json` wrote. ALLOW_REPLACEMENT=true, which the workflow sets from the label
allow-replacement, turns the refusal into a remark. Standard library only, so that it runs in any environment.

Exit status: 0 go on, 1 refused, 2 there is no complete preview to judge.
"""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

CLUSTER = "aws:eks/cluster:Cluster"
NODE_GROUP = "aws:eks/nodeGroup:NodeGroup"
CAPACITY_BLOCK = "aws:ec2/capacityBlockReservation:CapacityBlockReservation"

REASONS = {
    CLUSTER: "a new cluster loses every workload on the old one",
    NODE_GROUP: "its nodes go away, and scarce instances may not come back",
    CAPACITY_BLOCK: "a Capacity Block is paid in full at once and cannot be cancelled",
}


def type_of(urn: str) -> str:
    """The type of the resource itself, without the types of its parents.

    A URN is urn:pulumi:STACK::PROJECT::PARENT$TYPE::NAME. NAME may hold `::` itself, so only the first three count.
    """
    parts = urn.split("::", 3)
    return parts[2].rsplit("$", 1)[-1] if len(parts) == 4 else ""


def is_refused(kind: str, op: str) -> bool:
    """Whether this operation needs the label.

    One replacement shows as `replace`, `create-replacement`, `delete-replaced` or several of them, according to the
    engine's display options, so every operation that speaks of replacing counts.
    """
    if kind not in REASONS:
        return False
    if "replace" in op:
        return True
    return op == ("create" if kind == CAPACITY_BLOCK else "delete")


def refused(preview: dict[str, Any]) -> dict[str, list[str]]:
    """The operations that need the label, by URN."""
    found: dict[str, list[str]] = {}
    for step in preview.get("steps") or []:
        urn, op = str(step.get("urn", "")), str(step.get("op", ""))
        if is_refused(type_of(urn), op):
            found.setdefault(urn, []).append(op)
    return found


def errors(preview: dict[str, Any]) -> list[str]:
    """What the engine or the program complained about."""
    return [
        str(each.get("message", "")).strip()
        for each in preview.get("diagnostics") or []
        if each.get("severity") == "error"
    ]


def longest_run(text: str) -> int:
    """How many backticks stand in a row, at most."""
    return max(map(len, re.findall("`+", text)), default=0)


def code(text: str) -> str:
    """A code span in a cell of a table, whatever the text has in it."""
    fence = "`" * (longest_run(text) + 1)
    gap = " " if "`" in text else ""
    return f"{fence}{gap}{' '.join(text.split()).replace('|', chr(92) + '|')}{gap}{fence}"


def report(preview: dict[str, Any], *, allowed: bool) -> tuple[str, int]:
    """The text for the job summary, and the exit status."""
    changes = {op: count for op, count in (preview.get("changeSummary") or {}).items() if op != "same"}
    lines = ["Changes: " + (", ".join(f"{count} {op}" for op, count in sorted(changes.items())) or "none")]
    found = refused(preview)
    if found:
        lines += ["", "| resource | operation | why it matters |", "| --- | --- | --- |"]
        for urn, ops in found.items():
            kind = type_of(urn)
            lines.append(f"| {code(kind)} {code(urn.split('::', 3)[3])} | {', '.join(ops)} | {REASONS[kind]} |")
        lines += [
            "",
            "Allowed by the label." if allowed else "Refused. If it is meant, add the label allow-replacement.",
        ]
    broken = errors(preview)
    for message in broken:
        fence = "`" * (longest_run(message) + 3)
        lines += ["", fence, message, fence]
    if broken:
        return "\n".join(lines), 2
    return "\n".join(lines), 1 if found and not allowed else 0


def main(path: str) -> int:
    """Judge the preview in the file `path`."""
    try:
        preview = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        preview, problem = None, str(error)
    else:
        problem = "it has neither steps nor a summary of changes"
    # A preview without these two would pass every rule, so it only counts for the errors it reports.
    if not isinstance(preview, dict) or not (preview.keys() & {"steps", "changeSummary"} or errors(preview)):
        text, status = f"No preview to judge: {problem}", 2
    else:
        text, status = report(preview, allowed=os.environ.get("ALLOW_REPLACEMENT") == "true")
    sys.stdout.write(text + "\n")
    if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
        with Path(summary).open("a", encoding="utf-8") as out:
            out.write(text + "\n")
    return status


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: preview_gate.py PREVIEW.json")
    sys.exit(main(sys.argv[1]))
