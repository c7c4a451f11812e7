"""The nodes of the simulated account in the real cluster: what kubelets and device plugins would report.

Level-triggered: each pass compares what is with what should be, so that nothing is missed and nothing done twice.
"""

import contextlib
import threading
from collections.abc import Callable
from typing import Any

from accelerators import ami, instance_types
from simulator.aws import launch_templates
from simulator.aws.account import Account
from simulator.aws.model import Cluster, Instance, NodeGroup
from simulator.kubernetes import addons
from simulator.kubernetes.advertised import advertised
from simulator.kubernetes.api import Api, ApiError
from simulator.kubernetes.nodes import SimulatedNode, node_object

MANAGER = "simulated-kubelet"
ROLE_LABEL = "eks-accelerators/simulates"
"""On pods that have an effect on their node."""

_INTERVAL_SECONDS = 0.4
_EFFECTS = {"NO_SCHEDULE": "NoSchedule", "NO_EXECUTE": "NoExecute", "PREFER_NO_SCHEDULE": "PreferNoSchedule"}


class Kubelets:
    """Keeps Node objects, and the pods of managed add-ons, as the account says."""

    def __init__(self, account: Account, api: Callable[[], Api]) -> None:
        self._account, self._api = account, api
        self._lock = threading.Lock()
        self._awake = threading.Event()
        self._addons: dict[str, list[dict[str, Any]]] = {}
        self.notes: dict[str, tuple[str, ...]] = {}
        """Why a plugin's pod on a node advertises nothing, by node."""

    def run(self, stop: threading.Event) -> None:
        """Pass after pass until ``stop`` is set."""
        while not stop.is_set():
            self._awake.wait(_INTERVAL_SECONDS)
            self._awake.clear()
            # A pass that fails, because a server is just starting or ending, is followed by the next.
            with contextlib.suppress(ApiError, OSError):
                if self._account.state.clusters or self._addons:
                    self.sync()

    def wake(self) -> None:
        """Let the next pass come at once."""
        self._awake.set()

    def sync(self) -> None:
        """One pass."""
        with self._lock:
            api = self._api()
            cluster = next(iter(self._account.state.clusters.values()), None)
            self._sync_addons(api, cluster)
            self._sync_nodes(api, cluster)
            self._sync_accelerators(api)

    def _sync_addons(self, api: Api, cluster: Cluster | None) -> None:
        wanted = set(cluster.addons) if cluster else set()
        for name in sorted(wanted - set(self._addons)):
            self._addons[name] = addons.manifests(name)
            for obj in self._addons[name]:
                api.apply(obj, manager="eks")
        for name in sorted(set(self._addons) - wanted):
            for obj in reversed(self._addons.pop(name)):
                api.delete(obj["apiVersion"], obj["kind"], obj["metadata"]["name"], obj["metadata"].get("namespace"))

    def _sync_nodes(self, api: Api, cluster: Cluster | None) -> None:
        wanted = {node.name: node for node in self._nodes(cluster)} if cluster else {}
        there = {node["metadata"]["name"]: node for node in api.list("v1", "Node")}
        for name in sorted(set(there) - set(wanted)):
            api.delete("v1", "Node", name)
        for name, node in wanted.items():
            if name not in there:
                obj = node_object(node)
                api.create({key: value for key, value in obj.items() if key != "status"}, manager=MANAGER)
                api.patch("v1", "Node", name, None, {"status": obj["status"]}, subresource="status")
            else:
                self._relabel(api, there[name], node)

    @staticmethod
    def _relabel(api: Api, there: dict[str, Any], node: SimulatedNode) -> None:
        """EKS puts changed labels and taints of a node group on nodes that run."""
        managed = json_list(there["metadata"].get("annotations", {}).get(_MANAGED_LABELS, ""))
        labels: dict[str, str | None] = {key: None for key in managed if key not in node.labels}
        have = there["metadata"]["labels"]
        labels |= {key: value for key, value in node.labels.items() if have.get(key) != value}
        own = [taint for taint in there["spec"].get("taints", []) if "node.kubernetes.io/" in taint["key"]]
        taints = sorted([*node.taints], key=str)
        if labels:
            annotations = {_MANAGED_LABELS: ",".join(sorted(node.labels))}
            api.patch("v1", "Node", node.name, None, {"metadata": {"labels": labels, "annotations": annotations}})
        current = [
            {k: v for k, v in t.items() if k != "timeAdded"} for t in there["spec"].get("taints", []) if t not in own
        ]
        if sorted(current, key=str) != taints:
            api.patch("v1", "Node", node.name, None, {"spec": {"taints": [*own, *taints]}})

    def _nodes(self, cluster: Cluster) -> list[SimulatedNode]:
        groups = sorted(cluster.node_groups.items())
        return [
            _node(self._account, name, group, instance)
            for name, group in groups
            if group.described["status"] == "ACTIVE"
            for instance in group.scaling.instances
        ]

    def _sync_accelerators(self, api: Api) -> None:
        pods: dict[str, list[dict[str, Any]]] = {}
        for pod in api.list("v1", "Pod", None, ROLE_LABEL):
            if pod.get("status", {}).get("phase") == "Running" and "deletionTimestamp" not in pod["metadata"]:
                pods.setdefault(pod["spec"].get("nodeName", ""), []).append(pod)
        maps = self._config_maps(api, [pod for listed in pods.values() for pod in listed])
        for node in api.list("v1", "Node"):
            self._report(api, node, pods.get(node["metadata"]["name"], []), maps)

    @staticmethod
    def _config_maps(api: Api, pods: list[dict[str, Any]]) -> dict[tuple[str, str], dict[str, Any]]:
        wanted = {
            (pod["metadata"]["namespace"], volume["configMap"]["name"])
            for pod in pods
            for volume in pod["spec"].get("volumes", [])
            if "configMap" in volume
        }
        found = {key: api.get("v1", "ConfigMap", key[1], key[0]) for key in sorted(wanted)}
        return {key: obj for key, obj in found.items() if obj is not None}

    def _report(
        self,
        api: Api,
        node: dict[str, Any],
        pods: list[dict[str, Any]],
        maps: dict[tuple[str, str], dict[str, Any]],
    ) -> None:
        """Write what the plugins on the node advertise; what none advertises any more counts 0, as kubelets keep it."""
        name = node["metadata"]["name"]
        found = advertised(node, pods, maps)
        self.notes[name] = found.notes
        have = node.get("status", {}).get("allocatable", {})
        resources = {key: "0" for key in have if "/" in key and key not in found.resources}
        resources |= {key: str(count) for key, count in found.resources.items()}
        changed = {key: count for key, count in resources.items() if have.get(key) != count}
        if changed:
            api.patch(
                "v1",
                "Node",
                name,
                None,
                {"status": {"capacity": changed, "allocatable": changed}},
                subresource="status",
            )
        labels = {k: v for k, v in found.labels.items() if node["metadata"]["labels"].get(k) != v}
        if labels:
            api.patch("v1", "Node", name, None, {"metadata": {"labels": labels}})


_MANAGED_LABELS = "eks-accelerators/managed-labels"


def json_list(text: str) -> list[str]:
    """Names in a comma-separated annotation."""
    return [part for part in text.split(",") if part]


def _node(account: Account, name: str, group: NodeGroup, instance: Instance) -> SimulatedNode:
    region, address = account.state.region, instance.private_ip.replace(".", "-")
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
        bottlerocket_settings=settings if bottlerocket else "",
    )


def _taint(taint: dict[str, str]) -> dict[str, str]:
    value = {"value": taint["value"]} if taint.get("value") else {}
    return {"key": taint["key"], **value, "effect": _EFFECTS[taint["effect"]]}
