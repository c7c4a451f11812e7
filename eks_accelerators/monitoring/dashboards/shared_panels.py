"""Panels that several dashboards have."""

from collections.abc import Collection

from eks_accelerators.monitoring.alerts import GROUPS
from eks_accelerators.monitoring.alerts.alert import Concern
from eks_accelerators.monitoring.alerts.concerns import ACCELERATORS
from eks_accelerators.monitoring.dashboards.plan import DashboardPanel, PanelKind, Query

NVLINK_UNIT = 1000 * 1024
"""Bytes of one unit of `DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL`: NVML's KiB a second, divided by 1000.

Source: NVIDIA/DCGM v4.5.3, `DcgmCacheManager::ReadAndCacheNvLinkBandwidth`; read 2026-11-23.
"""

_LABELS = {
    "alertname": "Alert",
    "severity": "Severity",
    "node": "Node",
    "gpu": "GPU",
    "namespace": "Namespace",
    "pod": "Pod",
}


def names_of(*groups: str) -> tuple[str, ...]:
    """The alerts of some groups of rules."""
    return tuple(alert.name for group in groups for alert in GROUPS[group])


def firing(names: Collection[str], where: str = "", concern: Concern = ACCELERATORS) -> DashboardPanel:
    """A table of those of the alerts ``names`` that fire; ``where`` are more matchers."""
    chosen = ", ".join(filter(None, ['alertstate="firing"', f'alertname=~"{"|".join(names)}"', where]))
    return DashboardPanel(
        "Alerts that fire",
        PanelKind.TABLE,
        "What fires now. Each alert has a page that says what to do. What is silenced is here too.",
        (Query(f"max by ({', '.join(_LABELS)}) (ALERTS{{{chosen}}})"),),
        columns=_LABELS,
        concern=concern,
        width=24,
        height=6,
    )
