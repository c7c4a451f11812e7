"""Nodes of one kind of accelerator that Karpenter makes: a NodePool and its EC2NodeClass."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pulumi
import pulumi_kubernetes as k8s

from eks_accelerators.accelerators.zones import is_zone_id
from eks_accelerators.components.arguments import KarpenterNodePoolArgs
from eks_accelerators.components.base import Component, named
from eks_accelerators.components.karpenter_objects import node_class, node_pool
from eks_accelerators.components.validation import resolve_pool, zones_of
from eks_accelerators.components.wiring import SubnetArgs
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup


@dataclass(frozen=True, slots=True)
class NodePoolInputs:
    """A resolved node group, and the cluster that its nodes join. Fields are those of `KarpenterNodePoolArgs`."""

    group: ResolvedNodeGroup
    node_role_arn: pulumi.Input[str]
    cluster_security_group_id: pulumi.Input[str]
    subnets: Sequence[SubnetArgs]
    tags: dict[str, str] = field(default_factory=dict)


class KarpenterNodePool(Component[NodePoolInputs]):
    """NodePool and EC2NodeClass of one node group, with the labels, taints and limits that a managed group has. Needs
    Karpenter in the cluster.

    Providers: Kubernetes.

    Alone: On any cluster with Karpenter 1.14. In place of `AcceleratorNodeGroup`, for whole accelerators on demand or
    spot.
    """

    node_pool_name: pulumi.Output[str]
    """Name of the NodePool."""

    def __init__(self, name: str, args: KarpenterNodePoolArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        group = resolve_pool(name, args, zones=zones_of(args["subnets"]))
        inputs = NodePoolInputs(
            group, args["node_role_arn"], args["cluster_security_group_id"], args["subnets"], args.get("tags", {})
        )
        self._create(name, inputs, opts)

    def _create(self, name: str, inputs: NodePoolInputs, opts: pulumi.ResourceOptions | None) -> None:
        self._register(name, opts)
        group = self.resolved = inputs.group
        role = pulumi.Output.from_input(inputs.node_role_arn).apply(lambda arn: arn.rpartition("/")[2])
        by_id = is_zone_id(inputs.subnets[0]["zone"])
        launches = k8s.apiextensions.CustomResource(
            name,
            api_version="karpenter.k8s.aws/v1",
            kind="EC2NodeClass",
            metadata={"name": name},
            spec=node_class(
                group,
                role=role,
                subnet_ids=[subnet["id"] for subnet in inputs.subnets if subnet["zone"] in group.zones],
                security_group_ids=[inputs.cluster_security_group_id, *group.settings.security_group_ids],
                tags=named(inputs.tags, name),
            ),
            opts=self.child(),
        )
        k8s.apiextensions.CustomResource(
            name,
            api_version="karpenter.sh/v1",
            kind="NodePool",
            metadata={"name": name},
            spec=node_pool(group, zones_by_id=by_id),
            opts=self.child(depends_on=[launches]),
        )
        self.node_pool_name = pulumi.Output.from_input(name)
        self.register_outputs({"node_pool_name": self.node_pool_name})
