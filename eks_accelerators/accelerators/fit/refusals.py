"""Why an instance type serves a model in no way at all."""

from eks_accelerators.accelerators import model_memory
from eks_accelerators.accelerators.fit.candidates import ServerNeeds
from eks_accelerators.accelerators.instance_types import InstanceType
from eks_accelerators.accelerators.node_capacity import headroom_for_workloads


def not_considered(kind: InstanceType, region: str) -> str | None:
    """Why an instance type is left out, whatever the model; None where it is not."""
    if not kind.has_nvidia_gpu:
        return f"{kind.accelerator.name}: no NVIDIA GPU"
    if kind.accelerator.memory_mib is None:
        return f"{kind.accelerator.name}: its memory is not known"
    if kind.offered_regions and region not in kind.offered_regions:
        return f"was not offered in {region}, but in {', '.join(kind.offered_regions)}"
    return None


def refusal(server: ServerNeeds, kind: InstanceType) -> str:
    """What is missing where no way to share gives a server."""
    memory, count = kind.accelerator.memory_mib, kind.accelerator.count
    sizes = [size for size in range(1, count + 1) if server.shape.splits_over(size)]
    needs = [(server.need(size).total_gib, size) for size in sizes]
    usable = model_memory.usable_gib(memory or 0)
    if not any(total <= usable for total, _ in needs):
        total, size = min(needs)
        over = f" on each of {size}" if size > 1 else ""
        return f"needs {total:.2f} GiB{over}; {kind.accelerator.name} has {usable:.2f} GiB to give"
    headroom = headroom_for_workloads(kind).holds(server.millicores, server.memory_mib)
    short = min(headroom, key=lambda name: headroom[name])
    return f"the node has too little {short} for one pod"
