"""One environment: settings in, components out. Everything comes from `stacks/Pulumi.<stack>.yaml`."""

import pulumi

import components
from components import from_settings as args
from components.stack_config import check_stack_config
from settings.fit import demand
from settings.model.workloads import CudaVectorAdd
from settings.rules.registry import resolve_groups

project, stack = pulumi.get_project(), pulumi.get_stack()

# What is wrong is said before anything is registered.
checked = check_stack_config()
settings = checked.require()
checked.require_secrets()

name, tags = settings.cluster.name or f"{project}-{stack}", args.tags_of(settings, stack)
groups = resolve_groups(settings)

# The network and the control plane.
network = None
if created := settings.network.create:
    network = components.Network(name, args.network_args(created, settings.region, tags))
vpc_id, subnets = args.subnets_of(settings, network)
cluster = components.Cluster(name, args.cluster_args(settings, name, vpc_id, subnets, tags))
# The control plane needs its subnets only; nodes need a way out as well, which is made meanwhile.
before_nodes = pulumi.ResourceOptions(depends_on=[cluster, network] if network else cluster)

# Nodes without a taint, and what needs them: DNS first of all.
system = components.SystemNodeGroup(
    f"{name}-system", args.system_group_args(settings, cluster, subnets, tags), before_nodes
)
in_cluster = pulumi.ResourceOptions(providers={"kubernetes": cluster.provider}, depends_on=system)
addons = components.ClusterAddons(name, args.addons_args(settings, cluster, tags), in_cluster)

# Capacity Blocks, and the nodes with accelerators.
node_groups = {}
for group in groups.values():
    blocks = []
    for block_name in group.settings.blocks:
        block_settings, bought = settings.capacity_blocks[block_name], None
        if purchase := block_settings.purchase:
            bought = components.CapacityBlockPurchase(
                block_name, args.purchase_args(purchase, settings.region, tags)
            ).reservation_id
        is_last = block_name == group.settings.blocks[-1]
        block_args = args.capacity_block_args(block_settings, bought, group, subnets, tags, succeeded=not is_last)
        blocks.append(components.CapacityBlock(block_name, block_args))
    block = components.block_in_turn(blocks) if blocks else None
    node_groups[group.name] = components.AcceleratorNodeGroup(
        group.name, args.group_args(group, settings, cluster, system, vpc_id, subnets, block, tags), before_nodes
    )

# Device plugins and metrics, where a node group needs them.
gpu_plugins: list[pulumi.Resource] = []
if nvidia := args.nvidia_plugin_args(settings, groups):
    gpu_plugins.append(components.NvidiaDevicePlugin("nvidia-device-plugin", nvidia, in_cluster))
if operator := args.gpu_operator_args(settings, groups):
    gpu_plugins.append(components.GpuOperator("gpu-operator", operator, in_cluster))
if neuron := args.neuron_plugin_args(settings, groups):
    components.NeuronDevicePlugin("neuron-device-plugin", neuron, in_cluster)
if efa := args.efa_plugin_args(settings, groups):
    components.EfaDevicePlugin("efa-device-plugin", efa, in_cluster)
if dra := args.dra_driver_args(settings, groups):
    gpu_plugins.append(components.DraDriver("dra-driver", dra, in_cluster))
if exporter := args.dcgm_exporter_args(settings, groups):
    components.DcgmExporter("dcgm-exporter", exporter, in_cluster)
if exporter := args.dcgm_exporter_of_claims_args(settings, groups):
    components.DcgmExporter("dcgm-exporter-of-claims", exporter, in_cluster)

# Workloads, once their own nodes, DNS and the default StorageClass are there.
spaces = {
    space: components.WorkloadNamespace(space, args.namespace_args(settings, space), in_cluster)
    for space in dict.fromkeys(workload.namespace for _, _, workload in settings.workloads.each())
}
for workload_name, workload in settings.workloads.vllm.items():
    group, space = groups[workload.node_group], spaces[workload.namespace]
    fits_now = demand(settings.workloads, group).fits_now
    ready = pulumi.ResourceOptions(depends_on=[addons, node_groups[workload.node_group]])
    server = components.VllmServer(
        workload_name,
        args.vllm_args(workload, group, space, pulumi.Config(project), fits_now=fits_now),
        pulumi.ResourceOptions.merge(in_cluster, ready),
    )
    pulumi.export(f"{workload_name}Service", server.service_name)

# Tests and loads, once something serves the GPUs of their nodes.
gpu_tests = {**settings.workloads.cuda_vector_add, **settings.workloads.dcgm_prof_tester}
for workload_name, test in gpu_tests.items():
    group, space = groups[test.node_group], spaces[test.namespace]
    test_args = args.gpu_test_args(test, group, space, fits_now=demand(settings.workloads, group).fits_now)
    ready = pulumi.ResourceOptions(depends_on=[*gpu_plugins, node_groups[test.node_group]])
    component = components.CudaVectorAdd if isinstance(test, CudaVectorAdd) else components.DcgmProfTester
    component(workload_name, test_args, pulumi.ResourceOptions.merge(in_cluster, ready))

pulumi.export("clusterName", cluster.cluster_name)
pulumi.export("kubeconfig", cluster.kubeconfig)
pulumi.export("nodeGroups", {key: group.node_group_name for key, group in node_groups.items()})
