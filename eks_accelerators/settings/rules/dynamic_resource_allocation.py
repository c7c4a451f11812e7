"""Rules about Dynamic Resource Allocation: GPUs that pods claim."""

from collections.abc import Iterator

from eks_accelerators.accelerators import ami, kubernetes_versions
from eks_accelerators.accelerators.instance_types import InstanceType
from eks_accelerators.accelerators.sharing import NVIDIA_GPU
from eks_accelerators.settings.model.node_groups import AcceleratorNodeGroupSettings, CapacityType, SharingStrategy
from eks_accelerators.settings.problems import Severity
from eks_accelerators.settings.rules.registry import Context, RuleFinding, rule

_KEY = "dynamicResourceAllocation"
_SINCE = "1.34"
"""The first Kubernetes version with `resource.k8s.io/v1`."""
_EXTENDED_RESOURCES_SINCE = "1.36"
"""The first whose feature gate DRAExtendedResource is on by default: kube-scheduler 1.36.3 `--help`."""
_DRIVER = "565"
"""The oldest NVIDIA driver that the DRA driver works with."""


def _claimed(context: Context) -> Iterator[tuple[str, AcceleratorNodeGroupSettings, InstanceType]]:
    return (found for found in context.groups if found[1].dynamic_resource_allocation)


@rule("claimed-kubernetes-version")
def claimed_kubernetes_version(context: Context) -> Iterator[RuleFinding]:
    """Dynamic Resource Allocation needs Kubernetes 1.34, the first version that serves `resource.k8s.io/v1`.

    Source: Kubernetes documentation, Dynamic Resource Allocation; Amazon EKS User Guide `device-management`.
    """
    version = context.settings.cluster.kubernetes_version
    if kubernetes_versions.at_least(version, _SINCE):
        return
    for path, _, _ in _claimed(context):
        yield RuleFinding(
            f"{path}.{_KEY}",
            f"Kubernetes {version} does not serve resource.k8s.io/v1",
            version,
            f"{_SINCE} or newer",
            f"set cluster.kubernetesVersion to {kubernetes_versions.default()}, or remove {_KEY}",
        )


@rule("claimed-not-nvidia")
def claimed_not_nvidia(context: Context) -> Iterator[RuleFinding]:
    """Dynamic Resource Allocation is for NVIDIA GPUs here: the driver that is installed serves no others.

    Source: NVIDIA DRA driver 0.4.1.
    """
    for path, _, kind in _claimed(context):
        if not kind.has_nvidia_gpu:
            yield RuleFinding(
                f"{path}.{_KEY}",
                f"{kind.name} has no NVIDIA GPUs",
                kind.accelerator.name,
                "NVIDIA GPUs",
                f"remove {_KEY}",
            )


@rule("claimed-shared")
def claimed_shared(context: Context) -> Iterator[RuleFinding]:
    """GPUs that pods claim are whole: `sharing.strategy` is `exclusive`.

    Source: NVIDIA DRA driver 0.4.1: time-slicing, MPS and dynamic MIG are alpha gates, off by default; Amazon EKS
    User Guide `device-management`: the device plugin for MIG and time-slicing.
    """
    for path, group, _ in _claimed(context):
        if group.sharing.strategy is not SharingStrategy.EXCLUSIVE:
            yield RuleFinding(
                f"{path}.sharing.strategy",
                f"the DRA driver hands out whole GPUs, and the device plugin, which does {group.sharing.strategy.value}, "
                "is not on these nodes",
                group.sharing.strategy.value,
                SharingStrategy.EXCLUSIVE.value,
                f"use strategy: exclusive, or remove {_KEY}",
            )


@rule("claimed-beside-image-plugin")
def claimed_beside_image_plugin(context: Context) -> Iterator[RuleFinding]:
    """Claimed GPUs are on no Bottlerocket node: its image runs the device plugin, and both would hand out the same GPUs.

    Source: Amazon EKS User Guide `ml-eks-k8s-device-plugin`; NVIDIA DRA driver 0.4.1: never beside the device plugin.
    """
    for path, group, _ in _claimed(context):
        if group.ami.type and ami.runs_nvidia_device_plugin(group.ami.type):
            yield RuleFinding(
                f"{path}.ami.type",
                "the image runs the NVIDIA device plugin, which hands out the same GPUs",
                group.ami.type,
                "AL2023_x86_64_NVIDIA, AL2023_ARM_64_NVIDIA or an image of one's own",
                f"leave ami.type out, or remove {_KEY}",
            )


@rule("claimed-driver-unknown", Severity.WARNING)
def claimed_driver_unknown(context: Context) -> Iterator[RuleFinding]:
    """An image of one's own has NVIDIA driver 565 or newer, and containerd with the Container Device Interface.

    Source: NVIDIA DRA driver, prerequisites. The AL2023 NVIDIA images have driver 580.
    """
    for path, group, _ in _claimed(context):
        if group.ami.image_id:
            yield RuleFinding(
                f"{path}.ami.imageId",
                "what driver the image has is not known here",
                group.ami.image_id,
                f"driver {_DRIVER} or newer, and containerd 2",
                "check with nvidia-smi on a node of it",
            )


@rule("claimed-from-zero", Severity.WARNING)
def claimed_from_zero(context: Context) -> Iterator[RuleFinding]:
    """A group whose GPUs are claimed has a node, or somebody who starts one: Cluster Autoscaler cannot know that it should.

    Devices are known from the ResourceSlices of nodes that are there; the tags from which it learns what a node of an
    empty group has speak of extended resources. Source: kubernetes/autoscaler
    `cluster-autoscaler/cloudprovider/aws/README.md`; Kubernetes documentation, ResourceSlice.
    """
    for path, group, _ in _claimed(context):
        if group.size.desired == 0 and group.bought_as is not CapacityType.CAPACITY_BLOCK:
            yield RuleFinding(
                f"{path}.size.desired",
                "pods that claim a GPU wait: no tag says what an empty group has, and Cluster Autoscaler leaves it empty",
                "0",
                "1 or more",
                "set size.desired and size.min to 1, or start the first node by hand or by scheduledScaling",
            )


@rule("claimed-by-extended-resource", Severity.WARNING)
def claimed_by_extended_resource(context: Context) -> Iterator[RuleFinding]:
    """From Kubernetes 1.36, a pod that asks for `nvidia.com/gpu` may also get a GPU of a group whose GPUs are claimed.

    The driver's device class says `extendedResourceName: nvidia.com/gpu`, and the scheduler then makes the claim
    itself. Where another group advertises `nvidia.com/gpu`, only a node selector says which of the two it is. Source:
    NVIDIA DRA driver `deviceclass-gpu.yaml`; kube-scheduler 1.36.3: DRAExtendedResource is on by default.
    """
    if not kubernetes_versions.at_least(context.settings.cluster.kubernetes_version, _EXTENDED_RESOURCES_SINCE):
        return
    others = [group.name for group in context.resolved.values() if NVIDIA_GPU in group.resources]
    for path, _, kind in _claimed(context):
        if others and kind.has_nvidia_gpu:
            yield RuleFinding(
                f"{path}.{_KEY}",
                f"pods that ask for {NVIDIA_GPU} may run here as well as on {', '.join(others)}",
                f"Kubernetes {context.settings.cluster.kubernetes_version}",
                "pods with a node selector",
                "select eks-accelerators/node-group in pods of your own; workloads of the stack do",
            )
