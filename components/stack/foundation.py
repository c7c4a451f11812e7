"""What everything else of a stack stands on: the network, the control plane, nodes without a taint, and their add-ons."""

from dataclasses import dataclass

import pulumi

from eks_accelerators import components
from eks_accelerators.components.cluster import ClusterInputs, addon_versions
from eks_accelerators.components.network import NetworkInputs
from eks_accelerators.components.pod_identity import ClusterRef
from eks_accelerators.components.system_node_group import SystemNodeGroupInputs
from eks_accelerators.components.wiring import SubnetArgs
from eks_accelerators.settings.model import Settings
from eks_accelerators.settings.resolved_stack import ResolvedStack


@dataclass(frozen=True, slots=True)
class StackNetwork:
    """The VPC and its private subnets; ``created`` is None where they were there before."""

    vpc_id: pulumi.Input[str]
    subnets: list[SubnetArgs]
    created: components.Network | None = None

    @property
    def subnet_ids(self) -> list[pulumi.Input[str]]:
        """IDs of the private subnets."""
        return [subnet["id"] for subnet in self.subnets]


@dataclass(frozen=True, slots=True)
class Foundation:
    """A stack, and what is there of it first. Names begin with ``name``, and ``tags`` are those of every resource.

    What is made with ``before_nodes`` has the control plane and a way out of the network, with ``in_cluster`` Kubernetes
    and nodes for any pod. ``config`` is the Pulumi configuration with its secrets.
    """

    stack: ResolvedStack
    name: str
    tags: dict[str, str]
    config: pulumi.Config
    network: StackNetwork
    cluster: components.Cluster
    system: components.SystemNodeGroup
    addons: components.ClusterAddons
    before_nodes: pulumi.ResourceOptions
    in_cluster: pulumi.ResourceOptions

    @property
    def settings(self) -> Settings:
        """What the user wrote."""
        return self.stack.settings

    @property
    def cluster_ref(self) -> ClusterRef:
        """The cluster, for what has rights of its own in AWS."""
        return ClusterRef(
            self.cluster.cluster_name, self.settings.region, self.tags, f"{self.name}-", self.system.node_role_arn
        )


def add_foundation(stack: ResolvedStack) -> Foundation:
    """Make it."""
    settings, project = stack.settings, pulumi.get_project()
    name = settings.cluster.name or f"{project}-{pulumi.get_stack()}"
    tags = {"owner": settings.owner, "stack": pulumi.get_stack(), **settings.tags}
    network = _network(settings, name, tags)
    cluster = components.Cluster.of(name, _cluster_inputs(settings, name, network, tags))
    # The control plane needs its subnets only; nodes need a way out as well, which is made meanwhile.
    before_nodes = pulumi.ResourceOptions(depends_on=[cluster, network.created] if network.created else cluster)
    # Nodes without a taint, and what needs them: DNS first of all.
    system_inputs = _system_inputs(settings, cluster, network, tags)
    system = components.SystemNodeGroup.of(f"{name}-system", system_inputs, before_nodes)
    in_cluster = pulumi.ResourceOptions(providers={"kubernetes": cluster.provider}, depends_on=system)
    addons = components.ClusterAddons(name, _addons_args(settings, cluster, tags), in_cluster)
    config = pulumi.Config(project)
    return Foundation(stack, name, tags, config, network, cluster, system, addons, before_nodes, in_cluster)


def _network(settings: Settings, name: str, tags: dict[str, str]) -> StackNetwork:
    if created := settings.network.create:
        network = components.Network.of(name, NetworkInputs(created, settings.region, tags))
        return StackNetwork(network.vpc_id, network.subnets, network)
    existing = settings.network.existing
    if existing is None:
        raise ValueError("a network is either created or existing")
    return StackNetwork(
        existing.vpc_id, [{"id": subnet.id, "zone": subnet.zone} for subnet in existing.private_subnets]
    )


def _cluster_inputs(settings: Settings, name: str, network: StackNetwork, tags: dict[str, str]) -> ClusterInputs:
    return ClusterInputs(
        settings.cluster,
        region=settings.region,
        name=name,
        vpc_id=network.vpc_id,
        subnet_ids=pulumi.Output.all(*network.subnet_ids),
        network_policies=any(server.network_policy for _, server in settings.workloads.servers()),
        tags=tags,
    )


def _system_inputs(
    settings: Settings, cluster: components.Cluster, network: StackNetwork, tags: dict[str, str]
) -> SystemNodeGroupInputs:
    return SystemNodeGroupInputs(
        settings.system_node_group,
        region=settings.region,
        kubernetes_version=settings.cluster.kubernetes_version,
        cluster_name=cluster.cluster_name,
        cluster_security_group_id=cluster.cluster_security_group_id,
        subnet_ids=network.subnet_ids,
        tags=tags,
    )


def _addons_args(settings: Settings, cluster: components.Cluster, tags: dict[str, str]) -> components.ClusterAddonsArgs:
    return {
        "region": settings.region,
        "cluster_name": cluster.cluster_name,
        "addon_versions": addon_versions(settings.cluster),
        "tags": tags,
    }
