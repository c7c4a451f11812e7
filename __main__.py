"""One environment: settings in, components out. Everything comes from `stacks/Pulumi.<stack>.yaml`."""

import pulumi

from eks_accelerators.components.stack.configuration import check_stack_config
from eks_accelerators.components.stack.foundation import add_foundation
from eks_accelerators.components.stack.node_groups import add_node_groups, add_node_pools
from eks_accelerators.components.stack.services import add_services
from eks_accelerators.components.stack.storage import add_storage
from eks_accelerators.components.stack.workloads import add_namespaces, add_workloads

# What is wrong is said before anything is registered.
checked = check_stack_config()
resolved = checked.require()
checked.require_secrets()

# The network, the control plane, nodes without a taint, and what needs them: DNS first of all.
base = add_foundation(resolved)

# Capacity Blocks, and the nodes with accelerators.
groups = add_node_groups(base)

# Namespaces of workloads: what watches them waits for them.
namespaces = add_namespaces(base)

# Device plugins, metrics and what scales, where a node group needs them, and who reads the metrics.
services = add_services(base, groups.block_ends, namespaces)

# Nodes that Karpenter makes, once it is there.
pools = add_node_pools(base, services.karpenter)

# Workloads, once their own nodes are there, and what they need in the cluster: storage first.
volumes = add_storage(base, namespaces)
add_workloads(base, services, namespaces, volumes, {**groups.by_name, **pools}, groups.group_ends)

pulumi.export("clusterName", base.cluster.cluster_name)
pulumi.export("kubeconfig", base.cluster.kubeconfig)
pulumi.export("nodeGroups", {name: group.node_group_name for name, group in groups.by_name.items()})
