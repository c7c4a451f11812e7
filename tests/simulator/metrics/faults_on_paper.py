"""A cluster on paper with a node for every fault of the table, and the real Prometheus that watches all strike side by side."""

import time
from dataclasses import dataclass

from eks_accelerators.accelerators.sharing import Partitioning, Sharing
from eks_accelerators.monitoring.metrics import Exporter
from eks_accelerators.monitoring.rendering import as_rule_file
from eks_accelerators.monitoring.rules import rules_of
from eks_accelerators.simulator.alert_causes import CAUSES, CauseKind, Site
from eks_accelerators.simulator.metrics.faults import parse
from eks_accelerators.simulator.metrics.servers import ServerState
from eks_accelerators.simulator.metrics.serving import MetricsServer
from eks_accelerators.simulator.pace import Pace, PacedClock
from eks_accelerators.simulator.prometheus.configuration import PrometheusSettings
from eks_accelerators.simulator.prometheus.server import prometheus
from tests.monitoring.dashboards.stacks import WITH_MIG
from tests.monitoring.stacks import stack_of
from tests.simulator.fired import fired
from tests.simulator.metrics.worlds import ALL_THREE, NOW, Paper, pod, vllm

PACE = Pace(30)
STRIKE, END, LAST = 10, 48, 72
"""Minutes: when faults strike, when they end, and how long all goes on."""
SCRAPE_SECONDS, EVALUATION_SECONDS, ROUND_SECONDS = 60, 30, 1.5
"""Two seconds of the wall clock from scrape to scrape, so that a busy machine has time for all pages; the last is by it too."""

FAULTS = [cause for cause in CAUSES if cause.kind is CauseKind.FAULT and cause.site is not Site.SCALED]

GPU, SHARED, MIG = "nvidia.com/gpu", "nvidia.com/gpu.shared", "nvidia.com/mig-3g.20gb"
_LAYOUT = {"3g.20gb": 1, "2g.10gb": 1, "1g.5gb": 2}
_FILE = "".join(f"{index} 3g.20gb,2g.10gb,1g.5gb,1g.5gb\n" for index in range(8))
_MIXED = Sharing("mig", mig=Partitioning.of("mixed", [_LAYOUT]))
_SLICED = Sharing("timeSlicing", 4, renamed=True)


class _Busy:
    """Servers that have something to do, and answer in time."""

    def state(self, namespace, name):
        del namespace, name
        return ServerState(running=1, busy=0.8)


@dataclass
class Struck:
    """A cause, and what alerts about it name: its node, or its pods."""

    cause: object
    node: str
    pods: tuple

    def is_about(self, alert):
        return (
            alert.labels.get("node") == self.node
            or alert.labels.get("pod") in self.pods
            or any(name in alert.labels.get("instance", "") for name in self.pods)
        )


def cluster():
    """The cluster, and what strikes which of its nodes; each kind of node has one more, which stays well."""
    paper = Paper(exporter=ALL_THREE, servers=_Busy())
    struck = [_add(paper, cause.site, number, cause) for number, cause in enumerate(FAULTS)]
    for number, site in enumerate(sorted({cause.site for cause in FAULTS})):
        _add(paper, site, len(FAULTS) + number, None)
    return paper, struck


def _add(paper, site, number, cause):
    made, name = {}, f"pod-{number}"
    if site in (Site.ONE_GPU, Site.ANY):
        here, made = paper.add("whole", "g6.2xlarge"), {name: {GPU: 1}}
    elif site is Site.SERVERS:
        here = paper.add("servers", "g6.2xlarge")
        paper.run(vllm(name, here, {GPU: 1}))
        return Struck(cause, here["metadata"]["name"], (name,))
    elif site is Site.SHARED_GPU:
        here = paper.add("shared", "g6.2xlarge", _SLICED)
        made = {f"{name}-{share}": {SHARED: 1} for share in range(3)}
    elif site is Site.DIVIDED_GPU:
        here, made = paper.add("divided", "p4d.24xlarge", _MIXED, mig_layout=_FILE), {name: {MIG: 8}}
    elif site is Site.LINKED_GPUS:
        here, made = paper.add("h100", "p5.48xlarge", efa_interfaces=32), {name: {GPU: 8}}
    else:
        here, made = paper.add("trn", "trn1.32xlarge"), {name: {"aws.amazon.com/neuron": 16}}
    paper.run(*(pod(each, here, asks) for each, asks in made.items()))
    return Struck(cause, here["metadata"]["name"], tuple(made))


class _Watched:
    def __init__(self, paper, clock):
        self._paper, self._clock = paper, clock

    def scrape(self):
        return self._paper.shown(time.time() - self._clock.wall_begin)


def run(program, folder):
    """Everything, from calm to calm: what struck, every alert, and targets that were missed."""
    paper, struck = cluster()
    clock = PacedClock.beginning_now(PACE, NOW)
    paper.pace(PacedClock(PACE, NOW, NOW))
    rules = as_rule_file(rules_of(stack_of(WITH_MIG), frozenset(Exporter)))
    with MetricsServer(_Watched(paper, clock), folder / "targets.json", ROUND_SECONDS) as exporters:
        settings = PrometheusSettings(
            [exporters.targets], rules, scrape_seconds=SCRAPE_SECONDS, evaluation_seconds=EVALUATION_SECONDS
        )
        with prometheus(program, settings, clock) as server:
            _until(clock, STRIKE)
            faults = [parse(f"{each.cause.text}:{each.node}") for each in struck]
            moment = clock.now()
            for fault in faults:
                paper.faults.add(fault)
            _until(clock, END)
            for fault in faults:
                paper.faults.end(fault)
            _until(clock, LAST)
            return struck, fired(server, NOW, moment, EVALUATION_SECONDS), _missed(server, struck)


def _missed(server, struck):
    """Targets that did not answer in time though no fault silences them: the machine is too slow for the pace then."""
    silent = {
        (each.cause.signs.silent.value, name)
        for each in struck
        if each.cause.signs.silent
        for name in (each.node, *each.pods)
    }
    found = server.query_range("up == 0", NOW, server.clock.now(), EVALUATION_SECONDS)
    return [
        each.labels["instance"]
        for each in found
        if not any(
            kind in each.labels["job"] and (name == each.labels.get("node") or name in each.labels["instance"])
            for kind, name in silent
        )
    ]


def _until(clock, minutes):
    time.sleep(max(0.0, clock.wall(NOW + 60 * minutes) - time.time()))
