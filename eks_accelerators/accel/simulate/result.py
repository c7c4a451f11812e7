"""What a simulation shows, as plain data: the documented JSON (`docs/json.md`)."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from eks_accelerators.accel.report import SCHEMA, Report
from eks_accelerators.accel.simulate.options import Action
from eks_accelerators.accel.simulate.running_cost import running_cost
from eks_accelerators.simulator.aws.clock import upcoming
from eks_accelerators.simulator.aws.model import State
from eks_accelerators.simulator.aws.throttling import Throttle
from eks_accelerators.simulator.engine import Outcome
from eks_accelerators.simulator.kubernetes.report import NodeReport, PodReport, node_reports, pod_reports
from eks_accelerators.simulator.simulation import Simulation
from eks_accelerators.simulator.stack import SimulatedStack
from eks_accelerators.simulator.timeline import Timeline, chart, sentence

_SHOWN_EVENTS = 5
_LOOK_AHEAD = timedelta(days=60)


@dataclass(slots=True)
class SimulationResult:
    """The result of one command."""

    checked: Report
    stack: SimulatedStack
    folder: Path
    action: Action
    outcome: Outcome | None = None
    timeline: Timeline | None = None
    throttle: Throttle | None = None
    _begun: dict[str, Any] = field(default_factory=dict)

    def data(self, simulation: Simulation) -> dict[str, Any]:
        """Everything there is to show, after the command."""
        state, outcome = simulation.account.state, self.outcome
        nodes, pods = _in_kubernetes(simulation)
        settings = self.checked.settings
        assert settings is not None
        return {
            "schema": SCHEMA,
            "stack": self.checked.stack,
            "region": self.stack.region,
            "action": self.action.value,
            "ok": outcome.ok if outcome else True,
            "state": str(self.folder),
            "clock": state.now.isoformat(),
            "assumptions": _still_assumed(self.stack.assumptions, state),
            "problems": self.checked.data["problems"],
            "changes": outcome.changes if outcome else {},
            "resources": [
                {"operation": step.op, "type": step.type, "name": step.name}
                for step in (outcome.steps if outcome else [])
                if step.changes
            ],
            "failed": [{"type": step.type, "name": step.name} for step in (outcome.failed if outcome else [])],
            "errors": outcome.errors if outcome else [],
            "outputs": outcome.outputs if outcome else {},
            "timeline": _timeline(self.timeline),
            "throttling": _throttling(self.throttle),
            "happened": [{"at": at.isoformat(), "what": what} for at, what in state.happened],
            "nodes": [node.to_dict() for node in nodes],
            "pods": [pod.to_dict() for pod in pods],
            "cost": running_cost(
                settings, [None if node.is_system else node.node_group for node in nodes], state.now.date()
            )
            if state.clusters
            else None,
            "next": [
                {"at": event.at.isoformat(), "what": event.what}
                for event in islice(upcoming(state, state.now + _LOOK_AHEAD), _SHOWN_EVENTS)
            ],
        }


def _in_kubernetes(simulation: Simulation) -> tuple[list[NodeReport], list[PodReport]]:
    """Nodes and pods, once they have settled; none where there is no cluster yet."""
    if not simulation.has_cluster:
        return [], []
    simulation.settle()
    api = simulation.cluster.api
    return node_reports(api, simulation.notes), pod_reports(api)


def _still_assumed(assumptions: Iterable[str], state: State) -> list[str]:
    """Without blocks that were bought in the account: nothing of them is assumed. The line of a block begins with its ID."""
    bought = {block.id for block in state.blocks.values() if block.offering_id}
    return [each for each in assumptions if each.partition(" ")[0] not in bought]


def _timeline(made: Timeline | None) -> dict[str, Any] | None:
    if made is None or not made.steps:
        return None
    return {
        "seconds": round(made.makespan),
        "criticalSeconds": round(made.critical_seconds),
        "sentence": sentence(made),
        "path": [
            {"action": step.action, "type": step.type, "name": step.name, "seconds": round(step.seconds)}
            for step in made.path
            if step.seconds
        ],
        "unknown": list(made.unknown),
        "chart": chart(made),
    }


def _throttling(throttle: Throttle | None) -> dict[str, Any] | None:
    if throttle is None:
        return None
    return {
        "calls": throttle.calls,
        "throttled": throttle.throttled,
        "waitedSeconds": round(throttle.waited_seconds),
    }
