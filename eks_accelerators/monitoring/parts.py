"""How much of a node one unit of what it advertises is, so that whole GPUs, shares and MIG instances can be added up."""

from eks_accelerators.accelerators.sharing import NEURON_CORE
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup


def parts_of_node(group: ResolvedNodeGroup) -> dict[str, float]:
    """The part by resource: all units of a node together are 1. Empty of GPUs that pods claim: they are no resource.

    Instances count by their memory. Neuron devices and cores are two names of the same: each alone makes up a node.
    """
    if group.is_claimed:
        return {}
    sizes = {share.resource: share.gib or 1.0 for share in group.shares}
    whole = sum(sizes[share.resource] * share.count for share in group.shares)
    parts = {resource: size / whole for resource, size in sizes.items()}
    if cores := group.resources.get(NEURON_CORE):
        parts[NEURON_CORE] = 1 / cores
    return parts
