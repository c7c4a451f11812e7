"""The untainted managed node group that DNS, controllers and everything else runs on."""

from collections.abc import Sequence
from typing import NotRequired, TypedDict

import pulumi
import pulumi_aws as aws

from accelerators import ami
from accelerators.partitions import partition_of
from components.base import Component, named
from components.launch_template import AL2023_ROOT_DEVICE, gp3_volume, tag_specifications
from components.roles import node_role
from components.shapes import SizeArgs


class SystemNodeGroupArgs(TypedDict):
    """The nodes, and the cluster that they join."""

    region: str
    """AWS region."""
    cluster_name: pulumi.Input[str]
    """Name of the cluster."""
    cluster_security_group_id: pulumi.Input[str]
    """Security group that EKS made for the cluster."""
    subnet_ids: pulumi.Input[list[str]]
    """Private subnets."""
    kubernetes_version: str
    """Minor version of the cluster."""
    instance_types: list[str]
    """EC2 instance types, the first preferred."""
    size: SizeArgs
    """How many nodes."""
    disk_size_gib: NotRequired[int]
    """Root volume in GiB, 50 by default."""
    tags: NotRequired[dict[str, str]]
    """Tags on every resource."""


class SystemNodeGroup(Component):
    """A managed node group without taints, and the IAM role that all nodes of the cluster share."""

    node_group_name: pulumi.Output[str]
    """Name in AWS."""
    node_role_arn: pulumi.Output[str]
    """IAM role of the nodes."""

    def __init__(self, name: str, args: SystemNodeGroupArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("SystemNodeGroup", name, args, opts)
        tags = args.get("tags", {})
        role, attached = node_role(self, f"{name}-node", partition_of(args["region"]), args.get("tags"))
        template = aws.ec2.LaunchTemplate(
            name,
            block_device_mappings=[gp3_volume(AL2023_ROOT_DEVICE, args.get("disk_size_gib", 50))],
            metadata_options=aws.ec2.LaunchTemplateMetadataOptionsArgs(
                http_endpoint="enabled", http_tokens="required", http_put_response_hop_limit=1
            ),
            vpc_security_group_ids=[args["cluster_security_group_id"]],
            tag_specifications=tag_specifications(named(tags, name)),
            update_default_version=True,
            tags=named(tags, name),
            opts=self.child(),
        )
        size = args["size"]
        group = aws.eks.NodeGroup(
            name,
            cluster_name=args["cluster_name"],
            node_role_arn=role.arn,
            subnet_ids=args["subnet_ids"],
            instance_types=args["instance_types"],
            ami_type=ami.system_type(args["instance_types"][0]),
            version=args["kubernetes_version"],
            launch_template=aws.eks.NodeGroupLaunchTemplateArgs(
                id=template.id, version=template.latest_version.apply(str)
            ),
            scaling_config=aws.eks.NodeGroupScalingConfigArgs(
                min_size=size.get("min", 0), desired_size=size.get("desired", 0), max_size=size["max"]
            ),
            update_config=aws.eks.NodeGroupUpdateConfigArgs(max_unavailable=1),
            node_repair_config=aws.eks.NodeGroupNodeRepairConfigArgs(enabled=True),
            tags=named(tags, name),
            opts=self.child(depends_on=attached, ignore_changes=["scalingConfig.desiredSize"]),
        )
        self.node_group_name = group.node_group_name
        # With its policies: nodes of other groups need them as well, from their start until they are gone. A URN is
        # known in every preview, so that the ARN stays known too.
        self.node_role_arn = pulumi.Output.all(role.arn, *[policy.urn for policy in attached]).apply(_first)
        self.register_outputs({"node_group_name": self.node_group_name, "node_role_arn": self.node_role_arn})


def _first(values: Sequence[str]) -> str:
    return values[0]
