"""The result of a simulation for a terminal: readable without colour and when piped."""

from typing import Any

from rich.console import Console
from rich.text import Text

from eks_accelerators.accel.render_text import dollars
from eks_accelerators.accel.tables import Row, print_table
from eks_accelerators.settings.printable import each_text


def print_result(data: dict[str, Any], out: Console) -> None:
    """What was done, how long it takes in life, nodes, pods, cost and what comes next."""
    data = each_text(data, but={"chart"})
    _print_outcome(data, out)
    if data["timeline"]:
        out.print(f"\n{data['timeline']['sentence']}", style="bold", soft_wrap=True)
        out.print(Text(data["timeline"]["chart"] + "\n"), soft_wrap=True)
    _print_throttling(data["throttling"], out)
    if data["nodes"]:
        print_table("Nodes", _nodes(data["nodes"]), out)
    if data["pods"]:
        print_table("Pods", _pods(data["pods"]), out)
    if data["cost"]:
        unknown = f", and unknown: {', '.join(data['cost']['unknown'])}" if data["cost"]["unknown"] else ""
        out.print(f"Cost of what runs: {dollars(data['cost']['usdPerHour'])} USD an hour{unknown}", soft_wrap=True)
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


def _nodes(nodes: list[dict[str, Any]]) -> list[Row]:
    return [
        {
            "name": node["name"].partition(".")[0],
            "type": node["instanceType"],
            "zone": node["zone"],
            "node group": node["nodeGroup"],
            "ready": "yes" if node["ready"] else "no",
            "accelerators: free of all": _accelerators(node),
        }
        for node in nodes
    ]


def _accelerators(node: dict[str, Any]) -> str:
    counts = [
        f"{name} {count['allocatable'] - count['requested']} of {count['allocatable']}"
        for name, count in node["accelerators"].items()
    ]
    return "; ".join([*counts, node["reason"]] if node["reason"] else counts) or "-"


def _pods(pods: list[dict[str, Any]]) -> list[Row]:
    return [
        {
            "pods": str(pod["count"]),
            "of": pod["owner"],
            "namespace": pod["namespace"],
            "phase": pod["phase"],
            "where, or why not": pod["reason"] or ", ".join(node.partition(".")[0] for node in pod["nodes"]),
        }
        for pod in pods
    ]


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
