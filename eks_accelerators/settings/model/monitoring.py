"""Metrics of the accelerators."""

from eks_accelerators.settings.model.base import Model
from eks_accelerators.settings.model.node_groups import TolerationSettings


class DcgmExporterSettings(Model):
    """NVIDIA DCGM exporter."""

    enabled: bool = True
    """Install the exporter where a node group has NVIDIA GPUs."""
    tolerations: tuple[TolerationSettings, ...] | None = None
    """Tolerations of its own; by default those of the node groups' taints."""


class Monitoring(Model):
    """Metrics of the accelerators."""

    dcgm_exporter: DcgmExporterSettings = DcgmExporterSettings()
    """NVIDIA DCGM exporter."""
    prometheus_operator: bool = False
    """Whether the Prometheus Operator is in the cluster; without it a ServiceMonitor cannot be created."""
    service_monitor_labels: dict[str, str] = {}
    """Labels by which Prometheus selects ServiceMonitors, such as `release: kube-prometheus-stack`."""
