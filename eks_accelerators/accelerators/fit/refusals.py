"""Why an instance type serves a model in no way at all."""

from eks_accelerators.accelerators import model_memory, neuron
from eks_accelerators.accelerators.fit.candidates import ServerNeeds
from eks_accelerators.accelerators.fit.neuron_candidates import memory_of
from eks_accelerators.accelerators.instance_types import InstanceType
from eks_accelerators.accelerators.node_capacity import headroom_for_workloads
from eks_accelerators.accelerators.sharing import device_memory_mib


def not_considered(kind: InstanceType, region: str, model: str | None = None) -> str | None:
    """Why an instance type is left out, whatever the model needs; None where it is not.

    ``model`` is its name; None where that is not known.
    """
    if not kind.has_nvidia_gpu:
        family = neuron.family_of(kind)
        if family is None or model is None or not neuron.lists(family.plugin, model):
            return f"{kind.accelerator.name}: no NVIDIA GPU, and its plugin does not list the model"
    if kind.accelerator.memory_mib is None:
        return f"{kind.accelerator.name}: its memory is not known"
    if kind.offered_regions and region not in kind.offered_regions:
        return f"was not offered in {region}, but in {', '.join(kind.offered_regions)}"
    return None


def refusal(server: ServerNeeds, kind: InstanceType) -> str:
    """What is missing where no way to share gives a server."""
    if kind.neuron:
        return _of_neuron(server, kind)
    memory, count = device_memory_mib(kind), kind.accelerator.count
    sizes = [size for size in range(1, count + 1) if server.shape.splits_over(size)]
    needs = [(server.need(size).total_gib, size) for size in sizes]
    usable = model_memory.usable_gib(memory or 0)
    if not any(total <= usable for total, _ in needs):
        total, size = min(needs)
        over = f" on each of {size}" if size > 1 else ""
        return f"needs {total:.2f} GiB{over}; {kind.accelerator.name} has {usable:.2f} GiB to give"
    return _of_node(server, kind)


def _of_neuron(server: ServerNeeds, kind: InstanceType) -> str:
    memory = memory_of(server, kind, kind.accelerator.count)
    if memory is None or memory.fits:
        return _of_node(server, kind)
    return f"with all {kind.accelerator.count} devices: {memory.arithmetic}"


def _of_node(server: ServerNeeds, kind: InstanceType) -> str:
    headroom = headroom_for_workloads(kind).holds(server.millicores, server.memory_mib)
    short = min(headroom, key=lambda name: headroom[name])
    return f"the node has too little {short} for one pod"
