"""A managed node group of one accelerated instance type."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pulumi
import pulumi_aws as aws

from eks_accelerators.accelerators.zones import is_zone_id
from eks_accelerators.components import user_data
from eks_accelerators.components.arguments import AcceleratorNodeGroupArgs
from eks_accelerators.components.base import Component, named
from eks_accelerators.components.efa_security_group import efa_security_group
from eks_accelerators.components.launch_template import launch_template
from eks_accelerators.components.node_group_scaling import schedule_block_start, schedule_sizes, tag_for_autoscaler
from eks_accelerators.components.node_repair import node_repair_config
from eks_accelerators.components.roles import node_role
from eks_accelerators.components.validation import resolve_group, zones_of
from eks_accelerators.components.wiring import CapacityBlockRef, SubnetArgs
from eks_accelerators.settings.model.node_groups import CapacityType, PlacementGroupChoice
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup

_CAPACITY_TYPES = {
    CapacityType.ON_DEMAND: "ON_DEMAND",
    CapacityType.SPOT: "SPOT",
    CapacityType.CAPACITY_BLOCK: "CAPACITY_BLOCK",
}


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """What user data must say of the cluster where EKS adds none to it: with a custom image."""

    endpoint: pulumi.Input[str]
    certificate_authority: pulumi.Input[str]
    service_cidr: pulumi.Input[str]


@dataclass(frozen=True, slots=True)
class NodeGroupInputs:
    """A resolved node group, and the cluster that it joins. Fields are those of `AcceleratorNodeGroupArgs`."""

    group: ResolvedNodeGroup
    kubernetes_version: str
    cluster_name: pulumi.Input[str]
    cluster_security_group_id: pulumi.Input[str]
    vpc_id: pulumi.Input[str]
    subnets: Sequence[SubnetArgs]
    node_role_arn: pulumi.Input[str] | None = None
    partition: str = "aws"
    capacity_block: CapacityBlockRef | None = None
    bootstrap: Bootstrap | None = None
    tags: dict[str, str] = field(default_factory=dict)


class AcceleratorNodeGroup(Component[NodeGroupInputs]):
    """Launch template and managed node group, tainted and labelled by what the nodes carry.

    Providers: AWS.

    Alone: Nodes for a cluster that is there already, see `examples/l4-on-existing-cluster`. The arguments are judged by
    the rules of a stack file; what they forbid stops the program. A role of its own gets an access entry from EKS by
    itself. Install the device plugin beside it, with the same sharing.
    """

    node_group_name: pulumi.Output[str]
    """Name in AWS, generated so that a replacement can be created first."""
    launch_template_id: pulumi.Output[str]
    """ID of the launch template."""
    autoscaling_group_name: pulumi.Output[str]
    """Name of the scaling group that EKS made."""

    def __init__(self, name: str, args: AcceleratorNodeGroupArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        self._create(name, _parsed(name, args), opts)

    def _create(self, name: str, inputs: NodeGroupInputs, opts: pulumi.ResourceOptions | None) -> None:
        self._register(name, opts)
        self._name, self._inputs, self._tags = name, inputs, inputs.tags
        self.resolved = inputs.group
        block = self._block = inputs.capacity_block
        self._attached: list[pulumi.Resource] = []
        template = self._launch_template()
        group = self._node_group(template)
        self.node_group_name = group.node_group_name
        self.launch_template_id = template.id
        self.autoscaling_group_name = group.resources.apply(_first_scaling_group)
        tag_for_autoscaler(self, name, self.resolved, self.autoscaling_group_name)
        schedule_sizes(self, name, self.resolved, self.autoscaling_group_name)
        if block:
            schedule_block_start(self, name, self.resolved, self.autoscaling_group_name, block)
        self.register_outputs(
            {
                "node_group_name": self.node_group_name,
                "launch_template_id": self.launch_template_id,
                "autoscaling_group_name": self.autoscaling_group_name,
            }
        )

    def _launch_template(self) -> aws.ec2.LaunchTemplate:
        inputs, group = self._inputs, self.resolved
        security_groups: list[pulumi.Input[str]] = [inputs.cluster_security_group_id]
        if group.has_efa:
            security_groups.append(efa_security_group(self, self._name, inputs.vpc_id, self._tags).id)
        security_groups += group.settings.security_group_ids
        placement = None
        if group.placement_group is PlacementGroupChoice.CLUSTER:
            placement = aws.ec2.PlacementGroup(self._name, strategy="cluster", tags=self._tags, opts=self.child()).name
        return aws.ec2.LaunchTemplate(
            self._name,
            **launch_template(
                group,
                security_group_ids=security_groups,
                reservation_id=self._block["reservation_id"] if self._block else group.settings.capacity_reservation_id,
                placement_group=placement,
                user_data=self._user_data(),
                tags=named(self._tags, self._name),
            ),
            opts=self.child(),
        )

    def _user_data(self) -> pulumi.Input[str] | None:
        bootstrap, group = self._inputs.bootstrap, self.resolved
        if bootstrap is None:
            return user_data.encoded(group)
        return pulumi.Output.all(
            name=self._inputs.cluster_name,
            apiServerEndpoint=bootstrap.endpoint,
            certificateAuthority=bootstrap.certificate_authority,
            cidr=bootstrap.service_cidr,
        ).apply(lambda cluster: user_data.encoded(group, cluster) or "")

    def _node_group(self, template: aws.ec2.LaunchTemplate) -> aws.eks.NodeGroup:
        group, wanted = self.resolved, self.resolved.settings
        custom = wanted.ami.image_id is not None
        update = wanted.update
        return aws.eks.NodeGroup(
            self._name,
            cluster_name=self._inputs.cluster_name,
            node_role_arn=self._node_role_arn(),
            subnet_ids=self._subnet_ids(),
            capacity_type=_CAPACITY_TYPES[wanted.bought_as],
            instance_types=None if self._block else [group.type.name],
            ami_type=None if custom else group.ami_type,
            version=None if custom else self._inputs.kubernetes_version,
            release_version=wanted.ami.release_version,
            launch_template=aws.eks.NodeGroupLaunchTemplateArgs(
                id=template.id,
                version=template.latest_version.apply(str),  # "$Latest" would differ at every run
            ),
            scaling_config=aws.eks.NodeGroupScalingConfigArgs(
                min_size=wanted.size.min, desired_size=self._desired_size(), max_size=wanted.size.max
            ),
            update_config=aws.eks.NodeGroupUpdateConfigArgs(
                max_unavailable=None if update.max_unavailable_percentage else update.max_unavailable or 1,
                max_unavailable_percentage=update.max_unavailable_percentage,
                update_strategy=group.update_strategy.value.upper(),
            ),
            node_repair_config=node_repair_config(wanted.node_repair),
            labels=group.labels,
            taints=[
                aws.eks.NodeGroupTaintArgs(key=taint.key, value=taint.value or None, effect=taint.eks_effect)
                for taint in group.taints
            ],
            tags=named(self._tags, self._name),
            opts=self.child(
                depends_on=self._attached,
                # The autoscaler's, after creation. Of a Capacity Block it is known at any time; and with any change of a
                # size EKS is told a desired size too: one from before the start would end all its nodes.
                ignore_changes=None if self._block else ["scalingConfig.desiredSize"],
            ),
        )

    def _node_role_arn(self) -> pulumi.Input[str]:
        if self._inputs.node_role_arn is not None:
            return self._inputs.node_role_arn
        role, self._attached = node_role(self, f"{self._name}-node", self._inputs.partition, self._tags)
        return role.arn

    def _subnet_ids(self) -> pulumi.Input[Any]:
        """The subnets of the group's zones; for a Capacity Block those of the reservation's zone only."""
        subnets = self._inputs.subnets
        if not self._block:
            return [subnet["id"] for subnet in subnets if subnet["zone"] in self.resolved.zones]
        by_id = is_zone_id(subnets[0]["zone"])
        zone = self._block["zone_id" if by_id else "zone"]
        return pulumi.Output.all(zone=zone, ids=[subnet["id"] for subnet in subnets]).apply(
            lambda known: [
                id_ for id_, subnet in zip(known["ids"], subnets, strict=True) if subnet["zone"] == known["zone"]
            ]
        )

    def _desired_size(self) -> pulumi.Input[int]:
        """None of a Capacity Block's nodes before its start, all of them if it has begun already."""
        size = self.resolved.settings.size
        if not self._block:
            return size.desired
        return pulumi.Output.from_input(self._block["state"]).apply(lambda state: size.max if state == "active" else 0)


def _first_scaling_group(resources: Any) -> str:
    """A managed node group has one scaling group."""
    return str(resources[0].autoscaling_groups[0].name)


def _parsed(name: str, args: AcceleratorNodeGroupArgs) -> NodeGroupInputs:
    """The arguments, typed, with every default; raises `SettingsError` where a rule forbids them."""
    block = args.get("capacity_block")
    bootstrap = None
    group = resolve_group(name, args, zones=zones_of(args["subnets"]), on_block=block is not None)
    if group.settings.ami.image_id:
        bootstrap = Bootstrap(
            args["cluster_endpoint"], args["cluster_certificate_authority"], args["cluster_service_cidr"]
        )
    return NodeGroupInputs(
        group=group,
        kubernetes_version=args["kubernetes_version"],
        cluster_name=args["cluster_name"],
        cluster_security_group_id=args["cluster_security_group_id"],
        vpc_id=args["vpc_id"],
        subnets=args["subnets"],
        node_role_arn=args.get("node_role_arn"),
        partition=args.get("partition", "aws"),
        capacity_block=block,
        bootstrap=bootstrap,
        tags=args.get("tags", {}),
    )
