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
from eks_accelerators.monitoring.rule_files import as_rule_file
from eks_accelerators.monitoring.rules import rules_of
from eks_accelerators.monitoring.scraping import emitted
from eks_accelerators.settings.model.monitoring import PrometheusKind
from eks_accelerators.settings.resolved_stack import ResolvedStack, resolve_stack
from eks_accelerators.simulator.aws.account import Account
from eks_accelerators.simulator.aws_endpoint.server import AwsEndpoint
from eks_accelerators.simulator.files import write
from eks_accelerators.simulator.keda import programs as keda_programs
from eks_accelerators.simulator.keda.server import following
from eks_accelerators.simulator.load.autoscaler_outages import AutoscalerOutages, AutoscalerProgram
from eks_accelerators.simulator.load.fleet import Fleet
from eks_accelerators.simulator.load.node_autoscalers import AutoscaledCluster, LoopAutoscaler, autoscalers_of
from eks_accelerators.simulator.load.states import PacedStates
from eks_accelerators.simulator.metrics.exporters import SimulatedExporters
from eks_accelerators.simulator.metrics.faults import DeviceFaults
from eks_accelerators.simulator.metrics.metrics_server import MetricsServer
from eks_accelerators.simulator.pace import Pace, PacedClock
from eks_accelerators.simulator.processes import Servers
from eks_accelerators.simulator.prometheus.answers import AlertState
from eks_accelerators.simulator.prometheus.compression import written
from eks_accelerators.simulator.prometheus.configuration import PrometheusSettings
from eks_accelerators.simulator.prometheus.server import ENGINE as PROMETHEUS
from eks_accelerators.simulator.prometheus.server import Prometheus, PrometheusError, prometheus
from eks_accelerators.simulator.running_clock import RunningClock, running
from eks_accelerators.simulator.simulation import Simulation

SCRAPE_SECONDS, EVALUATION_SECONDS = 15.0, 30.0
"""As the PodMonitors of a stack have it, and as kube-prometheus-stack does by default."""

AUTOSCALER_SCRAPE_SECONDS = 30.0
"""As the ServiceMonitor of Cluster Autoscaler has it, and for Karpenter's, which has none, kube-prometheus-stack. Karpenter
shows some series of every instance type that EC2 has, and takes its time."""

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

    @property
    def autoscalers(self) -> tuple[Exporter, ...]:
        """Autoscalers of servers and nodes that take part in the loop."""
        of_nodes = tuple(Exporter(each.engine) for each in self.node_autoscalers)
        return (Exporter.KEDA, *of_nodes) if self.keda else of_nodes


def needs_of(stack: ResolvedStack) -> LoopNeeds:
    """What the loop of ``stack`` needs."""
    engines, without = [PROMETHEUS], []
    follows = any(server.autoscaling for _, server in stack.settings.workloads.servers())
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
    """The real programs of a closed loop while they run, and the clock of the account that they ask."""

    prometheus: Prometheus
    faults: DeviceFaults
    account_clock: RunningClock
    programs: Sequence[Servers]
    outages: AutoscalerOutages | None = None
    _last: Sequence[str] = field(default_factory=tuple)

    def check(self) -> None:
        """Raise `ServerError` where one of the programs has ended: what is seen without it is not what the stack does."""
        for each in self.programs:
            each.check()

    def follow_faults(self) -> None:
        """Stop the autoscalers that a fault has struck, and bring back those whose fault is over. Raises `ApiError`."""
        if self.outages is not None:
            self.outages.look()

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
            running_here.enter_context(simulation.kubelets.devices.judged_by(faults))
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
        targets = folder / "targets.json"
        of_autoscalers = {each: folder / f"{each}.json" for each in needs.autoscalers}
        interval = max(_LEAST_ROUND, pace.wall(SCRAPE_SECONDS))
        running_here.enter_context(MetricsServer(exporters, targets, interval))
        settings = PrometheusSettings(
            [targets, *of_autoscalers.values()],
            _rules(seen_by, simulation.account),
            scrape_seconds=SCRAPE_SECONDS,
            evaluation_seconds=EVALUATION_SECONDS,
        )
        server = running_here.enter_context(prometheus(engines[PROMETHEUS], settings, clock))
        autoscalers: dict[Exporter, AutoscalerProgram] = {}
        if needs.keda:
            keda = running_here.enter_context(following(engines, cluster, server))
            file = keda.write_targets(of_autoscalers[Exporter.KEDA])
            autoscalers[Exporter.KEDA] = AutoscalerProgram(keda.servers, keda_programs.OPERATOR, file)
        if needs.node_autoscalers:
            aws = running_here.enter_context(AwsEndpoint(simulation.account, account_clock))
            looked_after = AutoscaledCluster(cluster, aws.url, stack.settings.region, pace)
            for each in needs.node_autoscalers:
                one = running_here.enter_context(each.start(engines[each.engine], looked_after))
                file = _write_targets(of_autoscalers[Exporter(each.engine)], each.engine, one.metrics_url, pace)
                autoscalers[Exporter(each.engine)] = AutoscalerProgram(one.servers, each.engine, file)
        outages = AutoscalerOutages(lambda: cluster.api, faults, autoscalers)
        running_here.callback(outages.end)
        programs = [server.servers, *(each.servers for each in autoscalers.values())]
        yield Participants(server, faults, account_clock, programs, outages)


def _write_targets(file: Path, name: str, url: str, pace: Pace) -> Path:
    """A file by which Prometheus finds the metrics that a node autoscaler has of itself, as its ServiceMonitor has it."""
    seconds = written(pace.wall(AUTOSCALER_SCRAPE_SECONDS))
    common = {"namespace": "kube-system", "__scrape_interval__": seconds, "__scrape_timeout__": seconds}
    found = [{"targets": [urlsplit(url).netloc], "labels": {"job": name, "pod": name, **common}}]
    return write(file, json.dumps(found).encode())


def _rules(stack: ResolvedStack, account: Account) -> dict[str, Any]:
    """Those that a stack deploys, with the ends of its Capacity Blocks as the account has them."""
    reserved = {name: block.reservation_id for name, block in stack.settings.capacity_blocks.items()}
    there = account.state.blocks
    known = {name: there[identifier].end for name, identifier in reserved.items() if identifier in there}
    return as_rule_file(rules_of(stack, emitted(stack), known), stack.settings.monitoring.alerts.runbooks)


def _with_prometheus(stack: ResolvedStack) -> ResolvedStack:
    """The stack; one without a Prometheus as it would be with one."""
    monitoring = stack.settings.monitoring
    if monitoring.prometheus is not PrometheusKind.NONE:
        return stack
    with_one = monitoring.model_copy(update={"prometheus": PrometheusKind.STACK})
    return resolve_stack(stack.settings.model_copy(update={"monitoring": with_one}), stack.own_types)
