"""Who tells Kubernetes of the NVIDIA GPUs of a node. Each node has exactly one, and is labelled for it.

Sources: NVIDIA k8s-device-plugin v0.20.0 (label of the configuration), NVIDIA gpu-operator v26.7.0 (the label that
keeps its operands off a node), NVIDIA DRA driver 0.4.1 (it refuses to share a node with the device plugin), Amazon EKS
User Guide `ml-eks-k8s-device-plugin` (Bottlerocket runs a plugin of its own); read 2026-11-21.
"""

from enum import StrEnum

from eks_accelerators.accelerators import ami, device_plugin, scheduling
from eks_accelerators.accelerators.instance_types import InstanceType
from eks_accelerators.accelerators.mig import manager as mig_manager
from eks_accelerators.accelerators.sharing import Sharing
from eks_accelerators.settings.model.nvidia import NvidiaStack


class GpuServer(StrEnum):
    """Who serves the GPUs of a node."""

    DEVICE_PLUGIN = "devicePlugin"
    """The Helm chart of the device plugin."""
    GPU_OPERATOR = "gpuOperator"
    """The device plugin of the GPU Operator."""
    DRA_DRIVER = "draDriver"
    """The driver for Dynamic Resource Allocation."""
    NODE_IMAGE = "image"
    """The plugin that is part of the machine image."""


def server_of(
    kind: InstanceType, ami_type: str, stack: NvidiaStack, *, dynamic_resource_allocation: bool
) -> GpuServer | None:
    """Who serves the GPUs of such a node; None where it has none of NVIDIA's."""
    if not kind.has_nvidia_gpu:
        return None
    if ami.runs_nvidia_device_plugin(ami_type):
        return GpuServer.NODE_IMAGE
    if dynamic_resource_allocation:
        return GpuServer.DRA_DRIVER
    return GpuServer.GPU_OPERATOR if stack is NvidiaStack.OPERATOR else GpuServer.DEVICE_PLUGIN


def labels_of(kind: InstanceType, server: GpuServer | None, sharing: Sharing) -> dict[str, str]:
    """The node labels by which the one server finds the node, and the others leave it alone.

    A node of another server is closed to the GPU Operator also where none is installed: it may come later, and a node goes
    from one to the other when its labels change, whatever is installed or removed before or after. GPUs that MIG could
    divide and does not are said to be whole: the mig-manager does nothing without a name.
    """
    labels = {}
    if server in (GpuServer.DEVICE_PLUGIN, GpuServer.GPU_OPERATOR):
        labels[scheduling.DEVICE_PLUGIN_CONFIG_LABEL] = device_plugin.config_key(sharing)
    if server is GpuServer.GPU_OPERATOR and kind.mig_capable:
        layouts = sharing.mig.as_written if sharing.mig else ()
        labels[mig_manager.CONFIG_LABEL] = mig_manager.configuration_name(layouts)
    if server is GpuServer.DRA_DRIVER:
        labels[scheduling.DRA_LABEL] = "true"
    if server not in (GpuServer.GPU_OPERATOR, None):
        labels |= scheduling.CLOSED_TO_OPERATOR
    return labels
