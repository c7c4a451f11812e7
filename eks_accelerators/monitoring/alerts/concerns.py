"""The kinds of stack that alerts are for."""

from collections.abc import Callable

from eks_accelerators.accelerators import gpus
from eks_accelerators.monitoring.alerts.alert import Concern
from eks_accelerators.monitoring.vllm_servers import vllm_servers
from eks_accelerators.settings.model.node_autoscaling import NodeAutoscaler
from eks_accelerators.settings.model.node_groups import CapacityType
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup
from eks_accelerators.settings.resolved_stack import ResolvedStack


def _of_groups(holds: Callable[[ResolvedNodeGroup], bool]) -> Callable[[ResolvedStack], bool]:
    """Whether it holds of any accelerator node group."""
    return lambda stack: any(holds(group) for group in stack.groups.values())


def _is_nvidia(group: ResolvedNodeGroup) -> bool:
    return group.type.has_nvidia_gpu


ACCELERATORS = Concern("accelerators", lambda stack: bool(stack.groups))
NVIDIA = Concern("NVIDIA GPUs", _of_groups(_is_nvidia))
ALONE = Concern(
    "NVIDIA GPUs or MIG instances that a pod has to itself",
    _of_groups(lambda group: _is_nvidia(group) and group.sharing.replicas == 1),
)
SHARED = Concern(
    "NVIDIA GPUs or MIG instances whose memory pods share",  # MPS gives each client a part of its own
    _of_groups(lambda group: _is_nvidia(group) and group.sharing.replicas > 1 and group.sharing.strategy != "mps"),
)
UNDIVIDED = Concern(
    "NVIDIA GPUs without MIG", _of_groups(lambda group: _is_nvidia(group) and group.sharing.mig is None)
)
DIVIDED = Concern("MIG", _of_groups(lambda group: _is_nvidia(group) and group.sharing.mig is not None))
LINKED = Concern(
    "NVIDIA GPUs that NVLink connects",
    _of_groups(lambda group: gpus.are_linked(group.type.accelerator.name, group.type.accelerator.count)),
)
NOT_CLAIMED = Concern(
    "accelerators that pods ask for by a resource's name", _of_groups(lambda group: not group.is_claimed)
)
NEURON = Concern("Neuron devices", _of_groups(lambda group: not _is_nvidia(group)))
EFA = Concern("EFA", _of_groups(lambda group: group.has_efa))
CAPACITY_BLOCKS = Concern(
    "Capacity Blocks", _of_groups(lambda group: group.settings.bought_as is CapacityType.CAPACITY_BLOCK)
)
SCALED_NODES = Concern(
    "node groups of Cluster Autoscaler",
    _of_groups(lambda group: group.settings.autoscaler is NodeAutoscaler.CLUSTER_AUTOSCALER),
)
POOLS = Concern("node groups of Karpenter", _of_groups(lambda group: group.is_karpenters))
SCALED_SERVERS = Concern(
    "servers that follow their load",
    lambda stack: any(server.autoscaling for _, server in stack.settings.workloads.servers()),
)
AUTOSCALED = Concern(
    "an autoscaler", lambda stack: any(each.applies(stack) for each in (SCALED_NODES, POOLS, SCALED_SERVERS))
)
VLLM = Concern("vLLM servers", lambda stack: any(vllm_servers(stack)))
