"""The specs of Karpenter's own kinds, from a resolved node group: plain data, no resources.

Source: aws/karpenter-provider-aws v1.14.1, `pkg/apis/crds`, and its documentation of NodePools and NodeClasses; read
2026-11-22.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pulumi

from eks_accelerators.accelerators import karpenter as facts
from eks_accelerators.components import user_data
from eks_accelerators.components.launch_template import AL2023_ROOT_DEVICE
from eks_accelerators.components.parallel_pull import NODEADM_FEATURES
from eks_accelerators.settings.model.node_autoscaling import KarpenterPoolSettings
from eks_accelerators.settings.model.node_groups import CapacityType, Disk, LocalNvme
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup

_DRIFTED = {"nodes": "0", "reasons": ["Drifted"]}
"""A new image, and any change of the pool, would replace every node."""


def node_pool(group: ResolvedNodeGroup, *, zones_by_id: bool) -> dict[str, Any]:
    """The spec of the NodePool. ``size.max`` nodes' accelerators are its limit, and so the most that it costs."""
    wanted = group.settings.karpenter or KarpenterPoolSettings()
    share = group.shares[0]
    template = {
        "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": group.name},
        "requirements": _requirements(group, wanted, zones_by_id=zones_by_id),
        "taints": [_filled(key=taint.key, value=taint.value, effect=taint.effect) for taint in group.taints],
        "expireAfter": wanted.expire_after or "Never",
        **_filled(terminationGracePeriod=wanted.termination_grace_period),
    }
    return {
        "template": {"metadata": {"labels": group.labels}, "spec": template},
        "disruption": {
            "consolidationPolicy": "WhenEmpty" if wanted.do_not_disrupt else "WhenEmptyOrUnderutilized",
            "consolidateAfter": wanted.consolidate_after,
            "budgets": [{"nodes": "10%"}, *([_DRIFTED] if wanted.do_not_disrupt else [])],
        },
        "limits": {share.resource: str(group.settings.size.max * share.count)},
    }


def _requirements(
    group: ResolvedNodeGroup, wanted: KarpenterPoolSettings, *, zones_by_id: bool
) -> list[dict[str, Any]]:
    spot = group.settings.bought_as is CapacityType.SPOT
    capacity = [*(["spot"] if spot else []), *(["on-demand"] if wanted.on_demand_fallback or not spot else [])]
    values = {
        facts.INSTANCE_TYPE: [group.type.name, *wanted.also_instance_types],
        facts.CAPACITY_TYPE: capacity,
        facts.ZONE_ID if zones_by_id else facts.ZONE: list(group.zones),
    }
    return [{"key": key, "operator": "In", "values": each} for key, each in values.items()]


def node_class(
    group: ResolvedNodeGroup,
    *,
    role: pulumi.Input[str],
    subnet_ids: Sequence[pulumi.Input[str]],
    security_group_ids: Sequence[pulumi.Input[str]],
    tags: Mapping[str, str],
) -> dict[str, Any]:
    """The spec of the EC2NodeClass: what a launch template says of a managed group."""
    settings = group.settings
    return {
        "role": role,
        "amiSelectorTerms": [{"alias": _alias(settings.ami.release_version)}],
        "subnetSelectorTerms": [{"id": each} for each in subnet_ids],
        "securityGroupSelectorTerms": [{"id": each} for each in security_group_ids],
        "blockDeviceMappings": [{"deviceName": AL2023_ROOT_DEVICE, "rootVolume": True, "ebs": _volume(settings.disk)}],
        "metadataOptions": {
            "httpEndpoint": "enabled",
            "httpTokens": "required",
            "httpPutResponseHopLimit": settings.instance_metadata.hop_limit,
        },
        "tags": dict(tags),
        **_filled(
            instanceStorePolicy="RAID0" if settings.local_nvme is LocalNvme.RAID0 else None,
            userData=_user_data(group),
        ),
    }


def _alias(release: str | None) -> str:
    """The image: a release such as `1.35.1-20261012` is known by its date."""
    return f"al2023@v{release.rpartition('-')[2]}" if release else "al2023@latest"


def _user_data(group: ResolvedNodeGroup) -> str | None:
    """What differs from Karpenter's own; of the disks inside the instance the class has a word of its own."""
    if not group.settings.image_pull.fast:
        return None
    gates = {"apiVersion": "node.eks.aws/v1alpha1", "kind": "NodeConfig"}
    return user_data.mime({**gates, "spec": {"featureGates": NODEADM_FEATURES}})


def _volume(disk: Disk) -> dict[str, Any]:
    return _filled(
        volumeSize=f"{disk.size_gib}Gi",
        volumeType=disk.type.value,
        iops=disk.iops,
        throughput=disk.throughput_mibps,
        encrypted=disk.encrypted,
        kmsKeyID=disk.kms_key_arn,
        deleteOnTermination=True,
    )


def _filled(**fields: Any) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if value not in (None, "")}
