"""Which plugins a stack needs, and with which arguments: derived from its node groups.

Plain data in the shape of the components' arguments, so that it can be judged without Pulumi.
"""

from collections.abc import Mapping
from typing import Any

from accelerators.sharing import EXCLUSIVE, Sharing
from settings.gpu_servers import GpuServer
from settings.model import Settings
from settings.resolved import ResolvedNodeGroup
from settings.tolerations import for_groups

Groups = Mapping[str, ResolvedNodeGroup]


def nvidia_plugin(settings: Settings, groups: Groups) -> dict[str, Any] | None:
    """Arguments of the NVIDIA device plugin, or None where no node needs the chart."""
    served = [group for group in groups.values() if group.served_by is GpuServer.DEVICE_PLUGIN]
    plugin = settings.plugins.nvidia_device_plugin
    if not (plugin.enabled and served):
        return None
    return {
        "sharings": [sharing_args(kind) for kind in dict.fromkeys(g.sharing for g in served) if kind != EXCLUSIVE],
        "tolerations": list(for_groups(served, plugin.tolerations)),
        "mofed_enabled": plugin.mofed_enabled,
    }


def neuron_plugin(settings: Settings, groups: Groups) -> dict[str, Any] | None:
    """Arguments of the Neuron device plugin, or None where no node has Neuron devices."""
    served = [group for group in groups.values() if not group.type.has_nvidia_gpu]
    plugin = settings.plugins.neuron_device_plugin
    if not (plugin.enabled and served):
        return None
    return {"tolerations": list(for_groups(served, plugin.tolerations))}


def efa_plugin(settings: Settings, groups: Groups) -> dict[str, Any] | None:
    """Arguments of the EFA device plugin, or None where no node has EFA."""
    served = [group for group in groups.values() if group.has_efa]
    plugin = settings.plugins.efa_device_plugin
    if not (plugin.enabled and served):
        return None
    arguments: dict[str, Any] = {"tolerations": list(for_groups(served, plugin.tolerations))}
    if plugin.image_repository:
        arguments["image_repository"] = plugin.image_repository
    return arguments


def dcgm_exporter(settings: Settings, groups: Groups) -> dict[str, Any] | None:
    """Arguments of the DCGM exporter, or None where no node has NVIDIA GPUs."""
    served = [group for group in groups.values() if group.type.has_nvidia_gpu]
    monitoring, exporter = settings.monitoring, settings.monitoring.dcgm_exporter
    if not (exporter.enabled and served):
        return None
    return {
        "tolerations": list(for_groups(served, exporter.tolerations)),
        "shared_gpus": any(group.sharing.replicas > 1 for group in served),
        "renamed_shares": any(group.sharing.renamed for group in served),
        "service_monitor": monitoring.prometheus_operator,
        "service_monitor_labels": dict(monitoring.service_monitor_labels),
    }


def sharing_args(sharing: Sharing) -> dict[str, Any]:
    """A sharing in the shape of a node group's settings."""
    if sharing == EXCLUSIVE:
        return {"strategy": "exclusive"}
    arguments: dict[str, Any] = {
        "strategy": sharing.strategy,
        "replicas": sharing.replicas if sharing.replicas > 1 else None,
        "rename_by_default": sharing.renamed,
        "fail_requests_greater_than_one": sharing.fail_requests_greater_than_one,
        "allocation_policy": sharing.allocation_policy,
    }
    if sharing.mig:
        layouts = [dict(layout) for layout in sharing.mig.layouts]
        written = {"layout": layouts[0]} if len(layouts) == 1 else {"layouts": layouts}
        arguments["mig"] = {"strategy": sharing.mig.strategy, **written}
        if sharing.replicas == 1:
            return {key: arguments[key] for key in ("strategy", "mig")}
    return {key: value for key, value in arguments.items() if value is not None}
