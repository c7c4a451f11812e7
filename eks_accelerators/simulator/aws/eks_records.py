"""Finding EKS records, or refusing as EKS does."""

from eks_accelerators.simulator.aws.backend import Backend
from eks_accelerators.simulator.aws.model import ClusterRecord, NodeGroupRecord
from eks_accelerators.simulator.aws.refusals import ApiRefusal

NO_CLUSTER = ApiRefusal("ResourceNotFoundException", "No cluster found for name: {name}.")
NO_NODE_GROUP = ApiRefusal("ResourceNotFoundException", "No node group found for name: {name}.")


def cluster_of(account: Backend, name: str) -> ClusterRecord:
    """The record of the cluster called ``name``. Raises `RefusedError` where there is none."""
    if name not in account.state.clusters:
        raise NO_CLUSTER(name=name)
    return account.state.clusters[name]


def node_group_of(account: Backend, cluster: str, name: str) -> NodeGroupRecord:
    """The record of the node group called ``name``. Raises `RefusedError` where there is none."""
    groups = cluster_of(account, cluster).node_groups
    if name not in groups:
        raise NO_NODE_GROUP(name=name)
    return groups[name]
