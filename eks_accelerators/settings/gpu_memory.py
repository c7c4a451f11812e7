"""GPU memory that workloads ask for, where their node group leaves the number of shares to them.

Kubernetes counts devices and knows nothing of their memory: what a pod wants becomes a number of shares.
"""

from eks_accelerators.settings.model import Settings
from eks_accelerators.settings.model.node_groups import AcceleratorNodeGroupSettings, SharingStrategy

_IN_SHARES = (SharingStrategy.TIME_SLICING, SharingStrategy.MPS)


def sized_group(settings: Settings, group_name: str) -> AcceleratorNodeGroupSettings:
    """The settings of ``group_name``, with `sharing.memoryGib` where that follows from its workloads."""
    group, sized_by = settings.node_groups[group_name], _sized_by(settings, group_name)
    if sized_by is None:
        return group
    return group.model_copy(update={"sharing": group.sharing.model_copy(update={"memory_gib": sized_by[1]})})


def memory_path(settings: Settings, group_name: str) -> str:
    """The property path where the memory of a share of ``group_name`` is written."""
    sized_by = _sized_by(settings, group_name)
    return f"{sized_by[0]}.gpuMemoryGib" if sized_by else f"nodeGroups.{group_name}.sharing.memoryGib"


def _sized_by(settings: Settings, group_name: str) -> tuple[str, float] | None:
    """The path of the workload that the shares of ``group_name`` follow from, the one that asks for most memory for a pod,
    and its GiB.

    None where the sharing is written, or no workload asks.
    """
    sharing = settings.node_groups[group_name].sharing
    if sharing.strategy not in _IN_SHARES or sharing.replicas is not None or sharing.memory_gib is not None:
        return None
    asked = [
        (f"workloads.{kind}.{name}", workload.wanted_gpu_memory_gib)
        for kind, name, workload in settings.workloads.each()
        if workload.node_group == group_name and workload.wanted_gpu_memory_gib
    ]
    return max(asked, key=lambda each: each[1], default=None)
