"""From a resolved stack to the inputs of components, for the program that has a whole stack file."""

from collections.abc import Sequence

import pulumi

from eks_accelerators.components.accelerator_node_group import Bootstrap, NodeGroupInputs
from eks_accelerators.components.capacity_block import CapacityBlockInputs
from eks_accelerators.components.chart_releases import Released
from eks_accelerators.components.cluster import Cluster, ClusterInputs, addon_versions
from eks_accelerators.components.cluster_addons import ClusterAddonsArgs
from eks_accelerators.components.file_system_access import NodesAround
from eks_accelerators.components.karpenter_node_pool import NodePoolInputs
from eks_accelerators.components.managed_prometheus import ManagedPrometheus
from eks_accelerators.components.network import Network
from eks_accelerators.components.storage_kinds import StorageSurroundings
from eks_accelerators.components.system_node_group import SystemNodeGroup, SystemNodeGroupInputs
from eks_accelerators.components.wiring import CapacityBlockRef, SubnetArgs
from eks_accelerators.components.workload_component import LoadSource
from eks_accelerators.components.workload_kinds import component_of
from eks_accelerators.components.workload_namespace import WorkloadNamespaceArgs
from eks_accelerators.settings.model import Settings
from eks_accelerators.settings.model.capacity_blocks import CapacityBlockSettings
from eks_accelerators.settings.model.monitoring import PrometheusKind
from eks_accelerators.settings.prometheus_address import prometheus_address
from eks_accelerators.settings.release_inputs import KubePrometheusStackInputs
from eks_accelerators.settings.release_names import KEDA
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup
from eks_accelerators.settings.resolved_stack import ResolvedStack

POD_SECURITY_LEVELS = ("restricted", "baseline", "privileged")
"""Levels of Pod Security admission, from the strictest."""


def tags_of(settings: Settings, stack: str) -> dict[str, str]:
    """Tags of every resource: the user's, the owner and the stack."""
    return {"owner": settings.owner, "stack": stack, **settings.tags}


def subnets_of(settings: Settings, network: Network | None) -> tuple[pulumi.Input[str], list[SubnetArgs]]:
    """The VPC and its private subnets, created or existing."""
    if network:
        return network.vpc_id, network.subnets
    existing = settings.network.existing
    if existing is None:
        raise ValueError("a network is either created or existing")
    return existing.vpc_id, [{"id": subnet.id, "zone": subnet.zone} for subnet in existing.private_subnets]


def cluster_inputs(
    settings: Settings, name: str, vpc_id: pulumi.Input[str], subnets: Sequence[SubnetArgs], tags: dict[str, str]
) -> ClusterInputs:
    """What the component `Cluster` takes of a stack, in the network that is there."""
    return ClusterInputs(
        settings.cluster,
        region=settings.region,
        name=name,
        vpc_id=vpc_id,
        subnet_ids=pulumi.Output.all(*[subnet["id"] for subnet in subnets]),
        network_policies=any(server.network_policy for _, server in settings.workloads.servers()),
        tags=tags,
    )


def system_group_inputs(
    settings: Settings, cluster: Cluster, subnets: Sequence[SubnetArgs], tags: dict[str, str]
) -> SystemNodeGroupInputs:
    """What the component `SystemNodeGroup` takes of a stack, with outputs of its cluster."""
    return SystemNodeGroupInputs(
        settings.system_node_group,
        region=settings.region,
        kubernetes_version=settings.cluster.kubernetes_version,
        cluster_name=cluster.cluster_name,
        cluster_security_group_id=cluster.cluster_security_group_id,
        subnet_ids=[subnet["id"] for subnet in subnets],
        tags=tags,
    )


def addons_args(settings: Settings, cluster: Cluster, tags: dict[str, str]) -> ClusterAddonsArgs:
    """Arguments of the add-ons that need nodes."""
    return {
        "region": settings.region,
        "cluster_name": cluster.cluster_name,
        "addon_versions": addon_versions(settings.cluster),
        "tags": tags,
    }


def capacity_block_inputs(
    block: CapacityBlockSettings,
    bought: pulumi.Output[str] | None,
    group: ResolvedNodeGroup,
    subnets: Sequence[SubnetArgs],
    tags: dict[str, str],
    *,
    succeeded: bool = False,
) -> CapacityBlockInputs:
    """A Capacity Block: by its own ID, or that of the purchase. ``succeeded``: another one takes over."""
    reservation = bought if bought is not None else block.reservation_id
    if reservation is None:
        raise ValueError("a Capacity Block has either reservationId or purchase")
    return CapacityBlockInputs(
        reservation,
        block,
        instance_type=group.type.name,
        max_size=group.settings.size.max,
        zones=[subnet["zone"] for subnet in subnets],
        succeeded=succeeded,
        tags=tags,
    )


def group_inputs(
    group: ResolvedNodeGroup,
    settings: Settings,
    cluster: Cluster,
    system: SystemNodeGroup,
    vpc_id: pulumi.Input[str],
    subnets: Sequence[SubnetArgs],
    block: CapacityBlockRef | None,
    tags: dict[str, str],
) -> NodeGroupInputs:
    """What the component `AcceleratorNodeGroup` takes of one group; ``block`` is the Capacity Block that it is in, if any."""
    bootstrap = None
    if group.settings.ami.image_id:
        bootstrap = Bootstrap(cluster.endpoint, cluster.certificate_authority, cluster.service_cidr)
    return NodeGroupInputs(
        group,
        kubernetes_version=settings.cluster.kubernetes_version,
        cluster_name=cluster.cluster_name,
        cluster_security_group_id=cluster.cluster_security_group_id,
        vpc_id=vpc_id,
        subnets=subnets,
        node_role_arn=system.node_role_arn,
        capacity_block=block,
        bootstrap=bootstrap,
        tags=tags,
    )


def storage_around(
    settings: Settings,
    name: str,
    cluster: Cluster,
    vpc_id: pulumi.Input[str],
    subnets: Sequence[SubnetArgs],
    tags: dict[str, str],
) -> StorageSurroundings:
    """What the storage of a stack is told of the cluster that mounts it: network, names, versions of the drivers."""
    nodes = NodesAround(vpc_id, subnets, cluster.cluster_security_group_id, tags)
    return StorageSurroundings(
        cluster.cluster_name, settings.region, nodes, f"{name}-", addon_versions(settings.cluster)
    )


def load_source(settings: Settings, released: Released, managed: ManagedPrometheus | None) -> LoadSource | None:
    """Who tells of the load of servers; None where no Prometheus does. ``managed`` is Amazon's, which is asked by signature."""
    keda = released.by_name.get(KEDA)
    if managed is not None:
        # What is asked is put behind it with a slash of its own.
        address = managed.endpoint.apply(lambda endpoint: endpoint.rstrip("/"))
        return LoadSource(address, settings.region, keda)
    known = prometheus_address(settings)
    return LoadSource(known, keda=keda) if known else None


def scrapers_of(settings: Settings) -> tuple[str, ...]:
    """The namespaces of the stack's own Prometheus."""
    own = settings.monitoring.prometheus is PrometheusKind.STACK
    return (KubePrometheusStackInputs.model_fields["namespace"].default,) if own else ()


def pool_inputs(
    group: ResolvedNodeGroup,
    cluster: Cluster,
    system: SystemNodeGroup,
    subnets: Sequence[SubnetArgs],
    tags: dict[str, str],
) -> NodePoolInputs:
    """What the component `KarpenterNodePool` takes of one group, whose nodes Karpenter makes."""
    return NodePoolInputs(group, system.node_role_arn, cluster.cluster_security_group_id, subnets, tags)


def namespace_args(stack: ResolvedStack, namespace: str) -> WorkloadNamespaceArgs:
    """Arguments of a namespace for all workloads in it: as strict as the least strict of them lets it be."""
    kinds = [component_of(type(one.workload)) for one in stack.workloads if one.workload.namespace == namespace]
    level = max((kind.POD_SECURITY for kind in kinds), key=POD_SECURITY_LEVELS.index)
    reasons = dict.fromkeys(kind.POD_SECURITY_REASON for kind in kinds if level == kind.POD_SECURITY)
    return {"pod_security": level, "reason": "; ".join(reasons)}
