"""One environment: settings in, components out. Everything comes from `stacks/Pulumi.<stack>.yaml`."""

import pulumi

import components
from components.from_settings import (
    capacity_block_args,
    cluster_args,
    group_args,
    purchase_args,
    subnets_of,
    tags_of,
    vllm_args,
)
from components.stack_config import check_stack_config
from settings.rules.registry import resolve_groups
from settings.served import dcgm_exporter, efa_plugin, neuron_plugin, nvidia_plugin

project, stack = pulumi.get_project(), pulumi.get_stack()

# What is wrong is said before anything is registered.
checked = check_stack_config()
settings = checked.require()
checked.require_secrets()

name, tags = settings.cluster.name or f"{project}-{stack}", tags_of(settings, stack)
groups = resolve_groups(settings)

# The network and the control plane.
network = None
if created := settings.network.create:
    network = components.Network(
        name, {**created.model_dump(mode="json", exclude_none=True), "region": settings.region, "tags": tags}
    )
vpc_id, subnets = subnets_of(settings, network)
cluster = components.Cluster(
    name, cluster_args(settings, name, vpc_id, subnets, tags), pulumi.ResourceOptions(depends_on=network)
)

# Nodes without a taint, and what needs them: DNS first of all.
system = components.SystemNodeGroup(
    f"{name}-system",
    {
        "region": settings.region,
        "cluster_name": cluster.cluster_name,
        "cluster_security_group_id": cluster.cluster_security_group_id,
        "subnet_ids": [subnet["id"] for subnet in subnets],
        "kubernetes_version": settings.cluster.kubernetes_version,
        **settings.system_node_group.model_dump(mode="json", exclude_none=True),
        "tags": tags,
    },
    pulumi.ResourceOptions(depends_on=cluster),
)
in_cluster = pulumi.ResourceOptions(providers={"kubernetes": cluster.provider}, depends_on=system)
addons = components.ClusterAddons(
    name,
    {
        "region": settings.region,
        "cluster_name": cluster.cluster_name,
        "addon_versions": {addon.value: version for addon, version in settings.cluster.addon_versions.items()},
        "tags": tags,
    },
    in_cluster,
)

# Capacity Blocks, and the nodes with accelerators.
purchases = {
    block_name: components.CapacityBlockPurchase(block_name, purchase_args(block.purchase, settings.region, tags))
    for block_name, block in settings.capacity_blocks.items()
    if block.purchase
}
node_groups = {}
for group in groups.values():
    block = None
    if block_name := group.settings.capacity_block:
        bought = purchases[block_name].reservation_id if block_name in purchases else None
        block = components.CapacityBlock(
            block_name, capacity_block_args(settings.capacity_blocks[block_name], bought, group, subnets, tags)
        )
    node_groups[group.name] = components.AcceleratorNodeGroup(
        group.name,
        group_args(group, settings, cluster, system, vpc_id, subnets, block, tags),
        pulumi.ResourceOptions(depends_on=cluster),
    )

# Device plugins and metrics, where a node group needs them.
if nvidia := nvidia_plugin(settings, groups):
    components.NvidiaDevicePlugin("nvidia-device-plugin", nvidia, in_cluster)
if neuron := neuron_plugin(settings, groups):
    components.NeuronDevicePlugin("neuron-device-plugin", neuron, in_cluster)
if efa := efa_plugin(settings, groups):
    components.EfaDevicePlugin("efa-device-plugin", efa, in_cluster)
if exporter := dcgm_exporter(settings, groups):
    components.DcgmExporter("dcgm-exporter", exporter, in_cluster)

# Workloads.
for workload_name, workload in settings.workloads.vllm.items():
    server = components.VllmServer(
        workload_name,
        vllm_args(workload, groups[workload.node_group], pulumi.Config(project)),
        pulumi.ResourceOptions.merge(in_cluster, pulumi.ResourceOptions(depends_on=[addons, *node_groups.values()])),
    )
    pulumi.export(f"{workload_name}Service", server.service_name)

pulumi.export("clusterName", cluster.cluster_name)
pulumi.export("kubeconfig", cluster.kubeconfig)
pulumi.export("nodeGroups", {key: group.node_group_name for key, group in node_groups.items()})
