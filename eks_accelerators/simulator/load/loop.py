"""The closed loop: load on simulated servers, in a cluster that goes on by itself while simulated time runs.

Time runs with the wall clock, so many times faster as the pace says. Whoever takes part (Prometheus, autoscalers, controllers)
is a program of its own and sees the cluster; here the servers get their load, what has started becomes ready, and it is
written down what happens.
"""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from eks_accelerators.accelerators.karpenter import NODE_POOL_TAG
from eks_accelerators.accelerators.scheduling import NODE_GROUP_LABEL
from eks_accelerators.accelerators.start_times import StartTime
from eks_accelerators.settings.model.server import Server
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup
from eks_accelerators.simulator.kubernetes.api import ApiError
from eks_accelerators.simulator.load import cluster_view, crashes
from eks_accelerators.simulator.load.cluster_view import Gpus, View
from eks_accelerators.simulator.load.fleet import Fleet, Placed, PodName
from eks_accelerators.simulator.load.model_server import ServerModel
from eks_accelerators.simulator.load.node_repair import NodeRepairs
from eks_accelerators.simulator.load.objective import held_from
from eks_accelerators.simulator.load.participants import Participants
from eks_accelerators.simulator.load.profile import LoadProfile, LoadStep
from eks_accelerators.simulator.load.starts import Starts
from eks_accelerators.simulator.load.timed_faults import TimedFault
from eks_accelerators.simulator.load.timeline import Recorder
from eks_accelerators.simulator.pace import Pace
from eks_accelerators.simulator.simulation import Simulation

_LOOKS_SECONDS = 0.15
"""How often the cluster is looked at, by the wall clock: so many times the pace is how exact moments are."""


@dataclass(frozen=True, slots=True)
class ServerUnderLoad:
    """The model server that requests go to: its settings, its nodes, and how fast it is."""

    name: str
    path: str
    workload: Server
    group: ResolvedNodeGroup
    model: ServerModel
    start: StartTime
    speed: str
    """How fast it is said to be, in words."""

    @property
    def gpus(self) -> Gpus:
        """GPUs of a node, and how many of them one server has."""
        share = self.group.share_of(self.workload.resource_name)
        return Gpus(share.count // share.sharers, self.workload.accelerators)


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """What came of a step of the load: ``restored`` is the seconds from its begin until the objective held; None: it never did."""

    step: LoadStep
    ends: float
    restored: float | None


@dataclass(slots=True)
class Loop:
    """One run. Raises `ServerError` where a server of the cluster, or a program that takes part, has ended."""

    simulation: Simulation
    server: ServerUnderLoad
    profile: LoadProfile
    pace: Pace
    fleet: Fleet
    others: Participants
    repairs: NodeRepairs
    faults: Sequence[TimedFault] = ()
    recorder: Recorder = field(default_factory=Recorder)
    instance_types: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Of node groups, by their names."""
    _to_strike: list[TimedFault] = field(default_factory=list)
    _to_end: list[tuple[int, TimedFault]] = field(default_factory=list)
    """Faults that do not stay, each with its end."""
    _began: float = 0.0
    _begun: dict[int, float] = field(default_factory=dict)
    """When each step was seen to begin, by when it should."""

    def run(self) -> list[StepOutcome]:
        """Go through the whole load; returns what came of each of its steps."""
        api, gpus = self.simulation.cluster.api, self.server.gpus
        starts = Starts(api, self.server.start)
        self._to_strike = list(self.faults)
        self._to_end = [(fault.ends, fault) for fault in self.faults if fault.ends is not None]
        self._began = time.monotonic()
        step: LoadStep | None = None
        told = len(self.simulation.account.state.happened)
        while (now := self._now()) < self.profile.lasts:
            self.fleet.advance(now)
            self.others.check()
            try:
                view = cluster_view.look(api, self.server.workload.namespace, self.server.name)
                starts.look(view.pods, now, view.machines)
                self.others.follow_faults()
            except ApiError:  # who is busy answers the next look
                self.simulation.cluster.servers.check()
                time.sleep(_LOOKS_SECONDS)
                continue
            self._place(gpus.place(view.pods, self.server.model), view)
            for done in self.repairs.look(view.every_member, now):
                self.recorder.note(now, "repair", done)
            if self.profile.step_at(now) is not step:
                step = self.profile.step_at(now)
                self._begun[step.at] = now
                self.recorder.note(now, "load", str(step))
                self.fleet.follow(step)
            self._strike(now)
            told = self._tell(told, now)
            self.recorder.take(now, self.fleet.state(), view, self._instances(), self.others.firing())
            time.sleep(_LOOKS_SECONDS)
        self.fleet.advance(self.profile.lasts)
        return [self._outcome(step) for step in self.profile.steps]

    def _now(self) -> float:
        return self.pace.simulated(time.monotonic() - self._began)

    def _place(self, placed: dict[PodName, Placed], view: View) -> None:
        """Servers are where the cluster has them; those whose GPU has failed are nowhere."""
        nodes = [node for members in view.members.values() for node in members]
        ended = crashes.crashed(placed, nodes, self.others.faults)
        if ended:
            crashes.show(self.simulation.cluster.api, view.pods, ended)
        alive = {pod: where for pod, where in placed.items() if pod not in ended}
        working = {node["metadata"]["name"] for node in nodes} - {placed[pod].gpu.partition("/")[0] for pod in ended}
        self.fleet.place(alive, [pod for pod in view.ready if pod in alive], working)

    def _strike(self, now: float) -> None:
        """Let faults strike, and end, whose time has come."""
        for fault in [fault for fault in self._to_strike if fault.at <= now]:
            self._to_strike.remove(fault)
            self.recorder.note(now, "fault", fault.text)
            if fault.device is not None:
                self.others.faults.add(fault.device)
            else:
                self._let_capacity("insufficientCapacity", fault)
        for end, fault in [each for each in self._to_end if each[0] <= now]:
            self._to_end.remove((end, fault))
            self.recorder.note(now, "fault", f"{fault.text} is over")
            if fault.device is not None:
                self.others.faults.end(fault.device)
            else:
                self._let_capacity("sufficientCapacity", fault)

    def _let_capacity(self, be: str, fault: TimedFault) -> None:
        types = self.instance_types[fault.group]
        self.simulation.account.set_up({be: [{"instanceType": each, "zone": fault.zone} for each in types]})

    def _instances(self) -> dict[str, int]:
        """What EC2 bills, by node group: instances count from their launch on, and not from when they are nodes."""
        state = self.simulation.account.state
        count = Counter(each.tags.get(NODE_POOL_TAG, cluster_view.SYSTEM) for each in state.fleet)
        for cluster in state.clusters.values():
            for group in cluster.node_groups.values():
                name = group.described["labels"].get(NODE_GROUP_LABEL, cluster_view.SYSTEM)
                count[name] += len(group.scaling.instances)
        return dict(count)

    def _tell(self, told: int, now: float) -> int:
        happened = self.simulation.account.state.happened
        for _, what in happened[told:]:
            self.recorder.note(now, "account", what)
        return len(happened)

    def _outcome(self, step: LoadStep) -> StepOutcome:
        ends, begun = self.profile.end_of(step), self._begun.get(step.at, float(step.at))
        held = held_from(self.fleet.requests, begun, ends, self.fleet.now)
        return StepOutcome(step, ends, None if held is None else held - begun)
