"""Who takes part in a closed loop beside the servers: exporters, and the real programs that a stack would run.

Prometheus always: without a Prometheus of its own a stack is shown the alerts that it would have with one. KEDA where a
workload follows its load, Cluster Autoscaler and Karpenter where a node group is theirs.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from eks_accelerators.monitoring.metrics import Exporter
from eks_accelerators.monitoring.rendering import as_rule_file
from eks_accelerators.monitoring.rules import rules_of
from eks_accelerators.monitoring.scraping import emitted
from eks_accelerators.settings.model.monitoring import PrometheusKind
from eks_accelerators.settings.resolved_stack import ResolvedStack, resolve_stack
from eks_accelerators.simulator.aws_endpoint.server import AwsEndpoint
from eks_accelerators.simulator.files import write
from eks_accelerators.simulator.keda import programs as keda_programs
from eks_accelerators.simulator.keda.server import following
from eks_accelerators.simulator.load.fleet import Fleet
from eks_accelerators.simulator.load.node_autoscalers import AutoscaledCluster, LoopAutoscaler, autoscalers_of
from eks_accelerators.simulator.load.states import PacedStates
from eks_accelerators.simulator.metrics.faults import DeviceFaults
from eks_accelerators.simulator.metrics.serving import MetricsServer
from eks_accelerators.simulator.metrics.simulated import SimulatedExporters
from eks_accelerators.simulator.pace import Pace, PacedClock
from eks_accelerators.simulator.processes import Servers
from eks_accelerators.simulator.prometheus.answers import AlertState
from eks_accelerators.simulator.prometheus.configuration import PrometheusSettings
from eks_accelerators.simulator.prometheus.server import ENGINE as PROMETHEUS
from eks_accelerators.simulator.prometheus.server import Prometheus, PrometheusError, prometheus
from eks_accelerators.simulator.running_clock import RunningClock, running
from eks_accelerators.simulator.simulation import Simulation

SCRAPE_SECONDS, EVALUATION_SECONDS = 15.0, 30.0
"""As the PodMonitors of a stack have it, and as kube-prometheus-stack does by default."""

_ALWAYS_THERE = 'job="kube-state-metrics"'
"""A target that answers as long as there is time to."""

_LEAST_ROUND = 0.25
"""Between two rounds of the exporters, by the wall clock."""


@dataclass(frozen=True, slots=True)
class LoopNeeds:
    """What the loop of a stack needs beside the engines of every simulation, and what takes no part in it, with the reason."""

    engines: tuple[str, ...]
    keda: bool
    node_autoscalers: tuple[LoopAutoscaler, ...]
    without: tuple[str, ...]


def needs_of(stack: ResolvedStack) -> LoopNeeds:
    """What the loop of ``stack`` needs."""
    engines, without = [PROMETHEUS], []
    follows = any(each.autoscaling for each in stack.settings.workloads.vllm.values())
    if stack.settings.monitoring.prometheus is PrometheusKind.NONE:
        without.append(
            "a Prometheus of its own (monitoring.prometheus: none): alerts are those that it would have with stack"
        )
    if follows:
        engines += keda_programs.ENGINES
    else:
        without.append("pods that follow the load: no workload has autoscaling, so replicas stay")
    node_autoscalers = autoscalers_of(stack)
    engines += [each.engine for each in node_autoscalers]
    if not node_autoscalers:
        without.append("nodes that follow the pods: no node group has an autoscaler, so their number stays")
    return LoopNeeds(tuple(engines), follows, node_autoscalers, tuple(without))


@dataclass(slots=True)
class Participants:
    """They run."""

    prometheus: Prometheus
    faults: DeviceFaults
    account_clock: RunningClock
    programs: Sequence[Servers]
    _last: Sequence[str] = field(default_factory=tuple)

    def check(self) -> None:
        """Raise `ServerError` where one of the programs has ended: what is seen without it is not what the stack does."""
        for each in self.programs:
            each.check()

    def firing(self) -> Sequence[str]:
        """Names of the alerts that fire; those of the look before where Prometheus does not answer just now."""
        try:
            found = self.prometheus.alerts()
        except PrometheusError:
            return self._last
        self._last = sorted({alert.name for alert in found if alert.state is AlertState.FIRING})
        return self._last

    def missed(self, seconds: float) -> float | None:
        """Which share of its looks at kube-state-metrics came too late for Prometheus within the last ``seconds``: whoever
        asks it is blind then. None where nobody knows.
        """
        looks = f"up{{{_ALWAYS_THERE}}}[{seconds:.0f}s]"
        try:
            found = self.prometheus.query(f"1 - sum(sum_over_time({looks})) / sum(count_over_time({looks}))")
        except PrometheusError:
            return None
        return found[0].value if found else None


@contextmanager
def participants(
    simulation: Simulation,
    stack: ResolvedStack,
    engines: Mapping[str, Path],
    pace: Pace,
    fleet: Fleet,
    needs: LoopNeeds,
) -> Iterator[Participants]:
    """All of them, for the time of a `with` block, at whose beginning they are ready; the account's clock runs meanwhile."""
    cluster, faults = simulation.cluster, DeviceFaults()
    with ExitStack() as running_here:
        account_clock = running_here.enter_context(running(simulation.account, pace, simulation.kubelets))
        if simulation.kubelets is not None:
            before, simulation.kubelets.health = simulation.kubelets.health, faults
            running_here.callback(setattr, simulation.kubelets, "health", before)
        seen_by = _with_prometheus(stack)
        clock = PacedClock.beginning_now(pace, simulation.account.state.now.timestamp())
        exporters = SimulatedExporters(
            lambda: cluster.api,
            servers=PacedStates(fleet, pace),
            faults=faults,
            pace=pace,
            clock=clock,
            always=emitted(seen_by) & {Exporter.KUBE_STATE_METRICS},
        )
        folder = cluster.servers.folder / "exporters"
        folder.mkdir(mode=0o700, exist_ok=True)
        targets, of_keda, of_nodes = folder / "targets.json", folder / "keda.json", folder / "node-autoscalers.json"
        interval = max(_LEAST_ROUND, pace.wall(SCRAPE_SECONDS))
        running_here.enter_context(MetricsServer(exporters, targets, interval))
        settings = PrometheusSettings(
            [targets, of_keda, of_nodes],
            _rules(seen_by),
            scrape_seconds=SCRAPE_SECONDS,
            evaluation_seconds=EVALUATION_SECONDS,
        )
        server = running_here.enter_context(prometheus(engines[PROMETHEUS], settings, clock))
        programs = [server.servers]
        if needs.keda:
            keda = running_here.enter_context(following(engines, cluster, server))
            keda.write_targets(of_keda)
            programs.append(keda.servers)
        if needs.node_autoscalers:
            aws = running_here.enter_context(AwsEndpoint(simulation.account, account_clock))
            looked_after = AutoscaledCluster(cluster, aws.url, stack.settings.region, pace)
            running_ones = {
                each.engine: running_here.enter_context(each.start(engines[each.engine], looked_after))
                for each in needs.node_autoscalers
            }
            _write_targets(of_nodes, {name: each.metrics_url for name, each in running_ones.items()})
            programs += [each.servers for each in running_ones.values()]
        yield Participants(server, faults, account_clock, programs)


def _write_targets(file: Path, urls: Mapping[str, str]) -> None:
    """A file by which Prometheus finds the metrics that node autoscalers have of themselves, as their ServiceMonitors have it."""
    found = [
        {"targets": [urlsplit(url).netloc], "labels": {"job": name, "namespace": "kube-system", "pod": name}}
        for name, url in urls.items()
    ]
    write(file, json.dumps(found).encode())


def _rules(stack: ResolvedStack) -> dict[str, Any]:
    """Those that a stack deploys. Nobody says when Capacity Blocks end but its settings."""
    return as_rule_file(rules_of(stack, emitted(stack)))


def _with_prometheus(stack: ResolvedStack) -> ResolvedStack:
    """The stack; one without a Prometheus as it would be with one."""
    monitoring = stack.settings.monitoring
    if monitoring.prometheus is not PrometheusKind.NONE:
        return stack
    with_one = monitoring.model_copy(update={"prometheus": PrometheusKind.STACK})
    return resolve_stack(stack.settings.model_copy(update={"monitoring": with_one}), stack.own_types)
