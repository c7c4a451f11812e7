"""What one server takes that spans nodes, in words."""

from eks_accelerators.accelerators.efa import efa_count
from eks_accelerators.accelerators.number_of import number_of
from eks_accelerators.accelerators.sharing import EFA_DEVICE
from eks_accelerators.settings.model.workload import Workload
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup


def words_of(workload: Workload, group: ResolvedNodeGroup) -> str:
    """GPUs, how the model is divided among them, and EFA, beside what a node has."""
    each, nodes, interfaces = (
        workload.accelerators,
        workload.pods_per_replica,
        workload.other_devices.get(EFA_DEVICE, 0),
    )
    network = f"{interfaces} of {efa_count(group.interfaces)} EFA" if interfaces else "TCP"
    return (
        f"{nodes} x {number_of(each, 'GPU')} = {nodes * each} per server, tensor parallel {each} x pipeline parallel {nodes}; "
        f"{each} of {group.share_of(workload.resource_name).count} per node, {network}"
    )
