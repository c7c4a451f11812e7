"""The result of a simulation for a terminal: readable without colour and when piped."""

from collections.abc import Iterable
from datetime import datetime

from rich.console import Console
from rich.text import Text

from eks_accelerators.accel.render_text import dollars
from eks_accelerators.accel.reports.simulate import NodeReport, PodReport, SimulateReport, ThrottlingReport
from eks_accelerators.accel.tables import Row, print_table


def print_result(report: SimulateReport, out: Console) -> None:
    """What was done, how long it takes on real AWS, nodes, pods, cost and what comes next."""
    _print_outcome(report, out)
    if report.timeline:
        out.print(f"\n{report.timeline.sentence}", style="bold", soft_wrap=True)
        out.print(Text(report.timeline.chart + "\n"), soft_wrap=True)
    _print_throttling(report.throttling, out)
    if report.nodes:
        print_table("Nodes", _nodes(report.nodes), out)
    if report.pods:
        print_table("Pods", _pods(report.pods), out)
    if report.cost:
        unknown = f", and unknown: {', '.join(report.cost.unknown)}" if report.cost.unknown else ""
        out.print(f"Cost of what runs: {dollars(report.cost.usd_per_hour)} USD per hour{unknown}", soft_wrap=True)
    _print_clock(report, out)


def _print_outcome(report: SimulateReport, out: Console) -> None:
    if report.action in ("status", "watch"):
        return
    changes = ", ".join(f"{count} {op}" for op, count in sorted(report.changes.items())) or "nothing changes"
    done = "would do" if report.action == "preview" else "done"
    verdict, style = (done, "green") if report.ok else ("FAILED", "red")
    out.print(f"\n{report.action} of {report.stack} in {report.region}: {verdict}: {changes}", style=style)
    for error in report.errors:
        first, *more = [line.strip() for line in error.splitlines() if line.strip()] or [""]
        for line in (f"  error: {first}", *(f"    {line}" for line in more)):
            out.print(Text(line), style="red", soft_wrap=True)
    if not report.ok:
        out.print("  The state is kept: fix the cause and run it again, as on real AWS.", soft_wrap=True)


def _print_throttling(throttling: ThrottlingReport | None, out: Console) -> None:
    if throttling:
        out.print(
            f"Throttling: {throttling.throttled} of {throttling.calls} calls were made again, "
            f"{throttling.waited_seconds} s of waiting"
        )


def _nodes(nodes: Iterable[NodeReport]) -> list[Row]:
    return [
        {
            "name": node.name.partition(".")[0],
            "type": node.instance_type,
            "zone": node.zone,
            "node group": node.node_group,
            "ready": "yes" if node.ready else "no",
            "accelerators: free of all": _accelerators(node),
        }
        for node in nodes
    ]


def _accelerators(node: NodeReport) -> str:
    counts = [
        f"{name} {count.allocatable - count.requested} of {count.allocatable}"
        for name, count in node.accelerators.items()
    ]
    return "; ".join([*counts, node.reason] if node.reason else counts) or "-"


def _pods(pods: Iterable[PodReport]) -> list[Row]:
    return [
        {
            "pods": str(pod.count),
            "of": pod.owner,
            "namespace": pod.namespace,
            "phase": pod.phase,
            "where, or why not": pod.reason or ", ".join(node.partition(".")[0] for node in pod.nodes),
        }
        for pod in pods
    ]


def _print_clock(report: SimulateReport, out: Console) -> None:
    out.print(f"\nSimulated time: {_moment(report.clock)}")
    for each in report.happened[-5:]:
        out.print(f"  {_moment(each.at)}  {each.what}", soft_wrap=True)
    if report.next:
        out.print("Next:")
        for each in report.next:
            out.print(f"  {_moment(each.at)}  {each.what}", soft_wrap=True)
    if report.assumptions:
        out.print("Assumed:")
        for line in report.assumptions:
            out.print(f"  {line}", soft_wrap=True)


def _moment(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"
