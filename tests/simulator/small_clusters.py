"""A cluster without Pulumi: node groups by plain calls to the account, plugins by plain objects, and waiting for both."""

import base64
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from eks_accelerators import components
from eks_accelerators.accelerators import device_plugin, instance_types, scheduling
from eks_accelerators.accelerators.sharing import EXCLUSIVE, Sharing
from eks_accelerators.simulator.kubernetes.report import NodeState, node_reports
from eks_accelerators.simulator.simulation import Simulation, opened
from tests.polls import until
from tests.simulator.kubernetes.paper_cluster import DRA_NAMESPACE, NVIDIA_NAMESPACE, configurations, released
from tests.simulator.worlds import NOW

CLUSTER, REGION, ZONES = "ml", "us-east-2", ("us-east-2a", "us-east-2b")
NVIDIA_TOLERATION = scheduling.NVIDIA.taint.toleration


@contextmanager
def small_cluster(folder, engines, **world: Any) -> Iterator[Simulation]:
    """A simulation in which a cluster with two system nodes is there; its folder goes afterwards."""
    account = {"cluster": {"name": CLUSTER, "kubernetesVersion": "1.35", "zones": list(ZONES)}, **world}
    with opened(folder, engines, region=REGION, now=NOW, world=account) as sim:
        sim.kubelets.sync()
        yield sim
    shutil.rmtree(folder)


def eks(sim: Simulation, operation: str, **parameters: Any) -> dict[str, Any]:
    return sim.account.call("eks", operation, **parameters)


def add_group(
    sim: Simulation,
    name: str,
    instance_type: str = "g6.2xlarge",
    *,
    nodes: int = 1,
    sharing: Sharing = EXCLUSIVE,
    claimed: bool = False,
    zone: str = ZONES[0],
    ami_type: str | None = None,
    labels: dict[str, str] | None = None,
    taints: list[dict[str, str]] | None = None,
    user_data: str = "",
    **more: Any,
) -> None:
    """A node group with the labels and the taint of this package, and its nodes; ``claimed`` are its GPUs by pods.

    ``more`` are further parameters of the call, None for one that is left out.
    """
    kind = instance_types.find(instance_type)
    own_labels: dict[str, str] = {}
    own_taints: list[dict[str, str]] = []
    if kind is not None:
        identity = scheduling.identity_of(kind)
        own_labels = {scheduling.NODE_GROUP_LABEL: name, **identity.node_selector}
        if claimed:
            own_labels[scheduling.DRA_LABEL] = "true"
        elif kind.has_nvidia_gpu and ami_type is None:
            own_labels[scheduling.DEVICE_PLUGIN_CONFIG_LABEL] = device_plugin.config_key(sharing)
        own_taints = [{"key": identity.taint.key, "value": identity.taint.value, "effect": "NO_SCHEDULE"}]
    template = _template(sim, name, user_data) if user_data else {}
    wanted = {
        "clusterName": CLUSTER,
        "nodegroupName": name,
        "nodeRole": f"arn:aws:iam::111122223333:role/{CLUSTER}-node",
        "subnets": [_subnet(sim, zone)],
        "instanceTypes": [instance_type],
        "amiType": ami_type or (kind.ami_types[0] if kind else "AL2023_x86_64_STANDARD"),
        "scalingConfig": {"minSize": 0, "desiredSize": nodes, "maxSize": max(nodes, 4)},
        "labels": {**own_labels, **(labels or {})},
        "taints": own_taints if taints is None else taints,
        **template,
        **more,
    }
    eks(sim, "create_nodegroup", **{key: value for key, value in wanted.items() if value is not None})
    sim.kubelets.sync()


def resize(sim: Simulation, name: str, nodes: int) -> None:
    sizes = {"desiredSize": nodes}
    eks(sim, "update_nodegroup_config", clusterName=CLUSTER, nodegroupName=name, scalingConfig=sizes)
    sim.kubelets.sync()


def remove_group(sim: Simulation, name: str) -> None:
    eks(sim, "delete_nodegroup", clusterName=CLUSTER, nodegroupName=name)
    sim.kubelets.sync()


def install_nvidia_plugin(sim: Simulation, *sharings: Sharing, values: dict[str, Any] | None = None) -> None:
    """The device plugin as `components.NvidiaDevicePlugin` releases it, with the ConfigMap for ``sharings``."""
    metadata = {"name": NVIDIA_NAMESPACE, "labels": {"pod-security.kubernetes.io/enforce": "privileged"}}
    sim.cluster.api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})
    for (namespace, name), config in configurations(*sharings).items():
        of_map = {"name": name, "namespace": namespace}
        sim.cluster.api.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": of_map, **config})
    for manifest in released(components.NvidiaDevicePlugin, values):
        sim.cluster.api.apply(manifest)


def install_dra_driver(sim: Simulation) -> None:
    """The driver as `components.DraDriver` releases it."""
    metadata = {"name": DRA_NAMESPACE, "labels": {"pod-security.kubernetes.io/enforce": "privileged"}}
    sim.cluster.api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})
    for manifest in released(components.DraDriver):
        sim.cluster.api.apply(manifest)


def deployment(
    name: str,
    replicas: int = 1,
    *,
    asks: dict[str, Any] | None = None,
    labels: dict[str, str] | None = None,
    **pod: Any,
) -> dict[str, Any]:
    """A Deployment whose pods ask for ``asks``; ``pod`` are further fields of their spec."""
    container = {"name": "main", "image": "image", "resources": {"requests": asks or {}, "limits": asks or {}}}
    template = {"metadata": {"labels": {"app": name, **(labels or {})}}, "spec": {"containers": [container], **pod}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": name}}, "template": template},
    }


def nodes(sim: Simulation, group: str) -> list[dict[str, Any]]:
    return sim.cluster.api.list("v1", "Node", None, f"eks.amazonaws.com/nodegroup={group}")


def reports(sim: Simulation, group: str) -> list[NodeState]:
    return [report for report in node_reports(sim.cluster.api, sim.notes) if report.node_group == group]


def usable(sim: Simulation, group: str) -> int:
    """How many nodes of a group the scheduler takes: it goes by their taints."""
    taints = [[taint["key"] for taint in node["spec"].get("taints", [])] for node in nodes(sim, group)]
    return sum("node.kubernetes.io/not-ready" not in keys for keys in taints)


def pods(sim: Simulation, app: str, namespace: str = "default") -> list[dict[str, Any]]:
    return sim.cluster.api.list("v1", "Pod", namespace, f"app={app}")


def running_on(sim: Simulation, app: str) -> list[str]:
    """The nodes of the running pods."""
    return sorted(pod["spec"]["nodeName"] for pod in pods(sim, app) if pod["status"]["phase"] == "Running")


def groups_that_take(sim: Simulation, app: str, asks: dict[str, Any], selects: dict[str, str]) -> set[str]:
    """The node groups on which a pod with the package's toleration comes to run; it goes afterwards."""
    made = deployment(app, asks=asks, nodeSelector=selects, tolerations=[NVIDIA_TOLERATION])
    sim.cluster.api.create(made)
    try:
        wait(lambda: len(running_on(sim, app)) == 1)
        listed = {node["metadata"]["name"]: node for node in sim.cluster.api.list("v1", "Node")}
        return {listed[name]["metadata"]["labels"]["eks.amazonaws.com/nodegroup"] for name in running_on(sim, app)}
    finally:
        sim.cluster.api.delete("apps/v1", "Deployment", app, "default")
        wait(lambda: pods(sim, app) == [])


def shown(sim: Simulation, group: str) -> list[dict[str, int]]:
    """What the nodes of a group have to give."""
    return [{key: count.allocatable for key, count in one.accelerators.items()} for one in reports(sim, group)]


def wait(condition) -> None:
    until(condition)


def _subnet(sim: Simulation, zone: str) -> str:
    """The private subnet of the zone."""
    listed = eks(sim, "describe_cluster", name=CLUSTER)["cluster"]["resourcesVpcConfig"]["subnetIds"]
    found = sim.account.call("ec2", "describe_subnets", SubnetIds=listed)["Subnets"]
    return next(
        each["SubnetId"] for each in found if each["AvailabilityZone"] == zone and not each["MapPublicIpOnLaunch"]
    )


def _template(sim: Simulation, name: str, user_data: str) -> dict[str, Any]:
    data = {"UserData": base64.b64encode(user_data.encode()).decode()}
    made = sim.account.call("ec2", "create_launch_template", LaunchTemplateName=name, LaunchTemplateData=data)
    return {"launchTemplate": {"id": made["LaunchTemplate"]["LaunchTemplateId"], "version": "1"}}
