"""Dashboards as ConfigMaps, which the sidecar of Grafana's chart looks for in all namespaces."""

from collections.abc import Iterable
from dataclasses import dataclass

from eks_accelerators.monitoring.dashboards import Dashboard

LABELS = {"grafana_dashboard": "1"}
"""What the sidecar looks for. Source: kube-prometheus-stack 88.5.3, `grafana.sidecar.dashboards`, read 2026-11-22."""

MOST_BYTES = 1024 * 1024
"""What a ConfigMap may hold. Source: Kubernetes documentation 1.36, concepts/configuration/configmap, read 2026-11-22."""


class DashboardTooLargeError(ValueError):
    """A dashboard that does not fit into a ConfigMap."""


@dataclass(frozen=True, slots=True)
class DashboardConfigMap:
    """A ConfigMap: its name, labels, and one file."""

    name: str
    labels: dict[str, str]
    data: dict[str, str]


def config_maps(dashboards: Iterable[Dashboard]) -> tuple[DashboardConfigMap, ...]:
    """One ConfigMap for each dashboard. Raises `DashboardTooLargeError` for one above 1 MiB."""
    return tuple(map(_config_map, dashboards))


def _config_map(dashboard: Dashboard) -> DashboardConfigMap:
    size = len(dashboard.json.encode())
    if size > MOST_BYTES:
        raise DashboardTooLargeError(f"{dashboard.name} has {size} bytes; a ConfigMap holds {MOST_BYTES}")
    return DashboardConfigMap(dashboard.name, dict(LABELS), {f"{dashboard.name}.json": dashboard.json})
