"""The launch template of an accelerator node group, as arguments for `aws.ec2.LaunchTemplate`.

What EKS refuses in it is left out: subnets, instance profile, shutdown behaviour. Sources: EKS API
CreateNodegroup, EKS user guide `launch-templates` and `capacity-blocks-mng`, EC2 User Guide
`efa-acc-inst-types`; read 2026-11-20.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pulumi
import pulumi_aws as aws

from eks_accelerators.accelerators import ami
from eks_accelerators.settings.model.node_groups import CapacityType, Disk, PlacementGroupChoice
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup

AL2023_ROOT_DEVICE = "/dev/xvda"
BOTTLEROCKET_SYSTEM_DEVICE = "/dev/xvda"
BOTTLEROCKET_DATA_DEVICE = "/dev/xvdb"


def launch_template(
    group: ResolvedNodeGroup,
    *,
    security_group_ids: Sequence[pulumi.Input[str]],
    reservation_id: pulumi.Input[str] | None,
    placement_group: pulumi.Input[str] | None,
    user_data: pulumi.Input[str] | None,
    tags: Mapping[str, str],
) -> dict[str, Any]:
    """Keyword arguments for `aws.ec2.LaunchTemplate`.

    ``security_group_ids`` begin with the cluster's: EKS adds it only where the template names none.
    """
    block = group.settings.bought_as is CapacityType.CAPACITY_BLOCK
    template: dict[str, Any] = {
        # A Capacity Block is one instance type's, so its template must say which; else the group says it.
        "instance_type": group.type.name if block else None,
        "image_id": group.settings.ami.image_id,
        "block_device_mappings": _volumes(group.settings.disk, group.ami_type),
        "metadata_options": aws.ec2.LaunchTemplateMetadataOptionsArgs(
            http_endpoint="enabled",
            http_tokens="required",
            http_put_response_hop_limit=group.settings.instance_metadata.hop_limit,
        ),
        "tag_specifications": tag_specifications(tags),
        "user_data": user_data,
        "update_default_version": True,
        "tags": dict(tags),
    }
    if group.interfaces:
        template["network_interfaces"] = _interfaces(group, security_group_ids)
    else:
        template["vpc_security_group_ids"] = list(security_group_ids)
    if group.placement_group is PlacementGroupChoice.CLUSTER and placement_group is not None:
        template["placement"] = aws.ec2.LaunchTemplatePlacementArgs(group_name=placement_group)
    if reservation_id is not None:
        template["capacity_reservation_specification"] = aws.ec2.LaunchTemplateCapacityReservationSpecificationArgs(
            # Never fall back to on-demand nodes beside a reservation that is paid for.
            capacity_reservation_preference=None if block else "capacity-reservations-only",
            capacity_reservation_target=aws.ec2.LaunchTemplateCapacityReservationSpecificationCapacityReservationTargetArgs(
                capacity_reservation_id=reservation_id
            ),
        )
    if block:
        template["instance_market_options"] = aws.ec2.LaunchTemplateInstanceMarketOptionsArgs(
            market_type="capacity-block"
        )
    return {key: value for key, value in template.items() if value is not None}


def tag_specifications(tags: Mapping[str, str]) -> list[aws.ec2.LaunchTemplateTagSpecificationArgs] | None:
    """Tags for instances, volumes and interfaces, which the provider's default tags do not reach."""
    if not tags:
        return None
    kinds = ("instance", "volume", "network-interface")
    return [aws.ec2.LaunchTemplateTagSpecificationArgs(resource_type=kind, tags=dict(tags)) for kind in kinds]


def gp3_volume(device: str, size_gib: int) -> aws.ec2.LaunchTemplateBlockDeviceMappingArgs:
    """An encrypted gp3 volume with what gp3 includes."""
    return _volume_mapping(device, Disk(size_gib=size_gib))


def _volumes(disk: Disk, ami_type: str) -> list[aws.ec2.LaunchTemplateBlockDeviceMappingArgs]:
    if not ami.is_bottlerocket(ami_type):
        return [_volume_mapping(AL2023_ROOT_DEVICE, disk)]
    # Bottlerocket keeps its system on a small volume of its own; images and pods are on the other.
    system = Disk(encrypted=disk.encrypted, kms_key_arn=disk.kms_key_arn)
    return [
        _volume_mapping(BOTTLEROCKET_SYSTEM_DEVICE, system, sized=False),
        _volume_mapping(BOTTLEROCKET_DATA_DEVICE, disk),
    ]


def _volume_mapping(device: str, disk: Disk, *, sized: bool = True) -> aws.ec2.LaunchTemplateBlockDeviceMappingArgs:
    return aws.ec2.LaunchTemplateBlockDeviceMappingArgs(
        device_name=device,
        ebs=aws.ec2.LaunchTemplateBlockDeviceMappingEbsArgs(
            volume_size=disk.size_gib if sized else None,
            volume_type=disk.type.value,
            iops=disk.iops,
            throughput=disk.throughput_mibps,
            encrypted=str(disk.encrypted).lower(),
            kms_key_id=disk.kms_key_arn,
            delete_on_termination="true",
        ),
    )


def _interfaces(
    group: ResolvedNodeGroup, security_group_ids: Sequence[pulumi.Input[str]]
) -> list[aws.ec2.LaunchTemplateNetworkInterfaceArgs]:
    return [
        aws.ec2.LaunchTemplateNetworkInterfaceArgs(
            network_card_index=interface.card,
            device_index=interface.device,
            interface_type=interface.type.value,
            security_groups=list(security_group_ids),
            delete_on_termination="true",
        )
        for interface in group.interfaces
    ]
