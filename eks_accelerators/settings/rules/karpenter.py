"""Rules about the nodes that Karpenter makes: what it does not see, what it cannot do, and what costs."""

from collections.abc import Iterator

from eks_accelerators.accelerators import ami, instance_types
from eks_accelerators.accelerators.number_of import number_of
from eks_accelerators.accelerators.sharing import NVIDIA_GPU
from eks_accelerators.settings.model.node_autoscaling import NodeAutoscaler
from eks_accelerators.settings.model.node_groups import (
    AcceleratorNodeGroupSettings,
    CapacityType,
    PlacementGroupChoice,
    SharingStrategy,
)
from eks_accelerators.settings.problems import Severity
from eks_accelerators.settings.rules.registry import Context, RuleFinding, rule


def _pools(context: Context) -> Iterator[tuple[str, AcceleratorNodeGroupSettings]]:
    for name, group in context.settings.node_groups.items():
        if group.autoscaler is NodeAutoscaler.KARPENTER:
            yield f"nodeGroups.{name}", group


@rule("karpenter-shares")
def karpenter_shares(context: Context) -> Iterator[RuleFinding]:
    """Karpenter's nodes have whole GPUs that the device plugin serves under their own name.

    It counts the GPUs of the instance type: for four pods on the shares of one GPU it starts up to four nodes, and for
    `nvidia.com/gpu.shared`, MIG instances and claims none. NodeOverlay, which would tell it, is alpha. Source:
    kubernetes-sigs/karpenter issue 729, aws/karpenter-provider-aws issue 3376 (open), v1.14 feature gates.
    """
    for path, group in _pools(context):
        if group.sharing.strategy is not SharingStrategy.EXCLUSIVE:
            yield _not_whole(f"{path}.sharing.strategy", group.sharing.strategy.value, "exclusive")
        if group.dynamic_resource_allocation:
            yield _not_whole(f"{path}.dynamicResourceAllocation", "true", "false")


def _not_whole(path: str, found: str, allowed: str) -> RuleFinding:
    return RuleFinding(
        path,
        f"Karpenter knows whole {NVIDIA_GPU} alone: it starts too many nodes for shares, or none",
        found,
        allowed,
        "use autoscaler: clusterAutoscaler, which is told by tags, or whole GPUs",
    )


@rule("karpenter-smallest-size")
def karpenter_smallest_size(context: Context) -> Iterator[RuleFinding]:
    """Karpenter starts with no node and keeps none: `size.min` and `size.desired` are those of a managed node group.

    Nodes without pods need a pool with `replicas`, whose gate StaticCapacity is alpha. Source: Karpenter v1.14.
    """
    for path, group in _pools(context):
        for name, found in (("min", group.size.min), ("desired", group.size.desired)):
            if found:
                yield RuleFinding(
                    f"{path}.size.{name}",
                    "Karpenter makes nodes for pods that wait, and keeps none without pods",
                    str(found),
                    "0",
                    f"set size.{name}: 0, and let a pod of low priority hold a node",
                )


@rule("karpenter-not-taken")
def karpenter_not_taken(context: Context) -> Iterator[RuleFinding]:
    """What only a managed node group does is not asked of Karpenter: it would be left out without a word."""
    for path, group in _pools(context):
        asked = {
            "ami.imageId": group.ami.image_id,
            "ami.type": group.ami.type if group.ami.type and ami.is_bottlerocket(group.ami.type) else None,
            "capacityReservationId": group.capacity_reservation_id,
            "efa.enabled": "true" if group.efa.enabled else None,
            "placementGroup": group.placement_group if group.placement_group is PlacementGroupChoice.CLUSTER else None,
            "nodeRepair.overrides": number_of(len(group.node_repair.overrides), "override")
            if group.node_repair.overrides
            else None,
            "update.strategy": group.update.strategy,
            "logicalCoreSize": group.logical_core_size,
        }
        is_block = group.bought_as is CapacityType.CAPACITY_BLOCK
        other = (NodeAutoscaler.NONE if is_block else NodeAutoscaler.CLUSTER_AUTOSCALER).value
        for name, found in asked.items():
            if found:
                yield RuleFinding(
                    f"{path}.{name}",
                    "nodes that Karpenter makes do not have this here",
                    str(found),
                    "nothing",
                    f"remove it, or use autoscaler: {other}, whose nodes are those of a managed group",
                )


@rule("karpenter-settings-unused")
def karpenter_settings_unused(context: Context) -> Iterator[RuleFinding]:
    """`karpenter` of a node group is for nodes that Karpenter makes: one autoscaler, one group."""
    for name, group in context.settings.node_groups.items():
        if group.karpenter and group.autoscaler is not NodeAutoscaler.KARPENTER:
            yield RuleFinding(
                f"nodeGroups.{name}.karpenter",
                f"the nodes of this group are not Karpenter's, but those of a managed group with autoscaler: {group.autoscaler.value}",
                group.autoscaler.value,
                NodeAutoscaler.KARPENTER.value,
                "remove karpenter, or set autoscaler: karpenter",
            )


@rule("karpenter-types-differ")
def karpenter_types_differ(context: Context) -> Iterator[RuleFinding]:
    """Every type that Karpenter may start has the same accelerators, as many of them, and the same processors.

    What fits the one fits the other.
    """
    for path, group in _pools(context):
        mine = instance_types.find(group.instance_type)
        for index, name in enumerate(group.karpenter.also_instance_types if group.karpenter else ()):
            other = instance_types.find(name)
            if mine is None or (other is not None and _alike(mine) == _alike(other)):
                continue
            yield RuleFinding(
                f"{path}.karpenter.alsoInstanceTypes[{index}]",
                f"{name} has other accelerators or processors than {mine.name}"
                if other
                else f"{name} is not known here",
                _words(other) if other else name,
                _words(mine),
                "use types with the same accelerators and processors, or another node group",
            )


def _words(kind: instance_types.InstanceType) -> str:
    return f"{kind.accelerator.count} x {kind.accelerator.name}, {kind.architecture}"


def _alike(kind: instance_types.InstanceType) -> tuple[int, str, tuple[str, ...]]:
    return kind.accelerator.count, kind.accelerator.name, kind.ami_types


@rule("karpenter-fallback-unused")
def karpenter_fallback_unused(context: Context) -> Iterator[RuleFinding]:
    """`karpenter.onDemandFallback` is for a spot group: others are on demand already."""
    for path, group in _pools(context):
        if group.karpenter and group.karpenter.on_demand_fallback and group.bought_as is not CapacityType.SPOT:
            yield RuleFinding(
                f"{path}.karpenter.onDemandFallback",
                "the nodes are not bought as spot",
                group.bought_as.value,
                CapacityType.SPOT.value,
                "set capacityType: spot, or remove it",
            )


@rule("karpenter-expiry", Severity.WARNING)
def karpenter_expiry(context: Context) -> Iterator[RuleFinding]:
    """Nodes of training do not expire: at that age a node drains, whatever runs on it.

    `karpenter.sh/do-not-disrupt` holds up what is voluntary, and an expiry is not. Source: Karpenter documentation,
    Disruption.
    """
    for path, group in _pools(context):
        wanted = group.karpenter
        if wanted and wanted.do_not_disrupt and wanted.expire_after:
            yield RuleFinding(
                f"{path}.karpenter.expireAfter",
                "a node that expires drains, training included",
                wanted.expire_after,
                "never",
                "remove expireAfter",
            )


@rule("karpenter-replicas")
def karpenter_replicas(context: Context) -> Iterator[RuleFinding]:
    """Each copy of Karpenter has a system node of its own: the chart keeps them apart, and off Karpenter's own nodes."""
    wanted, nodes = context.settings.karpenter.replicas, context.settings.system_node_group.size.desired
    if any(_pools(context)) and wanted > nodes:
        yield RuleFinding(
            "karpenter.replicas",
            f"{wanted - nodes} of {wanted} copies find no system node of their own",
            str(wanted),
            f"at most {nodes}",
            f"set systemNodeGroup.size.desired: {wanted}, or karpenter.replicas: {max(nodes, 1)}",
        )
