"""One environment: settings in, components out. Everything comes from `stacks/Pulumi.<stack>.yaml`."""

import pulumi

from eks_accelerators import components
from eks_accelerators.components import from_settings as args
from eks_accelerators.components.bucket_access import weights_access
from eks_accelerators.components.capacity_block_purchase import CapacityBlockPurchaseInputs
from eks_accelerators.components.chart_releases import add_releases, after
from eks_accelerators.components.monitoring import (
    AwsSurroundings,
    MonitoredStack,
    add_cloud_watch,
    add_monitoring,
    before_keda,
    before_releases,
    managed_prometheus,
)
from eks_accelerators.components.network import NetworkInputs
from eks_accelerators.components.pod_identity import ClusterRef
from eks_accelerators.components.stack_config import check_stack_config
from eks_accelerators.components.storage import add_storage
from eks_accelerators.components.workload_component import Surroundings
from eks_accelerators.components.workload_kinds import add_workload, component_of
from eks_accelerators.components.workload_secrets import synced_secrets
from eks_accelerators.settings.release_names import KARPENTER, KEDA, RELOADER

project, stack = pulumi.get_project(), pulumi.get_stack()

# What is wrong is said before anything is registered.
checked = check_stack_config()
resolved = checked.require()
settings = resolved.settings
checked.require_secrets()

name, tags = settings.cluster.name or f"{project}-{stack}", args.tags_of(settings, stack)

# The network and the control plane.
network = None
if created := settings.network.create:
    network = components.Network.of(name, NetworkInputs(created, settings.region, tags))
vpc_id, subnets = args.subnets_of(settings, network)
cluster = components.Cluster.of(name, args.cluster_inputs(settings, name, vpc_id, subnets, tags))
# The control plane needs its subnets only; nodes need a way out as well, which is made meanwhile.
before_nodes = pulumi.ResourceOptions(depends_on=[cluster, network] if network else cluster)

# Nodes without a taint, and what needs them: DNS first of all.
system = components.SystemNodeGroup.of(
    f"{name}-system", args.system_group_inputs(settings, cluster, subnets, tags), before_nodes
)
in_cluster = pulumi.ResourceOptions(providers={"kubernetes": cluster.provider}, depends_on=system)
addons = components.ClusterAddons(name, args.addons_args(settings, cluster, tags), in_cluster)

# Capacity Blocks, and the nodes with accelerators.
node_groups, block_ends, group_ends = {}, {}, {}
for group in resolved.managed:
    blocks = []
    for block_name in group.settings.blocks:
        block_settings, bought = settings.capacity_blocks[block_name], None
        if purchase := block_settings.purchase:
            inputs = CapacityBlockPurchaseInputs(purchase, settings.region, tags)
            bought = components.CapacityBlockPurchase.of(block_name, inputs).reservation_id
        is_last = block_name == group.settings.blocks[-1]
        block_inputs = args.capacity_block_inputs(block_settings, bought, group, subnets, tags, succeeded=not is_last)
        blocks.append(components.CapacityBlock.of(block_name, block_inputs))
        block_ends[block_name] = blocks[-1].end
    block = components.block_in_turn(blocks) if blocks else None
    if blocks:
        group_ends[group.name] = components.end_in_turn(blocks)
    node_groups[group.name] = components.AcceleratorNodeGroup.of(
        group.name, args.group_inputs(group, settings, cluster, system, vpc_id, subnets, block, tags), before_nodes
    )

# Namespaces of workloads: what watches them waits for them.
spaces = {
    space: components.WorkloadNamespace(space, args.namespace_args(resolved, space), in_cluster)
    for space in dict.fromkeys(placed.workload.namespace for placed in resolved.workloads)
}

# Device plugins, metrics and what scales, where a node group needs them, and who reads the metrics.
config = pulumi.Config(project)
there = AwsSurroundings(name, cluster, [subnet["id"] for subnet in subnets], tags)
before_prometheus = [addons, *before_releases(resolved, there, in_cluster)]
around_releases = ClusterRef(cluster.cluster_name, settings.region, tags, f"{name}-", system.node_role_arn)
monitored = MonitoredStack(resolved, block_ends, config)
managed = managed_prometheus(monitored, there)
before_others: dict[str, list[pulumi.Resource]] = {
    KEDA: list(before_keda(resolved, managed, there, in_cluster)),
    RELOADER: list(spaces.values()),
}
released = add_releases(resolved, around_releases, in_cluster, before_prometheus, before_others)
add_monitoring(monitored, released, in_cluster)
add_cloud_watch(monitored, there, in_cluster)

# Nodes that Karpenter makes, once it is there.
pools = {
    group.name: components.KarpenterNodePool.of(
        group.name,
        args.pool_inputs(group, cluster, system, subnets, tags),
        after(in_cluster, [released.by_name[KARPENTER]]),
    )
    for group in resolved.karpenters
}

# Workloads, once their own nodes are there, and what they need in the cluster: storage first.
names = {space: made.namespace_name for space, made in spaces.items()}
volumes = add_storage(settings, args.storage_around(settings, name, cluster, vpc_id, subnets, tags), names, in_cluster)
load = args.load_source(settings, released, managed)
places: dict[str, pulumi.Resource] = {**node_groups, **pools}
for placed in resolved.workloads:
    needs = [addons] if component_of(type(placed.workload)).NEEDS_ADDONS else released.awaited
    uses = dict.fromkeys(use.storage for use in placed.workload.storage_uses)
    mounted: list[pulumi.Resource] = [volumes[storage, placed.workload.namespace] for storage in uses]
    mounted += synced_secrets(placed, settings.region, in_cluster, released.by_name, names)
    if weights := placed.workload.streamed_weights:
        mounted.append(weights_access(placed.name, weights, around_releases, placed.workload.namespace, before_nodes))
    mounted += [released.by_name[release] for release in placed.workload.needs_releases]
    ready = pulumi.ResourceOptions(depends_on=[*needs, *mounted, places[placed.group.name]])
    fits_now = resolved.demands[placed.group.name].fits_now
    space, end = names[placed.workload.namespace], group_ends.get(placed.group.name)
    around = Surroundings(
        space, config, fits_now, load, args.scrapers_of(settings), block_end=end, rolls=RELOADER in released.by_name
    )
    add_workload(placed, around, pulumi.ResourceOptions.merge(in_cluster, ready))

pulumi.export("clusterName", cluster.cluster_name)
pulumi.export("kubeconfig", cluster.kubeconfig)
pulumi.export("nodeGroups", {key: group.node_group_name for key, group in node_groups.items()})
