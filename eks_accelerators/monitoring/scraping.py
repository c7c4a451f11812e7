"""Which exporters of a stack Prometheus scrapes, and how: the one place from which rules, dashboards and plan know it.

Sources: prometheus-operator v0.93.1 API, `PodMonitor`; Prometheus documentation 3, `configuration/scrape_config` and
`kubernetes_sd_config`; charts as in `charts-values/`; read 2026-11-22.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from eks_accelerators.monitoring.metrics import Exporter, exporters
from eks_accelerators.monitoring.vllm_servers import vllm_servers
from eks_accelerators.settings.controller_releases import cluster_autoscaler, karpenter, keda
from eks_accelerators.settings.model.monitoring import PrometheusKind
from eks_accelerators.settings.model.server import Server
from eks_accelerators.settings.neuron_monitor import NEURON_MONITOR, neuron_monitor
from eks_accelerators.settings.release_inputs import DcgmExporterInputs, GpuOperatorInputs, KubeStateMetricsInputs
from eks_accelerators.settings.releases import RELEASES
from eks_accelerators.settings.resolved_stack import ResolvedStack
from eks_accelerators.settings.server_kinds import ServerMetrics
from eks_accelerators.settings.workload_kinds import server_kind

NAME_LABEL = "app.kubernetes.io/name"
_OF_EVERY_TYPE = "karpenter_cloudprovider_instance_type_.+"
"""Size and price of every type that EC2 has in every zone, used or not: many thousand series, which each copy shows. The chart's
values say the same. Source: aws/karpenter-provider-aws v1.14.1, `pkg/controllers/metrics`, `pkg/providers/instancetype/metrics.go`."""
OF_THE_POD = ("namespace", "pod", "container")
"""Labels that a scrape adds of the pod that answers, unless told otherwise."""


@dataclass(frozen=True, slots=True)
class ScrapeTarget:
    """Pods that answer ``path`` at ``port``: those with the labels ``pods`` in ``namespaces``.

    ``declares_port``: a container of theirs names the port; what does not is found by its pod's address, as Prometheus drops a
    target without the port that it is told. ``has_monitor``: its chart makes the object that tells the Prometheus Operator of it. ``honor_labels``: labels that
    the exporter itself gives stay. ``dropped``: a pattern of names of series that nobody keeps.
    """

    name: str
    exporter: Exporter
    namespaces: tuple[str, ...]
    port: int
    pods: Mapping[str, str] = field(default_factory=dict)
    declares_port: bool = True
    has_monitor: bool = False
    honor_labels: bool = False
    path: str = "/metrics"
    dropped: str = ""

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that the scrape adds to each series, as the catalogue of metrics has them."""
        return exporters()[self.exporter].target_labels


def targets(stack: ResolvedStack) -> tuple[ScrapeTarget, ...]:
    """What is scraped of a stack. Nothing where it has no Prometheus."""
    if stack.settings.monitoring.prometheus is PrometheusKind.NONE:
        return ()
    groups = (*_of_gpus(stack), *_of_neuron(stack), *_of_nodes(stack))
    return (*groups, *_of_servers(stack), *_of_autoscalers(stack), *_of_the_cluster(stack))


def emitted(stack: ResolvedStack) -> frozenset[Exporter]:
    """The exporters whose metrics the Prometheus of a stack has.

    Of an existing one it is taken for granted that it scrapes kube-state-metrics: every chart of it does.
    """
    found = {target.exporter for target in targets(stack)}
    if found and any(vllm_servers(stack)):
        found.add(Exporter.VLLM)  # also from pods of NIM
    if stack.settings.monitoring.has_operator:
        found.add(Exporter.KUBE_STATE_METRICS)
    return frozenset(found)


def _of_gpus(stack: ResolvedStack) -> Iterator[ScrapeTarget]:
    for release in RELEASES:
        inputs = release.inputs(stack) if release.takes in (DcgmExporterInputs, GpuOperatorInputs) else None
        if isinstance(inputs, GpuOperatorInputs) and inputs.metrics:
            yield _gpus("nvidia-dcgm-exporter", inputs.namespace, {"app": "nvidia-dcgm-exporter"})
        elif isinstance(inputs, DcgmExporterInputs):
            yield _gpus(release.name, inputs.namespace, {NAME_LABEL: "dcgm-exporter"})


def _gpus(name: str, namespace: str, pods: Mapping[str, str]) -> ScrapeTarget:
    return ScrapeTarget(name, Exporter.DCGM, (namespace,), 9400, pods, has_monitor=True, honor_labels=True)


def _of_neuron(stack: ResolvedStack) -> Iterator[ScrapeTarget]:
    if inputs := neuron_monitor(stack):
        pods = {NAME_LABEL: NEURON_MONITOR}
        yield ScrapeTarget(NEURON_MONITOR, Exporter.NEURON_MONITOR, (inputs.namespace,), 8000, pods)


def _of_nodes(stack: ResolvedStack) -> Iterator[ScrapeTarget]:
    if stack.groups:
        agent = "eks-node-monitoring-agent"
        yield ScrapeTarget(
            agent, Exporter.NODE_MONITORING_AGENT, ("kube-system",), 8003, {NAME_LABEL: agent}, declares_port=False
        )


def _of_servers(stack: ResolvedStack) -> Iterator[ScrapeTarget]:
    """One of each program, whatever kinds of server run it."""
    spaces = dict[str, set[str]]()
    shown = dict[str, ServerMetrics]()
    for placed in stack.workloads:
        if isinstance(placed.workload, Server):
            metrics = server_kind(placed.workload).metrics
            if isinstance(metrics, ServerMetrics):
                shown[placed.workload.PROGRAM] = metrics
                spaces.setdefault(placed.workload.PROGRAM, set()).add(placed.workload.namespace)
    for program, metrics in shown.items():
        pods, names = {NAME_LABEL: program}, tuple(sorted(spaces[program]))
        yield ScrapeTarget(program, Exporter(program), names, metrics.port, pods, path=metrics.path)


def _of_autoscalers(stack: ResolvedStack) -> Iterator[ScrapeTarget]:
    if cluster_autoscaler(stack):
        pods = {NAME_LABEL: "aws-cluster-autoscaler"}
        yield ScrapeTarget(
            "cluster-autoscaler", Exporter.CLUSTER_AUTOSCALER, ("kube-system",), 8085, pods, has_monitor=True
        )
    if karpenter(stack):
        pods = {NAME_LABEL: "karpenter"}
        yield ScrapeTarget(
            "karpenter", Exporter.KARPENTER, ("kube-system",), 8080, pods, has_monitor=True, dropped=_OF_EVERY_TYPE
        )
    if inputs := keda(stack):
        pods = {NAME_LABEL: "keda-operator"}
        yield ScrapeTarget("keda", Exporter.KEDA, (inputs.namespace,), 8080, pods, honor_labels=True)


def _of_the_cluster(stack: ResolvedStack) -> Iterator[ScrapeTarget]:
    for release in RELEASES:
        if release.takes is KubeStateMetricsInputs and isinstance(
            inputs := release.inputs(stack), KubeStateMetricsInputs
        ):
            pods = {NAME_LABEL: "kube-state-metrics"}
            yield ScrapeTarget(
                "kube-state-metrics", Exporter.KUBE_STATE_METRICS, (inputs.namespace,), 8080, pods, honor_labels=True
            )


def pod_monitor_spec(target: ScrapeTarget) -> dict[str, Any]:
    """Of an object for the Prometheus Operator, which adds what `OF_THE_POD` has by itself."""
    unwanted = [label for label in OF_THE_POD if label not in target.labels]
    relabelings: list[dict[str, Any]] = []
    if not target.declares_port:
        relabelings.append(
            {
                "action": "replace",
                "sourceLabels": ["__meta_kubernetes_pod_ip"],
                "targetLabel": "__address__",
                "replacement": f"$1:{target.port}",
            }
        )
    if unwanted:
        relabelings.append({"action": "labeldrop", "regex": "|".join(unwanted)})
    if "node" in target.labels:
        relabelings.append(
            {"action": "replace", "sourceLabels": ["__meta_kubernetes_pod_node_name"], "targetLabel": "node"}
        )
    endpoint = {
        **({"portNumber": target.port} if target.declares_port else {}),
        "path": target.path,
        "interval": "15s",
        **({"honorLabels": True} if target.honor_labels else {}),
        "relabelings": relabelings,
        **({"metricRelabelings": [_drop("sourceLabels", target)]} if target.dropped else {}),
    }
    return {
        "selector": {"matchLabels": dict(target.pods)},
        "namespaceSelector": {"matchNames": list(target.namespaces)},
        "podMetricsEndpoints": [endpoint],
    }


def as_scrape_config(target: ScrapeTarget) -> dict[str, Any]:
    """The same for a Prometheus without the operator: a job of its configuration, with the labels of that object."""
    rules: list[dict[str, Any]] = [
        {"source_labels": [_meta(f"label_{_plain(label)}")], "regex": value, "action": "keep"}
        for label, value in target.pods.items()
    ]
    if target.declares_port:
        rules.append({"source_labels": [_meta("container_port_number")], "regex": str(target.port), "action": "keep"})
    else:
        address = {"source_labels": [_meta("ip")], "target_label": "__address__", "replacement": f"$1:{target.port}"}
        rules.append(address)
    rules.append({"source_labels": [_meta("phase")], "regex": "Failed|Succeeded", "action": "drop"})
    sources = {"node": "node_name", "pod": "name", "container": "container_name", "namespace": ""}
    for label in ("node", *OF_THE_POD):
        if label in target.labels:
            source = _meta(sources[label]) if sources[label] else "__meta_kubernetes_namespace"
            rules.append({"source_labels": [source], "target_label": label})
    return {
        "job_name": target.name,
        "kubernetes_sd_configs": [{"role": "pod", "namespaces": {"names": list(target.namespaces)}}],
        **({"metrics_path": target.path} if target.path != "/metrics" else {}),
        **({"honor_labels": True} if target.honor_labels else {}),
        "relabel_configs": rules,
        **({"metric_relabel_configs": [_drop("source_labels", target)]} if target.dropped else {}),
    }


def _drop(sources: str, target: ScrapeTarget) -> dict[str, Any]:
    return {"action": "drop", sources: ["__name__"], "regex": target.dropped}


def _meta(name: str) -> str:
    return f"__meta_kubernetes_pod_{name}"


def _plain(label: str) -> str:
    return "".join(character if character.isalnum() else "_" for character in label)


def as_configuration(found: Iterable[ScrapeTarget]) -> dict[str, Any]:
    """The configuration of a Prometheus without the operator that scrapes the same as the operator's would."""
    return {"global": {"scrape_interval": "30s"}, "scrape_configs": [as_scrape_config(target) for target in found]}
