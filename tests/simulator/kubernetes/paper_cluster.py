"""A cluster on paper: what the components release, the nodes of groups, and the pods that would be on them."""

import hashlib
import json
from functools import cache
from typing import Any

from eks_accelerators import components
from eks_accelerators.accelerators import device_plugin, instance_types, scheduling
from eks_accelerators.accelerators.sharing import EXCLUSIVE, Sharing
from eks_accelerators.components.nvidia_device_plugin import plugin_configurations
from eks_accelerators.simulator.kubernetes import charts
from eks_accelerators.simulator.kubernetes.nodes import SimulatedNode, node_object
from eks_accelerators.simulator.kubernetes.placement import obstacles
from tests.components.examples import deployed

DRA_NAMESPACE = "dra-driver-nvidia-gpu"
NVIDIA_NAMESPACE, CONFIG_MAP = "nvidia-device-plugin", "configs-1a2b3c4d"
PLUGINS = (
    components.NvidiaDevicePlugin,
    components.NeuronDevicePlugin,
    components.EfaDevicePlugin,
    components.DraDriver,
)
RELEASED = (*PLUGINS, components.DcgmExporter, components.GpuOperator, components.Keda)
OPERATOR_NAMESPACE = "gpu-operator"


@cache
def _inputs(component) -> dict[str, Any]:
    return deployed(component).one("Release").inputs


def released(component, values: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    """The objects of a component's Helm release; ``values`` are merged over the component's at the first level."""
    release = _inputs(component)
    given = {**release["values"], **(values or {})}
    if component is components.NvidiaDevicePlugin and "config" not in (values or {}):
        given["config"] = {**given["config"], "name": CONFIG_MAP}
    return charts.manifests(
        release["chart"],
        version=release["version"],
        release=f"{component.__name__.lower()}-ab12",
        namespace=release["namespace"],
        values=given,
    )


def sharing_args(sharing: Sharing) -> dict[str, Any]:
    """A sharing in the shape of a node group's settings."""
    if sharing == EXCLUSIVE:
        return {"strategy": "exclusive"}
    arguments: dict[str, Any] = {
        "strategy": sharing.strategy,
        "replicas": sharing.replicas if sharing.replicas > 1 else None,
        "rename_by_default": sharing.renamed,
        "fail_requests_greater_than_one": sharing.fail_requests_greater_than_one,
        "allocation_policy": sharing.allocation_policy,
    }
    if sharing.mig:
        layouts = [dict(layout) for layout in sharing.mig.layouts]
        written = {"layout": layouts[0]} if len(layouts) == 1 else {"layouts": layouts}
        arguments["mig"] = {"strategy": sharing.mig.strategy, **written}
        if sharing.replicas == 1:
            return {key: arguments[key] for key in ("strategy", "mig")}
    return {key: value for key, value in arguments.items() if value is not None}


def operator_objects(
    *sharings: Sharing, left_alone: tuple[dict[str, str], ...] = (), **inputs: Any
) -> list[dict[str, Any]]:
    """What `components.GpuOperator` brings for ``sharings``: ConfigMaps, named after their content, and the release.

    ``left_alone`` are tolerations of discovery for nodes that the operator does not serve, ``inputs`` further arguments.
    """
    kinds = [sharing_args(sharing) for sharing in dict.fromkeys(sharings) if sharing != EXCLUSIVE]
    own = [scheduling.NVIDIA.taint.toleration]
    args = {"sharings": kinds, "discovery_tolerations": [*own, *left_alone], **inputs}
    made = deployed(components.GpuOperator, args, name="operator")
    maps, names = [], {}
    for config_map in made.of("ConfigMap"):
        data = config_map.inputs["data"]
        names[config_map.name] = f"{config_map.name}-{hashlib.sha256(json.dumps(data).encode()).hexdigest()[:8]}"
        meta = {"name": names[config_map.name], "namespace": OPERATOR_NAMESPACE}
        maps.append({"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": data})
    values = made.one("Release").inputs["values"]
    for part, name in (("devicePlugin", "configs"), ("migManager", "mig-layouts"), ("dcgmExporter", "counters")):
        values[part]["config"]["name"] = names[f"operator-{name}"]
    version = made.one("Release").inputs["version"]
    rendered = charts.manifests(
        "gpu-operator", version=version, release="operator-ab12", namespace=OPERATOR_NAMESPACE, values=values
    )
    return [*maps, *rendered]


def daemon_sets(*manifests) -> list[dict[str, Any]]:
    return [manifest for manifest in manifests if manifest["kind"] == "DaemonSet"]


@cache
def _all_daemon_sets() -> tuple[dict[str, Any], ...]:
    return tuple(one for component in PLUGINS for one in daemon_sets(*released(component)))


def every_daemon_set() -> list[dict[str, Any]]:
    """Of all plugins as the components release them."""
    return list(_all_daemon_sets())


def node(
    instance_type: str = "g6.2xlarge", sharing: Sharing = EXCLUSIVE, *, claimed: bool = False, **changes: Any
) -> dict[str, Any]:
    """A node with the labels and the taint that the package puts on its groups; ``claimed`` are its GPUs by pods."""
    kind = instance_types.find(instance_type)
    labels: dict[str, str] = {}
    taints: list[dict[str, str]] = []
    if kind is not None:
        identity = scheduling.identity_of(kind)
        labels |= identity.node_selector
        taints.append({"key": identity.taint.key, "value": identity.taint.value, "effect": identity.taint.effect})
        if claimed:
            labels[scheduling.DRA_LABEL] = "true"
        elif kind.has_nvidia_gpu:
            labels[scheduling.DEVICE_PLUGIN_CONFIG_LABEL] = device_plugin.config_key(sharing)
    if changes.get("efa_interfaces"):
        labels[scheduling.EFA_PRESENT_LABEL] = "true"
    image = "AL2023_x86_64_STANDARD" if kind is None else kind.ami_types[0]
    given = {
        "name": "ip-10-20-0-12.us-east-2.compute.internal",
        "instance_id": "i-0a",
        "instance_type": instance_type,
        "region": "us-east-2",
        "zone": "us-east-2a",
        "zone_id": "use2-az1",
        "node_group": "gpu-1a2b",
        "capacity_type": "ON_DEMAND",
        "ami_type": image,
        "kubernetes_version": "1.35",
        "labels": labels,
        "taints": taints,
        "root_gib": 100,
    }
    return node_object(SimulatedNode(**{**given, **changes}))


def pods_on(here: dict[str, Any], sets: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One running pod for each DaemonSet that may run on the node."""
    return [
        {
            "metadata": {
                "name": f"{one['metadata']['name']}-x7k2p",
                "namespace": one["metadata"]["namespace"],
                "labels": one["spec"]["template"]["metadata"]["labels"],
            },
            "spec": {**one["spec"]["template"]["spec"], "nodeName": here["metadata"]["name"]},
            "status": {"phase": "Running"},
        }
        for one in sets
        if not obstacles(one["spec"]["template"]["spec"], here, daemon=True)
    ]


def configurations(*sharings: Sharing, **texts: str) -> dict[tuple[str, str], dict[str, Any]]:
    """The cluster's ConfigMaps: the one that the component writes for ``sharings``, with further texts by key."""
    data = {**plugin_configurations(list(sharings)), **{key.replace("_", "-"): text for key, text in texts.items()}}
    return {(NVIDIA_NAMESPACE, CONFIG_MAP): {"data": data}}
