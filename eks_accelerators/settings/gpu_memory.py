"""GPU memory that workloads ask for, where their node group leaves the number of shares to them.

Kubernetes counts devices and knows nothing of their memory: what a pod wants becomes a number of shares.
"""

from eks_accelerators.accelerators.sharing import Share
from eks_accelerators.settings.model import Settings
from eks_accelerators.settings.model.node_groups import AcceleratorNodeGroupSettings, SharingStrategy
from eks_accelerators.settings.model.workload import Workload

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


def memory_of_pod(workload: Workload, taken_gib: float | None) -> float | None:
    """GiB that a pod takes of each of its GPUs: what is calculated, ``taken_gib``, or else what it asks for; None where nobody knows.

    A server of a language model takes all that it finds: what it asks for says nothing of that.
    """
    if taken_gib is not None or workload.language_model:
        return taken_gib
    return workload.wanted_gpu_memory_gib


def wanted_memory_words(workload: Workload, share: Share, taken_gib: float | None) -> str | None:
    """The memory that a pod asks for, with what it takes where that is another, and its share; None where it asks for none."""
    if workload.wanted_gpu_memory_gib is None:
        return None
    words = f"{workload.wanted_gpu_memory_gib:.2f} GiB per server by gpuMemoryGib"
    if taken_gib is not None:
        words += f", which takes {taken_gib:.2f} GiB"
    if share.gib is None:
        return f"{words}; the GPU's memory is not known"
    return f"{words}, of {share.gib:.2f} GiB{' per share' if share.sharers > 1 else ''}"


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
