"""Every alert, by what it is about."""

from eks_accelerators.monitoring.alerts import (
    capacity_blocks,
    gpu_faults,
    gpu_speed,
    idle_accelerators,
    missing_accelerators,
    neuron,
    pods,
    scaling,
    servers,
)
from eks_accelerators.monitoring.alerts.alert import Alert, AlertSeverity, Concern

GROUPS: dict[str, tuple[Alert, ...]] = {
    "gpu-faults": gpu_faults.ALERTS,
    "gpu-speed": gpu_speed.ALERTS,
    "neuron": neuron.ALERTS,
    "missing": missing_accelerators.ALERTS,
    "pods": pods.ALERTS,
    "servers": servers.ALERTS,
    "capacity-blocks": capacity_blocks.ALERTS,
    "scaling": scaling.ALERTS,
    "unused": idle_accelerators.ALERTS,
}
"""Alerts by the group of rules that they are deployed in."""

ALERTS: dict[str, Alert] = {alert.name: alert for alerts in GROUPS.values() for alert in alerts}
"""Every alert, by its name."""

__all__ = ["ALERTS", "GROUPS", "Alert", "AlertSeverity", "Concern"]
