"""The untainted managed node group that DNS, controllers and everything else runs on."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

from eks_accelerators.accelerators import ami
from eks_accelerators.accelerators.partitions import partition_of
from eks_accelerators.components.arguments import SystemNodeGroupArgs
from eks_accelerators.components.base import Component, named
from eks_accelerators.components.launch_template import AL2023_ROOT_DEVICE, gp3_volume, tag_specifications
from eks_accelerators.components.roles import node_role
from eks_accelerators.components.validation import as_model
from eks_accelerators.settings.model.node_groups import SystemNodeGroupSettings


@dataclass(frozen=True, slots=True)
class SystemNodeGroupInputs:
    """The nodes as the settings have them, and the cluster that they join."""

    group: SystemNodeGroupSettings
    region: str
    kubernetes_version: str
    cluster_name: pulumi.Input[str]
    cluster_security_group_id: pulumi.Input[str]
    subnet_ids: pulumi.Input[Sequence[pulumi.Input[str]]]
    tags: dict[str, str] | None = None


class SystemNodeGroup(Component[SystemNodeGroupInputs]):
    """A managed node group without taints, and the IAM role that all nodes of the cluster share.

    Providers: AWS.

    Alone: Nodes without a taint, on any cluster whose VPC CNI works. Its role can serve other groups: pass
    `node_role_arn` on.
    """

    node_group_name: pulumi.Output[str]
    """Name of the managed node group, as AWS has it."""
    node_role_arn: pulumi.Output[str]
    """ARN of the IAM role of all nodes."""

    def __init__(self, name: str, args: SystemNodeGroupArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        inputs = SystemNodeGroupInputs(
            as_model(SystemNodeGroupSettings, args),
            region=args["region"],
            kubernetes_version=args["kubernetes_version"],
            cluster_name=args["cluster_name"],
            cluster_security_group_id=args["cluster_security_group_id"],
            subnet_ids=args["subnet_ids"],
            tags=args.get("tags"),
        )
        self._create(name, inputs, opts)

    def _create(self, name: str, inputs: SystemNodeGroupInputs, opts: pulumi.ResourceOptions | None) -> None:
        self._register(name, opts)
        tags, wanted = inputs.tags, inputs.group
        role, attached = node_role(self, f"{name}-node", partition_of(inputs.region), tags)
        template = aws.ec2.LaunchTemplate(
            name,
            block_device_mappings=[gp3_volume(AL2023_ROOT_DEVICE, wanted.disk_size_gib)],
            metadata_options=aws.ec2.LaunchTemplateMetadataOptionsArgs(
                http_endpoint="enabled", http_tokens="required", http_put_response_hop_limit=1
            ),
            vpc_security_group_ids=[inputs.cluster_security_group_id],
            tag_specifications=tag_specifications(named(tags, name)),
            update_default_version=True,
            tags=named(tags, name),
            opts=self.child(),
        )
        group = aws.eks.NodeGroup(
            name,
            cluster_name=inputs.cluster_name,
            node_role_arn=role.arn,
            subnet_ids=inputs.subnet_ids,
            instance_types=list(wanted.instance_types),
            ami_type=ami.system_type(wanted.instance_types[0]),
            version=inputs.kubernetes_version,
            launch_template=aws.eks.NodeGroupLaunchTemplateArgs(
                id=template.id, version=template.latest_version.apply(str)
            ),
            scaling_config=aws.eks.NodeGroupScalingConfigArgs(
                min_size=wanted.size.min, desired_size=wanted.size.desired, max_size=wanted.size.max
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
