"""The report of a load, from what the loop has written down."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import chain, repeat
from pathlib import Path

from eks_accelerators.accel.reports.load import (
    LoadEvent,
    LoadPart,
    LoadReport,
    LoadSample,
    LoadStepReport,
    LoadTotals,
)
from eks_accelerators.accel.reports.simulate import RunningCost
from eks_accelerators.accel.simulate.load_chart import chart
from eks_accelerators.accel.simulate.load_question import LoadQuestion
from eks_accelerators.accel.simulate.running_cost import running_cost
from eks_accelerators.accelerators.start_times import ESTIMATED, MEASURED
from eks_accelerators.monitoring.alerts.servers import ALLOWED_SLOW, SECONDS_TO_FIRST_TOKEN
from eks_accelerators.settings.model import Settings
from eks_accelerators.simulator.load.cluster_view import SYSTEM
from eks_accelerators.simulator.load.fleet import Fleet
from eks_accelerators.simulator.load.loop import ServerUnderLoad, StepOutcome
from eks_accelerators.simulator.load.objective import is_slow
from eks_accelerators.simulator.load.parts import WayPart
from eks_accelerators.simulator.load.timed_faults import TimedFault
from eks_accelerators.simulator.load.timeline import LoadLook, Recorder
from eks_accelerators.simulator.pace import Pace
from eks_accelerators.simulator.simulation import Simulation

OBJECTIVE = f"the first token within {SECONDS_TO_FIRST_TOKEN:g} s for {100 - 100 * ALLOWED_SLOW:g} of 100 requests"
_STARTS = {
    MEASURED: "one cold start that was measured elsewhere, weights by their size",
    ESTIMATED: "an estimate, as one cold start of vLLM that was measured elsewhere, weights by their size",
}
_EVERY_SECONDS = 15.0
_MISSED = 0.02
"""Of all looks of Prometheus: more of them leave gaps that alerts and autoscalers see."""


@dataclass(slots=True)
class LoadResult:
    """What was asked, what the servers did with it step by step, and what was seen meanwhile."""

    stack: str
    folder: Path
    settings: Settings
    question: LoadQuestion
    outcomes: Sequence[StepOutcome]
    fleet: Fleet
    recorder: Recorder
    parts: Sequence[WayPart] = ()
    doubts: Sequence[str] = ()

    def report(self, simulation: Simulation) -> LoadReport:
        """The report of the load, at the end of it."""
        costs = _Costs(self.settings, simulation.account.state.now.date())
        samples = tuple(_sample(each, costs.of(each.instances)) for each in thinned(self.recorder.samples))
        lasts = self.question.profile.lasts
        return LoadReport(
            stack=self.stack,
            region=self.settings.region,
            server=self.question.server.name,
            state=str(self.folder),
            clock=simulation.account.state.now,
            seconds=lasts,
            pace=self.question.pace.factor,
            held=self.outcomes[-1].restored is not None,
            objective=OBJECTIVE,
            steps=tuple(
                LoadStepReport(
                    at=each.step.at,
                    ends=round(each.ends),
                    load=str(each.step),
                    restored=None if each.restored is None else round(each.restored),
                )
                for each in self.outcomes
            ),
            parts=tuple(
                LoadPart(name=each.name, seconds=round(each.seconds), source=each.source) for each in self.parts
            ),
            samples=samples,
            events=tuple(LoadEvent(at=round(each.at), kind=each.kind, what=each.what) for each in self.recorder.events),
            totals=_totals(self.fleet, self.recorder.samples, costs, lasts),
            without=self.question.needs.without,
            doubts=tuple(self.doubts),
            models=tuple(models_of(self.question.server)),
            chart=chart(samples, lasts),
        )


def doubts_of(missed: float | None, pace: Pace, faults: Sequence[TimedFault]) -> Iterator[str]:
    """Why what was seen may be the machine's doing: so many looks of Prometheus were ``missed``, and no fault explains it."""
    if missed is not None and missed > _MISSED and not any(fault.device for fault in faults):
        yield (
            f"Prometheus missed {missed:.0%} of its looks at the cluster, as this machine is too slow for {pace.factor:g} simulated "
            f"seconds in one: autoscalers were blind at times; write --pace {max(1, pace.factor // 2):g}"
        )


def thinned(samples: Sequence[LoadLook]) -> list[LoadLook]:
    """The samples in which something is new, and one every 15 s."""
    kept: list[LoadLook] = []
    for sample in samples:
        if not kept or sample.at - kept[-1].at >= _EVERY_SECONDS or _shape(sample) != _shape(kept[-1]):
            kept.append(sample)
    return kept


def models_of(server: ServerUnderLoad) -> Iterator[str]:
    """What is a model of a load on ``server``, and not measured."""
    start = server.start
    yield server.speed
    yield "which server gets a request: any that is ready, at random, as kube-proxy has it"
    yield f"how long a server takes to start: {_STARTS.get(start.source, start.source)}"
    if start.compiler:
        yield f"how long the compiler takes: {start.compiled}"
    if start.unknown:
        yield f"left out, as nobody knows it: {start.unknown}; write autoscaling.startSeconds"
    yield "how long a node takes: usual times by its instance type"


class _Costs:
    """What runs costs, asked once for each set of nodes."""

    def __init__(self, settings: Settings, today: date) -> None:
        self._settings, self._today = settings, today
        self._known: dict[tuple[tuple[str, int], ...], RunningCost] = {}

    def of(self, instances: Mapping[str, int]) -> RunningCost:
        key = tuple(sorted(instances.items()))
        if key not in self._known:
            groups = chain.from_iterable(repeat(None if name == SYSTEM else name, count) for name, count in key)
            self._known[key] = running_cost(self._settings, groups, self._today)
        return self._known[key]


def _shape(sample: LoadLook) -> tuple[object, ...]:
    return sample.wanted, sample.ready, sample.unscheduled, sample.nodes, sample.instances, sample.firing


def _sample(sample: LoadLook, cost: RunningCost) -> LoadSample:
    return LoadSample(
        at=round(sample.at),
        in_flight=sample.load,
        running=sample.running,
        waiting=sample.waiting,
        replicas=sample.wanted,
        ready=sample.ready,
        starting=sample.starting,
        unscheduled=sample.unscheduled,
        nodes=dict(sample.nodes),
        alerts=sample.firing,
        usd_per_hour=cost.usd_per_hour,
    )


def _totals(fleet: Fleet, samples: Sequence[LoadLook], costs: _Costs, lasts: int) -> LoadTotals:
    answered = [request for request in fleet.requests if request.finished is not None]
    ends = [sample.at for sample in samples[1:]] + [float(lasts)]
    usd, unknown = Decimal(0), dict[str, None]()
    for sample, end in zip(samples, ends, strict=True):
        cost = costs.of(sample.instances)
        usd += cost.usd_per_hour * Decimal(max(0.0, end - sample.at)) / 3600
        unknown |= dict.fromkeys(cost.unknown)
    return LoadTotals(
        asked=len(fleet.requests),
        answered=len(answered),
        broken_off=fleet.broken_off,
        slow=sum(is_slow(request, fleet.now) for request in fleet.requests),
        output_tokens_per_second=round(sum(request.output for request in answered) / lasts),
        usd=usd,
        unknown=tuple(unknown),
    )
