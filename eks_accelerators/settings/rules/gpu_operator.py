"""Rules about the NVIDIA GPU Operator."""

from collections.abc import Iterator

from eks_accelerators.accelerators import gpus
from eks_accelerators.settings.gpu_servers import GpuServer
from eks_accelerators.settings.model.nvidia import NvidiaStack
from eks_accelerators.settings.problems import Severity
from eks_accelerators.settings.rules.registry import Context, RuleFinding, rule


@rule("gpu-operator-unused", Severity.WARNING)
def gpu_operator_unused(context: Context) -> Iterator[RuleFinding]:
    """The GPU Operator is installed where it serves a node group, and it serves none of Bottlerocket's.

    Nor does it serve groups whose pods claim GPUs by Dynamic Resource Allocation, nor groups without NVIDIA GPUs.
    Source: Amazon EKS User Guide `ml-eks-k8s-device-plugin`: Bottlerocket runs a plugin of its own, and two on a node
    register the same resource.
    """
    wanted = context.settings.nvidia.stack is NvidiaStack.OPERATOR
    if wanted and not any(group.served_by is GpuServer.GPU_OPERATOR for group in context.resolved.values()):
        yield RuleFinding(
            "nvidia.stack",
            "no node group is served by the GPU Operator, so it is not installed",
            "operator",
            "a group with NVIDIA GPUs on AL2023, without dynamicResourceAllocation",
            "remove it, or change the image of a group",
        )


@rule("gpu-operator-mig-reboot", Severity.WARNING)
def gpu_operator_mig_reboot(context: Context) -> Iterator[RuleFinding]:
    """On A100 a change of MIG mode needs a GPU reset; where that fails, mig-manager reboots the node.

    It ends no pods before. Later GPUs change on demand. Source: NVIDIA MIG User Guide (modes and resets), gpu-operator
    v26.7.0 `migManager.env` `WITH_REBOOT`; with the single charts the mode is set at boot, before the kubelet.
    """
    for name, group in context.resolved.items():
        by_operator = group.sharing.mig and group.served_by is GpuServer.GPU_OPERATOR
        if by_operator and gpus.compute_capability(group.type.accelerator.name) == "8.0":
            yield RuleFinding(
                f"nodeGroups.{name}.sharing.mig",
                f"each new node of {group.type.name}, and each change of its MIG mode, may cost a reboot of the node",
                "a layout, on the GPU Operator",
                "whole GPUs, or a GPU that changes its mode without a reset",
                "expect minutes more until a node is ready, or set nvidia.stack: charts",
            )


@rule("gpu-operator-mig-single", Severity.WARNING)
def gpu_operator_mig_single(context: Context) -> Iterator[RuleFinding]:
    """A new node offers whole GPUs as `nvidia.com/gpu` until mig-manager has divided them.

    Under `single` a pod that asks for an instance asks for that name, gets a whole GPU, and mig-manager cannot divide a
    GPU that is in use. Under `mixed` instances have names of their own. Source: NVIDIA/gpu-operator issue 2670.
    """
    for name, group in context.resolved.items():
        divided = group.sharing.mig
        if divided and divided.strategy == "single" and group.served_by is GpuServer.GPU_OPERATOR:
            yield RuleFinding(
                f"nodeGroups.{name}.sharing.mig.strategy",
                f"a pod may get a whole GPU of a new node of {name}, and the GPU then stays whole",
                "single",
                "mixed",
                "set strategy: mixed, or nvidia.stack: charts",
            )
