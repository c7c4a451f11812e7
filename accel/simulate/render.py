"""The result of a simulation for a terminal: readable without colour and when piped."""

from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text


def print_result(data: dict[str, Any], out: Console) -> None:
    """What was done, how long it takes in life, nodes, pods, cost and what comes next."""
    _print_outcome(data, out)
    if data["timeline"]:
        out.print(f"\n{data['timeline']['sentence']}", style="bold", soft_wrap=True)
        out.print(Text(data["timeline"]["chart"]), soft_wrap=True)
    _print_throttling(data["throttling"], out)
    if data["nodes"]:
        out.print(_nodes(data["nodes"]))
    if data["pods"]:
        out.print(_pods(data["pods"]))
    if data["cost"]:
        unknown = f"; unknown: {', '.join(data['cost']['unknown'])}" if data["cost"]["unknown"] else ""
        out.print(f"Cost with these nodes: {data['cost']['usdPerHour']} USD per hour{unknown}", soft_wrap=True)
    _print_clock(data, out)


def _print_outcome(data: dict[str, Any], out: Console) -> None:
    if data["action"] in ("status", "watch"):
        return
    changes = ", ".join(f"{count} {op}" for op, count in sorted(data["changes"].items())) or "nothing changes"
    done = "would do" if data["action"] == "preview" else "done"
    verdict, style = (done, "green") if data["ok"] else ("FAILED", "red")
    out.print(f"\n{data['action']} of {data['stack']} in {data['region']}: {verdict}: {changes}", style=style)
    for error in data["errors"]:
        out.print(Text(f"  error: {error}"), style="red", soft_wrap=True)
    if not data["ok"]:
        out.print("  The state is kept: mend the cause and run it again, as in life.", soft_wrap=True)


def _print_throttling(throttling: dict[str, Any] | None, out: Console) -> None:
    if throttling:
        out.print(
            f"Throttling: {throttling['throttled']} of {throttling['calls']} calls were made again, "
            f"{throttling['waitedSeconds']} s of waiting"
        )


def _nodes(nodes: list[dict[str, Any]]) -> Table:
    table = Table(
        "node", "type", "zone", "group", "ready", "accelerators (free of all)", title="Nodes", box=SIMPLE_HEAD
    )
    table.title_justify = "left"
    for node in nodes:
        shown = ", ".join(
            f"{name} {count['allocatable'] - count['requested']}/{count['allocatable']}"
            for name, count in node["accelerators"].items()
        )
        table.add_row(
            node["name"].partition(".")[0],
            node["instanceType"],
            node["zone"],
            node["nodeGroup"],
            "yes" if node["ready"] else "no",
            shown or node["reason"] or "-",
        )
    return table


def _pods(pods: list[dict[str, Any]]) -> Table:
    table = Table("pods", "namespace", "of", "phase", "where, or why not", title="Pods", box=SIMPLE_HEAD)
    table.title_justify = "left"
    for pod in pods:
        where = ", ".join(node.partition(".")[0] for node in pod["nodes"])
        table.add_row(str(pod["count"]), pod["namespace"], pod["owner"], pod["phase"], where or pod["reason"] or "-")
    return table


def _print_clock(data: dict[str, Any], out: Console) -> None:
    out.print(f"\nSimulated time: {_moment(data['clock'])}")
    for each in data["happened"][-5:]:
        out.print(f"  {_moment(each['at'])}  {each['what']}", soft_wrap=True)
    if data["next"]:
        out.print("Next:")
        for each in data["next"]:
            out.print(f"  {_moment(each['at'])}  {each['what']}", soft_wrap=True)
    if data["assumptions"]:
        out.print("Assumed:")
        for each in data["assumptions"]:
            out.print(f"  {each}", soft_wrap=True)


def _moment(text: str) -> str:
    return f"{text[:10]} {text[11:16]} UTC"
