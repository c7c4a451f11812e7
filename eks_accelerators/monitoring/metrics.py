"""The metrics that a rule or a panel may name: which exporter has them, their unit and labels, what they mean.

The facts are in `data/metrics.json`, with their sources. What an exporter has beside them is not configured here, so that
a rule that named it would never fire.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from types import MappingProxyType

from eks_accelerators.monitoring.data import load

HISTOGRAM_SERIES = {"_bucket": ("le",), "_count": (), "_sum": ()}
"""The series of a histogram, by what follows its name, and the labels that each has besides."""


class Exporter(StrEnum):
    """Programs that emit metrics; the value is part of the name of their job in Prometheus."""

    DCGM = "dcgm-exporter"
    VLLM = "vllm"
    TRITON = "triton"
    NIM = "nim"
    TF_SERVING = "tf-serving"
    NEURON_MONITOR = "neuron-monitor"
    NODE_MONITORING_AGENT = "node-monitoring-agent"
    KUBE_STATE_METRICS = "kube-state-metrics"
    CLUSTER_AUTOSCALER = "cluster-autoscaler"
    KARPENTER = "karpenter"
    KEDA = "keda"
    PROMETHEUS = "prometheus"


@dataclass(frozen=True, slots=True)
class ExporterFacts:
    """What is known of an exporter, in words. ``labels`` are on each of its series.

    ``target_labels`` are those that the scrape adds; ``scrape`` says how it must be set up to add them.
    """

    title: str
    version: str
    configured: str
    labels: tuple[str, ...]
    target_labels: tuple[str, ...]
    scrape: str
    source: str
    read: str


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric. ``labels`` has every label that its series can have.

    ``scope`` says of which part of a shared GPU it is, a key of `SCOPES`; None of what is no GPU.
    """

    name: str
    exporter: Exporter
    kind: str
    unit: str
    means: str
    does_not_mean: str
    scope: str | None
    labels: frozenset[str]

    @property
    def series(self) -> dict[str, frozenset[str]]:
        """Names of its series, and the labels of each: one, or those of a histogram."""
        if self.kind != "histogram":
            return {self.name: self.labels}
        return {self.name + suffix: self.labels.union(more) for suffix, more in HISTOGRAM_SERIES.items()}


@cache
def exporters() -> MappingProxyType[Exporter, ExporterFacts]:
    """Facts about every exporter."""
    return MappingProxyType(
        {
            exporter: ExporterFacts(
                row["title"],
                row["version"],
                row["configured"],
                tuple(row["labels"]),
                tuple(row["target"]),
                row["scrape"],
                row["source"],
                row["read"],
            )
            for exporter in Exporter
            for row in [load("metrics")["exporters"][exporter.value]]
        }
    )


@cache
def metrics() -> MappingProxyType[str, Metric]:
    """Every metric, by its name."""
    return MappingProxyType({name: _metric(name, row) for name, row in load("metrics")["metrics"].items()})


@cache
def series() -> MappingProxyType[str, Metric]:
    """The metric of every series name: a histogram has several."""
    return MappingProxyType({name: metric for metric in metrics().values() for name in metric.series})


def scopes() -> dict[str, dict[str, str]]:
    """Of which part of a GPU a metric is, by scope and by the way in which GPUs are given to pods."""
    found: dict[str, dict[str, str]] = load("metrics")["scopes"]
    return found


def node_label(key: str) -> str:
    """The label by which `kube_node_labels` has the label ``key`` of a node: all else than letters and digits is `_`, `aB` is `a_b`.

    Source: kube-state-metrics v2.20.0, `labelName` of `internal/store/utils.go`, read 2026-11-23.
    """
    plain = re.sub(r"[^a-zA-Z0-9_]", "_", key)
    return "label_" + re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", plain).lower()


def resource_label(name: str) -> str:
    """The name by which kube-state-metrics knows a resource, such as `nvidia_com_gpu`."""
    return "".join(character if character.isalnum() else "_" for character in name)


def _metric(name: str, row: dict[str, object]) -> Metric:
    exporter = Exporter(str(row["exporter"]))
    facts = exporters()[exporter]
    own = row.get("labels", ())
    assert isinstance(own, list | tuple)
    return Metric(
        name,
        exporter,
        str(row["kind"]),
        str(row["unit"]),
        str(row["means"]),
        str(row.get("doesNotMean", "")),
        str(row["scope"]) if "scope" in row else None,
        frozenset((*facts.labels, *facts.target_labels, *map(str, own))),
    )
