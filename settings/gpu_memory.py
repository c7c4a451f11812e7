"""GPU memory that workloads ask for, where their node group leaves the number of shares to them.

Kubernetes counts devices and knows nothing of their memory: what a pod wants becomes a number of shares.
"""

from settings.model import Settings
from settings.model.node_groups import AcceleratorNodeGroup, SharingStrategy

_IN_SHARES = (SharingStrategy.TIME_SLICING, SharingStrategy.MPS)


def most_demanding(settings: Settings, group_name: str) -> tuple[str, float] | None:
    """The workload on ``group_name`` that asks for most GPU memory for a pod, and its GiB; None where none asks."""
    asked = [
        (name, workload.gpu_memory_gib)
        for name, workload in settings.workloads.vllm.items()
        if workload.node_group == group_name and workload.gpu_memory_gib
    ]
    return max(asked, key=lambda each: each[1], default=None)


def sized_by_workloads(settings: Settings, group_name: str) -> bool:
    """Whether the shares of ``group_name`` follow from what its workloads ask for."""
    sharing = settings.node_groups[group_name].sharing
    written = sharing.replicas is not None or sharing.memory_gib is not None
    return sharing.strategy in _IN_SHARES and not written and most_demanding(settings, group_name) is not None


def sized_group(settings: Settings, group_name: str) -> AcceleratorNodeGroup:
    """The settings of ``group_name``, with `sharing.memoryGib` where that follows from its workloads."""
    group = settings.node_groups[group_name]
    asked = most_demanding(settings, group_name)
    if asked is None or not sized_by_workloads(settings, group_name):
        return group
    return group.model_copy(update={"sharing": group.sharing.model_copy(update={"memory_gib": asked[1]})})


def memory_path(settings: Settings, group_name: str) -> str:
    """The property path where the memory of a share of ``group_name`` is written."""
    asked = most_demanding(settings, group_name)
    if asked and sized_by_workloads(settings, group_name):
        return f"workloads.vllm.{asked[0]}.gpuMemoryGib"
    return f"nodeGroups.{group_name}.sharing.memoryGib"
