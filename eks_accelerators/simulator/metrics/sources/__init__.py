"""Who shows what: one module for each exporter, found here."""

from collections.abc import Callable, Iterable, Sequence

from eks_accelerators.monitoring.metrics import Exporter
from eks_accelerators.simulator.metrics.exposition import Sample, Target
from eks_accelerators.simulator.metrics.sources import (
    dcgm,
    kube_state_metrics,
    neuron_monitor,
    nim,
    node_monitoring_agent,
    tf_serving,
    triton,
    vllm,
)
from eks_accelerators.simulator.metrics.world import ScrapedWorld

SOURCES: dict[Exporter, Callable[[ScrapedWorld], Iterable[tuple[Target, Sequence[Sample]]]]] = {
    Exporter.DCGM: dcgm.scrape,
    Exporter.VLLM: vllm.scrape,
    Exporter.TRITON: triton.scrape,
    Exporter.NIM: nim.scrape,
    Exporter.TF_SERVING: tf_serving.scrape,
    Exporter.NEURON_MONITOR: neuron_monitor.scrape,
    Exporter.NODE_MONITORING_AGENT: node_monitoring_agent.scrape,
    Exporter.KUBE_STATE_METRICS: kube_state_metrics.scrape,
}
"""Every exporter that is simulated."""

REAL = {
    Exporter.CLUSTER_AUTOSCALER: "the real program runs in a simulation with an autoscaler, and shows its own",
    Exporter.KARPENTER: "the real program runs in a simulation with pools of its own, and shows its own",
    Exporter.KEDA: "the real program runs in a simulation that scales servers, and shows its own",
    Exporter.PROMETHEUS: "the server that scrapes says it",
}
"""Those that are not, and why."""
