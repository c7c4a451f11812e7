"""Which plugins a stack needs, and with which arguments: derived from its node groups.

Plain data in the shape of the components' arguments, so that it can be judged without Pulumi.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from eks_accelerators.accelerators import scheduling
from eks_accelerators.accelerators.sharing import EXCLUSIVE, NVIDIA_SHARED_GPU, Sharing, shares
from eks_accelerators.settings.gpu_servers import GpuServer
from eks_accelerators.settings.model import Settings
from eks_accelerators.settings.resolved import ResolvedNodeGroup
from eks_accelerators.settings.tolerations import Toleration, for_groups

Groups = Mapping[str, ResolvedNodeGroup]


def nvidia_plugin(settings: Settings, groups: Groups) -> dict[str, Any] | None:
    """Arguments of the NVIDIA device plugin, or None where no node needs the chart."""
    served = [group for group in groups.values() if group.served_by is GpuServer.DEVICE_PLUGIN]
    plugin = settings.plugins.nvidia_device_plugin
    if not (plugin.enabled and served):
        return None
    return {
        "sharings": _sharings(served),
        "tolerations": list(for_groups(served, plugin.tolerations)),
        "mofed_enabled": plugin.mofed_enabled,
        "node_selector": scheduling.CLOSED_TO_OPERATOR,
    }


def gpu_operator(settings: Settings, groups: Groups) -> dict[str, Any] | None:
    """Arguments of the GPU Operator, or None where it serves no node.

    It has one list of tolerations for all that it deploys on a node. Its node discovery looks at nodes that it leaves
    alone too: the operator writes `nvidia.com/gpu.present: "false"` on a node of which discovery says nothing.
    """
    served = [group for group in groups.values() if group.served_by is GpuServer.GPU_OPERATOR]
    if not served:
        return None
    plugin, exporter = settings.plugins.nvidia_device_plugin, settings.monitoring.dcgm_exporter
    wanted = [own.tolerations for own in (plugin, exporter) if own.enabled] or [None]
    tolerations: list[Toleration] = []
    for own in wanted:
        tolerations += [toleration for toleration in for_groups(served, own) if toleration not in tolerations]
    return {
        "sharings": _sharings(served),
        "tolerations": tolerations,
        "discovery_tolerations": list(for_groups(group for group in groups.values() if group.type.has_nvidia_gpu)),
        "device_plugin": plugin.enabled,
        "mofed_enabled": plugin.mofed_enabled,
        "metrics": exporter.enabled,
        **_measured(settings, served),
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


def dra_driver(settings: Settings, groups: Groups) -> dict[str, Any] | None:
    """Arguments of the driver for Dynamic Resource Allocation, or None where no pod claims GPUs."""
    served = [group for group in groups.values() if group.is_claimed]
    driver = settings.plugins.dra_driver
    if not (driver.enabled and served):
        return None
    return {"tolerations": list(for_groups(served, driver.tolerations))}


def dcgm_exporter(settings: Settings, groups: Groups) -> dict[str, Any] | None:
    """Arguments of the DCGM exporter, or None where no node needs it: the GPU Operator brings its own."""
    return _exporter(settings, [group for group in groups.values() if group.served_by in _COUNTED])


def dcgm_exporter_of_claims(settings: Settings, groups: Groups) -> dict[str, Any] | None:
    """Arguments of the DCGM exporter of nodes whose GPUs pods claim, or None: one that knows of shares sees no claim.

    Its chart has a ConfigMap of a fixed name, so it has a namespace of its own.
    """
    made = _exporter(settings, [group for group in groups.values() if group.is_claimed])
    return made and {**made, "claimed_gpus": True, "namespace": "dcgm-exporter-of-claims"}


_COUNTED = (GpuServer.DEVICE_PLUGIN, GpuServer.NODE_IMAGE)


def _exporter(settings: Settings, served: Sequence[ResolvedNodeGroup]) -> dict[str, Any] | None:
    exporter = settings.monitoring.dcgm_exporter
    if not (exporter.enabled and served):
        return None
    return {
        "tolerations": list(for_groups(served, exporter.tolerations)),
        "node_selector": scheduling.CLOSED_TO_OPERATOR,
        **_measured(settings, served),
    }


def _measured(settings: Settings, served: Sequence[ResolvedNodeGroup]) -> dict[str, Any]:
    """What an exporter of metrics must know of the GPUs that it measures, and of who reads them."""
    monitoring = settings.monitoring
    return {
        "shared_gpus": any(group.sharing.replicas > 1 for group in served),
        "renamed_shares": any(
            share.resource == NVIDIA_SHARED_GPU for group in served for share in shares(group.type, group.sharing)
        ),
        "service_monitor": monitoring.prometheus_operator,
        "service_monitor_labels": dict(monitoring.service_monitor_labels),
    }


def _sharings(served: Sequence[ResolvedNodeGroup]) -> list[dict[str, Any]]:
    """Every kind of sharing among ``served``; that GPUs are whole goes without saying."""
    return [sharing_args(kind) for kind in dict.fromkeys(group.sharing for group in served) if kind != EXCLUSIVE]


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
