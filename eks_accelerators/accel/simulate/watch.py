"""Time passing: everything that happens until a moment, and what it does to nodes and pods."""

from datetime import datetime

from rich.console import Console

from eks_accelerators.simulator.aws.clock import next_event
from eks_accelerators.simulator.kubernetes.report import node_reports, pod_reports
from eks_accelerators.simulator.simulation import Simulation


def watch(simulation: Simulation, until: datetime, out: Console) -> None:
    """Let time pass until ``until``, event after event, with a line for each."""
    state = simulation.account.state
    out.print(f"{state.now:%Y-%m-%d %H:%M} UTC  {_seen(simulation)}", soft_wrap=True)
    while (event := next_event(state, until)) is not None:
        told = len(state.happened)
        simulation.set_clock(event.at)
        simulation.settle()
        for at, what in state.happened[told:]:
            out.print(f"{at:%Y-%m-%d %H:%M} UTC  {what}", soft_wrap=True)
        out.print(f"{'':21}{_seen(simulation)}", soft_wrap=True)
    simulation.set_clock(until)
    simulation.settle()
    out.print(f"{until:%Y-%m-%d %H:%M} UTC  {_seen(simulation)}\n", soft_wrap=True)


def _seen(simulation: Simulation) -> str:
    nodes = node_reports(simulation.cluster.api)
    pods = pod_reports(simulation.cluster.api)
    running = sum(pod.count for pod in pods if pod.phase == "Running")
    waiting = sum(pod.count for pod in pods if pod.phase == "Pending")
    groups: dict[str, int] = {}
    for node in nodes:
        groups[node.node_group] = groups.get(node.node_group, 0) + 1
    shown = ", ".join(f"{name} {count}" for name, count in sorted(groups.items())) or "none"
    return f"nodes: {shown}; pods: {running} run, {waiting} wait"
