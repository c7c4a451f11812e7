"""Node auto repair, as the EKS API takes it."""

import pulumi_aws as aws

from eks_accelerators.settings.model.node_groups import NodeRepair


def node_repair_config(repair: NodeRepair) -> aws.eks.NodeGroupNodeRepairConfigArgs:
    """The settings of node repair as arguments of a managed node group."""
    overrides = [
        aws.eks.NodeGroupNodeRepairConfigNodeRepairConfigOverrideArgs(
            node_monitoring_condition=override.node_monitoring_condition,
            node_unhealthy_reason=override.node_unhealthy_reason,
            min_repair_wait_time_mins=override.min_repair_wait_time_mins,
            repair_action=override.repair_action.value,
        )
        for override in repair.overrides
    ]
    return aws.eks.NodeGroupNodeRepairConfigArgs(
        enabled=repair.enabled,
        max_parallel_nodes_repaired_count=repair.max_parallel_nodes_repaired_count,
        max_parallel_nodes_repaired_percentage=repair.max_parallel_nodes_repaired_percentage,
        max_unhealthy_node_threshold_count=repair.max_unhealthy_node_threshold_count,
        max_unhealthy_node_threshold_percentage=repair.max_unhealthy_node_threshold_percentage,
        node_repair_config_overrides=overrides or None,
    )
