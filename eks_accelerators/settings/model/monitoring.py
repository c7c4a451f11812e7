"""Metrics of the accelerators, the Prometheus that reads them, alerts and dashboards."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field, StringConstraints

from eks_accelerators.settings.model.alerts import AlertReceiver, AlertsSettings
from eks_accelerators.settings.model.base import Model
from eks_accelerators.settings.model.node_groups import LabelValue, TolerationSettings
from eks_accelerators.settings.model.storage import StorageClassName


class PrometheusKind(StrEnum):
    """Which Prometheus reads the metrics."""

    STACK = "stack"
    EXISTING = "existing"
    AMP = "amp"
    NONE = "none"


class DcgmExporterSettings(Model):
    """NVIDIA DCGM exporter."""

    enabled: bool = True
    """Install the exporter where a node group has NVIDIA GPUs."""
    tolerations: tuple[TolerationSettings, ...] | None = None
    """Tolerations of its own; by default those of the node groups' taints."""


class NeuronMonitorSettings(Model):
    """AWS's neuron-monitor."""

    enabled: bool = True
    """Install it where a node group has Neuron devices and a Prometheus reads the metrics."""
    tolerations: tuple[TolerationSettings, ...] | None = None
    """Tolerations of its own; by default those of the node groups' taints."""


class PrometheusStorage(Model):
    """The volume of Prometheus."""

    size_gib: Annotated[int, Field(ge=1, le=16384)] = 50
    """Size in GiB."""
    storage_class: StorageClassName = "gp3"
    """StorageClass of the volume; `gp3` is there with EBS's driver."""


class Monitoring(Model):
    """Metrics of the accelerators, the Prometheus that reads them, alerts and dashboards."""

    prometheus: PrometheusKind = PrometheusKind.NONE
    """Which Prometheus reads the metrics: `stack` installs kube-prometheus-stack, `existing` is one of the Prometheus
    Operator that is in the cluster, `amp` makes a workspace of Amazon Managed Service for Prometheus, `none` is none."""
    prometheus_address: Annotated[str, StringConstraints(pattern=r"^https?://[^\s/?#@]+(/[^\s?#]*)?$")] | None = None
    """Where an `existing` Prometheus answers queries, such as `http://prometheus.monitoring.svc:9090`: autoscalers ask it."""
    object_labels: dict[str, LabelValue] = {}
    """Labels by which an `existing` Prometheus selects ServiceMonitors, PodMonitors and PrometheusRules, such as
    `release: kube-prometheus-stack`."""
    storage: PrometheusStorage = PrometheusStorage()
    """Volume of the Prometheus of the `stack`."""
    retention_days: Annotated[int, Field(ge=1, le=1095)] | None = None
    """Days that metrics are kept; by default 10 in the `stack` and 150 in `amp`."""
    alerts: AlertsSettings = AlertsSettings()
    """Alerts, and who is told."""
    dashboards: bool = False
    """Deploy dashboards for Grafana."""
    dcgm_exporter: DcgmExporterSettings = DcgmExporterSettings()
    """NVIDIA DCGM exporter."""
    neuron_monitor: NeuronMonitorSettings = NeuronMonitorSettings()
    """AWS's neuron-monitor."""
    cloud_watch: bool = False
    """Install the add-on `amazon-cloudwatch-observability`: Container Insights and logs of containers."""
    cloud_watch_exporters: bool = False
    """Let that add-on run a DCGM exporter and a neuron-monitor of its own, for metrics of accelerators in CloudWatch. A node has
    one of each: switch `dcgmExporter` and `neuronMonitor` off then."""

    @property
    def has_operator(self) -> bool:
        """Whether the Prometheus Operator is in the cluster, whose objects say what is scraped."""
        return self.prometheus in (PrometheusKind.STACK, PrometheusKind.EXISTING)

    @property
    def told_by_alertmanager(self) -> AlertReceiver | None:
        """Who is told by an Alertmanager that runs in the cluster and is the stack's; Amazon's own is not in the VPC."""
        return self.alerts.receiver if self.prometheus is PrometheusKind.STACK and self.alerts.enabled else None

    @property
    def config_secrets(self) -> tuple[str, ...]:
        """Names of the Pulumi secrets that it reads: that of Slack's webhook."""
        slack = self.alerts.receiver and self.alerts.receiver.slack
        return (slack.webhook.config_secret,) if slack else ()
