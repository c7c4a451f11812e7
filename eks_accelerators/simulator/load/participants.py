"""Who takes part in a closed loop beside the servers: exporters, and the real programs that a stack would run.

Prometheus always: without a Prometheus of its own a stack is shown the alerts that it would have with one. KEDA where a
workload follows its load, Cluster Autoscaler where a node group is its own.
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
from eks_accelerators.settings.model.node_autoscaling import NodeAutoscaler
from eks_accelerators.settings.resolved_stack import ResolvedStack, resolve_stack
from eks_accelerators.simulator.aws_endpoint.server import AwsEndpoint
from eks_accelerators.simulator.files import write
from eks_accelerators.simulator.folder import SimulationError
from eks_accelerators.simulator.keda import programs as keda_programs
from eks_accelerators.simulator.keda.server import following
from eks_accelerators.simulator.kubernetes.api import Api
from eks_accelerators.simulator.load.fleet import Fleet
from eks_accelerators.simulator.load.states import PacedStates
from eks_accelerators.simulator.metrics.faults import DeviceFaults
from eks_accelerators.simulator.metrics.serving import MetricsServer
from eks_accelerators.simulator.metrics.simulated import SimulatedExporters
from eks_accelerators.simulator.node_autoscalers.cluster_autoscaler import NAME as CLUSTER_AUTOSCALER
from eks_accelerators.simulator.node_autoscalers.cluster_autoscaler import cluster_autoscaler
from eks_accelerators.simulator.pace import Pace, PacedClock
from eks_accelerators.simulator.prometheus.answers import AlertState
from eks_accelerators.simulator.prometheus.configuration import PrometheusSettings
from eks_accelerators.simulator.prometheus.server import ENGINE as PROMETHEUS
from eks_accelerators.simulator.prometheus.server import Prometheus, PrometheusError, prometheus
from eks_accelerators.simulator.running_clock import RunningClock, running
from eks_accelerators.simulator.simulation import Simulation

SCRAPE_SECONDS, EVALUATION_SECONDS = 15.0, 30.0
"""As the PodMonitors of a stack have it, and as kube-prometheus-stack does by default."""

_NOT_TOLD = ("cloud-provider", "namespace", "logtostderr", "stderrthreshold")
"""Flags of a deployment that are others here."""

_PATIENCE_WITH_GPUS = {"bypassed-scheduler-names": "nobody", "new-pod-scale-up-delay": "30s"}
"""Cluster Autoscaler waits until the oldest pod with GPUs has waited for 30 s, a constant that goes by the wall clock and
would be many minutes here. Where it looks past any scheduler it does not wait, and the delay, which is a flag, is divided by
the pace. Source: kubernetes/autoscaler 1.33 `core/static_autoscaler.go`, `unschedulablePodWithGpuTimeBuffer`."""

_LEAST_ROUND = 0.25
"""Between two rounds of the exporters, by the wall clock."""


@dataclass(frozen=True, slots=True)
class LoopNeeds:
    """What the loop of a stack needs beside the engines of every simulation, and what takes no part in it, with the reason."""

    engines: tuple[str, ...]
    keda: bool
    cluster_autoscaler: bool
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
    kinds = {group.settings.autoscaler for group in stack.groups.values()}
    scaled_groups = NodeAutoscaler.CLUSTER_AUTOSCALER in kinds
    if scaled_groups:
        engines.append(CLUSTER_AUTOSCALER)
    if NodeAutoscaler.KARPENTER in kinds:
        without.append("Karpenter, which takes no part here: its groups get no nodes")
    if kinds <= {NodeAutoscaler.NONE}:
        without.append("nodes that follow the pods: no node group has an autoscaler, so their number stays")
    return LoopNeeds(tuple(engines), follows, scaled_groups, tuple(without))


@dataclass(slots=True)
class Participants:
    """They run."""

    prometheus: Prometheus
    faults: DeviceFaults
    account_clock: RunningClock
    _last: Sequence[str] = field(default_factory=tuple)

    def firing(self) -> Sequence[str]:
        """Names of the alerts that fire; those of the look before where Prometheus does not answer just now."""
        try:
            found = self.prometheus.alerts()
        except PrometheusError:
            return self._last
        self._last = sorted({alert.name for alert in found if alert.state is AlertState.FIRING})
        return self._last


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
        targets, of_keda, of_nodes = folder / "targets.json", folder / "keda.json", folder / "cluster-autoscaler.json"
        interval = max(_LEAST_ROUND, pace.wall(SCRAPE_SECONDS))
        running_here.enter_context(MetricsServer(exporters, targets, interval))
        settings = PrometheusSettings(
            [targets, of_keda, of_nodes],
            _rules(seen_by),
            scrape_seconds=SCRAPE_SECONDS,
            evaluation_seconds=EVALUATION_SECONDS,
        )
        server = running_here.enter_context(prometheus(engines[PROMETHEUS], settings, clock))
        if needs.keda:
            running_here.enter_context(following(engines, cluster, server)).write_targets(of_keda)
        if needs.cluster_autoscaler:
            aws = running_here.enter_context(AwsEndpoint(simulation.account, account_clock))
            scaler = cluster_autoscaler(
                engines[CLUSTER_AUTOSCALER],
                cluster,
                aws_url=aws.url,
                region=stack.settings.region,
                flags={**deployed_flags(cluster.api), **_PATIENCE_WITH_GPUS},
                pace=pace,
            )
            _write_target(of_nodes, running_here.enter_context(scaler).metrics_url)
        yield Participants(server, faults, account_clock)


def _write_target(file: Path, url: str) -> None:
    """A file by which Prometheus finds Cluster Autoscaler's metrics of itself, as its ServiceMonitor has it."""
    labels = {"job": CLUSTER_AUTOSCALER, "namespace": "kube-system", "pod": CLUSTER_AUTOSCALER}
    write(file, json.dumps([{"targets": [urlsplit(url).netloc], "labels": labels}]).encode())


def deployed_flags(api: Api) -> dict[str, str]:
    """The flags of the Cluster Autoscaler that is deployed. Raises `SimulationError` where there is none."""
    selector = f"app.kubernetes.io/name=aws-{CLUSTER_AUTOSCALER}"
    for deployment in api.list("apps/v1", "Deployment", None, selector):
        words = [str(word) for each in deployment["spec"]["template"]["spec"]["containers"] for word in each["command"]]
        flags = dict(word[2:].partition("=")[::2] for word in words if word.startswith("--"))
        return {name: value or "true" for name, value in flags.items() if name not in _NOT_TOLD}
    raise SimulationError("no Cluster Autoscaler is deployed; run `accel simulate STACK up` first")


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
