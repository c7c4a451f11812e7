"""The EC2 instances of the account as nodes of its cluster: those of its node groups, and those that fleets launched for it."""

import re
from collections.abc import Callable, Iterator

from eks_accelerators.accelerators import ami, instance_types, neuron
from eks_accelerators.simulator.aws import launch_templates, public_parameters
from eks_accelerators.simulator.aws.model import ClusterRecord, FleetInstance, InstanceRecord, NodeGroupRecord, State
from eks_accelerators.simulator.kubernetes import mig_hardware, node_config
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


def fleet_nodes_of(
    state: State, cluster: ClusterRecord, has_joined: Callable[[InstanceRecord], bool]
) -> Iterator[SimulatedNode]:
    """A node for every instance of a fleet that ``has_joined``, and whose user data has it join this cluster."""
    for each in filter(lambda found: has_joined(found.instance), list(state.fleet)):
        config = node_config.of_user_data(launch_templates.user_data(each.template))
        if config is not None and config.cluster == cluster.described["name"]:
            yield _fleet_node(state.region, cluster.described["version"], each, config)


def _fleet_node(region: str, version: str, launched: FleetInstance, config: node_config.NodeConfig) -> SimulatedNode:
    instance, kind = launched.instance, instance_types.find(launched.instance.instance_type)
    return SimulatedNode(
        name=_name(instance, region),
        instance_id=instance.id,
        instance_type=instance.instance_type,
        region=region,
        zone=instance.zone,
        zone_id=instance.zone_id,
        node_group="",
        capacity_type=launched.capacity_type,
        ami_type=public_parameters.ami_types_by_image().get(launched.image_id, "CUSTOM"),
        kubernetes_version=version,
        labels=config.labels,
        taints=config.taints,
        efa_interfaces=launch_templates.efa_interfaces(launched.template),
        root_gib=launch_templates.data_volume_gib(launched.template),
        raid0_gb=kind.local_nvme_gb if kind and config.raid0 else 0,
    )


def _name(instance: InstanceRecord, region: str) -> str:
    domain = "ec2.internal" if region == "us-east-1" else f"{region}.compute.internal"
    return f"ip-{instance.private_ip.replace('.', '-')}.{domain}"


def _node(region: str, name: str, group: NodeGroupRecord, instance: InstanceRecord) -> SimulatedNode:
    described, scaling = group.described, group.scaling
    settings = launch_templates.user_data(scaling.template)
    kind = instance_types.find(instance.instance_type)
    bottlerocket = ami.is_bottlerocket(scaling.ami_type)
    return SimulatedNode(
        name=_name(instance, region),
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
        logical_core_size="" if bottlerocket else _logical_core_size(settings),
        bottlerocket_settings=settings if bottlerocket else "",
    )


def _logical_core_size(user_data: str) -> str:
    """What a script in the user data writes into the file of the Neuron runtime; empty where it writes nothing."""
    found = re.search(rf"{neuron.LOGICAL_CORE_VARIABLE}=(\d+)", user_data)
    return found[1] if found else ""


def _taint(taint: dict[str, str]) -> dict[str, str]:
    value = {"value": taint["value"]} if taint.get("value") else {}
    return {"key": taint["key"], **value, "effect": _EFFECTS[taint["effect"]]}
