"""The EC2 instances of the account's node groups as nodes of its cluster."""

from collections.abc import Callable, Iterator

from eks_accelerators.accelerators import ami, instance_types
from eks_accelerators.simulator.aws import launch_templates
from eks_accelerators.simulator.aws.model import ClusterRecord, InstanceRecord, NodeGroupRecord
from eks_accelerators.simulator.kubernetes import mig_hardware
from eks_accelerators.simulator.kubernetes.nodes import SimulatedNode

_EFFECTS = {"NO_SCHEDULE": "NoSchedule", "NO_EXECUTE": "NoExecute", "PREFER_NO_SCHEDULE": "PreferNoSchedule"}


def nodes_of(
    cluster: ClusterRecord, region: str, has_joined: Callable[[InstanceRecord], bool] = lambda _instance: True
) -> Iterator[SimulatedNode]:
    """A node for every instance that ``has_joined``, of the groups whose nodes could."""
    for name, group in sorted(cluster.node_groups.items()):
        if group.described["status"] == "ACTIVE":
            for instance in filter(has_joined, list(group.scaling.instances)):
                yield _node(region, name, group, instance)


def _node(region: str, name: str, group: NodeGroupRecord, instance: InstanceRecord) -> SimulatedNode:
    address = instance.private_ip.replace(".", "-")
    domain = "ec2.internal" if region == "us-east-1" else f"{region}.compute.internal"
    described, scaling = group.described, group.scaling
    settings = launch_templates.user_data(scaling.template)
    kind = instance_types.find(instance.instance_type)
    bottlerocket = ami.is_bottlerocket(scaling.ami_type)
    return SimulatedNode(
        name=f"ip-{address}.{domain}",
        instance_id=instance.id,
        instance_type=instance.instance_type,
        region=region,
        zone=instance.zone,
        zone_id=instance.zone_id,
        node_group=name,
        capacity_type=scaling.capacity_type,
        ami_type=scaling.ami_type,
        kubernetes_version=described["version"],
        labels=dict(described["labels"]),
        taints=[_taint(taint) for taint in described["taints"]],
        efa_interfaces=launch_templates.efa_interfaces(scaling.template),
        root_gib=launch_templates.data_volume_gib(scaling.template),
        raid0_gb=kind.local_nvme_gb if kind and not bottlerocket and '"RAID0"' in settings else 0,
        mig_layout="" if bottlerocket else mig_hardware.layout_file(settings),
        bottlerocket_settings=settings if bottlerocket else "",
    )


def _taint(taint: dict[str, str]) -> dict[str, str]:
    value = {"value": taint["value"]} if taint.get("value") else {}
    return {"key": taint["key"], **value, "effect": _EFFECTS[taint["effect"]]}
