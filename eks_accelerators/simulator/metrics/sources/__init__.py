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
