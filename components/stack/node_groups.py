"""The nodes with accelerators of a stack, and the Capacity Blocks that they are in."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pulumi

from eks_accelerators import components
from eks_accelerators.components.accelerator_node_group import Bootstrap, NodeGroupInputs
from eks_accelerators.components.capacity_block import CapacityBlockInputs
from eks_accelerators.components.capacity_block_purchase import CapacityBlockPurchaseInputs
from eks_accelerators.components.karpenter_node_pool import NodePoolInputs
from eks_accelerators.components.stack.chart_releases import after
from eks_accelerators.components.stack.foundation import Foundation
from eks_accelerators.components.wiring import CapacityBlockRef
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup


@dataclass(frozen=True, slots=True)
class NodeGroups:
    """Managed node groups by name, and when AWS says that Capacity Blocks end: by the block's name, and by the name of the
    group for the one that it uses now.
    """

    by_name: dict[str, components.AcceleratorNodeGroup] = field(default_factory=dict)
    block_ends: dict[str, pulumi.Output[str]] = field(default_factory=dict)
    group_ends: dict[str, pulumi.Output[str]] = field(default_factory=dict)


def add_node_groups(base: Foundation) -> NodeGroups:
    """Add the managed node groups, each after its Capacity Blocks."""
    made = NodeGroups()
    for group in base.stack.managed:
        blocks = {name: _block(base, name, group) for name in group.settings.blocks}
        made.block_ends.update({name: block.end for name, block in blocks.items()})
        in_turn = None
        if blocks:
            in_turn = components.block_in_turn(list(blocks.values()))
            made.group_ends[group.name] = components.end_in_turn(list(blocks.values()))
        inputs = _group_inputs(base, group, in_turn)
        made.by_name[group.name] = components.AcceleratorNodeGroup.of(group.name, inputs, base.before_nodes)
    return made


def add_node_pools(base: Foundation, karpenter: pulumi.Resource | None) -> Mapping[str, components.KarpenterNodePool]:
    """Add the pools of nodes that ``karpenter`` makes, which has to be there before them, by name."""
    waits = after(base.in_cluster, [karpenter] if karpenter else [])
    return {
        group.name: components.KarpenterNodePool.of(group.name, _pool_inputs(base, group), waits)
        for group in base.stack.karpenters
    }


def _block(base: Foundation, name: str, group: ResolvedNodeGroup) -> components.CapacityBlock:
    """A Capacity Block: by its own ID, or that of its purchase."""
    block = base.settings.capacity_blocks[name]
    reservation: pulumi.Input[str] | None = block.reservation_id
    if block.purchase:
        bought = CapacityBlockPurchaseInputs(block.purchase, base.settings.region, base.tags)
        reservation = components.CapacityBlockPurchase.of(name, bought).reservation_id
    if reservation is None:
        raise ValueError("a Capacity Block has either reservationId or purchase")
    inputs = CapacityBlockInputs(
        reservation,
        block,
        instance_type=group.type.name,
        max_size=group.settings.size.max,
        zones=[subnet["zone"] for subnet in base.network.subnets],
        succeeded=name != group.settings.blocks[-1],
        tags=base.tags,
    )
    return components.CapacityBlock.of(name, inputs)


def _group_inputs(base: Foundation, group: ResolvedNodeGroup, block: CapacityBlockRef | None) -> NodeGroupInputs:
    cluster, bootstrap = base.cluster, None
    if group.settings.ami.image_id:
        bootstrap = Bootstrap(cluster.endpoint, cluster.certificate_authority, cluster.service_cidr)
    return NodeGroupInputs(
        group,
        kubernetes_version=base.settings.cluster.kubernetes_version,
        cluster_name=cluster.cluster_name,
        cluster_security_group_id=cluster.cluster_security_group_id,
        vpc_id=base.network.vpc_id,
        subnets=base.network.subnets,
        node_role_arn=base.system.node_role_arn,
        capacity_block=block,
        bootstrap=bootstrap,
        tags=base.tags,
    )


def _pool_inputs(base: Foundation, group: ResolvedNodeGroup) -> NodePoolInputs:
    return NodePoolInputs(
        group, base.system.node_role_arn, base.cluster.cluster_security_group_id, base.network.subnets, base.tags
    )
