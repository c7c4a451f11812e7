"""What `accel simulate` has found at the end of one command."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice
from pathlib import Path

from eks_accelerators.accel.report import CheckedStack
from eks_accelerators.accel.reports.simulate import (
    EventReport,
    SimulatedChange,
    SimulateReport,
    ThrottlingReport,
    TimelineReport,
    TimelineStep,
)
from eks_accelerators.accel.simulate.options import Action
from eks_accelerators.accel.simulate.running_cost import running_cost
from eks_accelerators.simulator.aws.clock import upcoming
from eks_accelerators.simulator.aws.model import State
from eks_accelerators.simulator.aws.throttling import Throttle
from eks_accelerators.simulator.kubernetes.report import NodeState, PodState, node_reports, pod_reports
from eks_accelerators.simulator.outcome import Outcome
from eks_accelerators.simulator.simulation import Simulation
from eks_accelerators.simulator.stack import SimulatedStack
from eks_accelerators.simulator.timeline import Timeline, chart, sentence

_SHOWN_EVENTS = 5
_LOOK_AHEAD = timedelta(days=60)


@dataclass(slots=True)
class SimulationResult:
    """What one `accel simulate` has done; parts that its action does not have are None."""

    checked: CheckedStack
    stack: SimulatedStack
    folder: Path
    action: Action
    outcome: Outcome | None = None
    timeline: Timeline | None = None
    throttle: Throttle | None = None

    def report(self, simulation: Simulation) -> SimulateReport:
        """The report of the command, once it is over."""
        state, outcome = simulation.account.state, self.outcome
        nodes, pods = _in_kubernetes(simulation)
        settings = self.checked.settings
        assert settings is not None
        groups = [None if node.is_system else node.node_group for node in nodes]
        ahead = islice(upcoming(state, state.now + _LOOK_AHEAD), _SHOWN_EVENTS)
        return SimulateReport(
            stack=self.checked.stack,
            region=self.stack.region,
            action=self.action,
            ok=outcome.ok if outcome else True,
            state=str(self.folder),
            clock=state.now,
            assumptions=_still_assumed(self.stack.assumptions, state),
            problems=self.checked.report.problems,
            changes=outcome.changes if outcome else {},
            resources=tuple(
                SimulatedChange(operation=step.op, type=step.type, name=step.name)
                for step in (outcome.steps if outcome else [])
                if step.changes
            ),
            failed=outcome.failed if outcome else (),
            errors=outcome.errors if outcome else (),
            outputs=outcome.outputs if outcome else {},
            timeline=_timeline(self.timeline),
            throttling=_throttling(self.throttle),
            happened=tuple(EventReport(at=at, what=what) for at, what in state.happened),
            nodes=nodes,
            pods=pods,
            cost=running_cost(settings, groups, state.now.date()) if state.clusters else None,
            next=tuple(EventReport(at=event.at, what=event.what) for event in ahead),
        )


def _in_kubernetes(simulation: Simulation) -> tuple[list[NodeState], list[PodState]]:
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


def _timeline(made: Timeline | None) -> TimelineReport | None:
    if made is None or not made.steps:
        return None
    return TimelineReport(
        seconds=round(made.makespan),
        critical_seconds=round(made.critical_seconds),
        sentence=sentence(made),
        path=tuple(
            TimelineStep(action=step.action, type=step.type, name=step.name, seconds=round(step.seconds))
            for step in made.path
            if step.seconds
        ),
        unknown=made.unknown,
        chart=chart(made),
    )


def _throttling(throttle: Throttle | None) -> ThrottlingReport | None:
    if throttle is None:
        return None
    return ThrottlingReport(
        calls=throttle.calls, throttled=throttle.throttled, waited_seconds=round(throttle.waited_seconds)
    )
