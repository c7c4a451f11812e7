"""The nodes of the simulated account in the real cluster: what EKS, kubelets and device plugins would report.

Level-triggered: each pass compares what is with what should be, so that nothing is missed and nothing done twice.
"""

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol, TypeVar

from eks_accelerators.accelerators.node_capacity import UnknownNodeTypeError
from eks_accelerators.simulator.aws.account import Account
from eks_accelerators.simulator.aws.errors import AwsError
from eks_accelerators.simulator.aws.model import ClusterRecord, InstanceRecord
from eks_accelerators.simulator.folder import SimulationError
from eks_accelerators.simulator.kubernetes import (
    cluster_cleanup,
    controllers,
    label_pruning,
    operator_labels,
    resource_slices,
    volumes,
)
from eks_accelerators.simulator.kubernetes.advertisement import advertised
from eks_accelerators.simulator.kubernetes.api import Api, ApiError
from eks_accelerators.simulator.kubernetes.installed_addons import InstalledAddons
from eks_accelerators.simulator.kubernetes.instances import fleet_nodes_of, nodes_of
from eks_accelerators.simulator.kubernetes.nodes import SimulatedNode, node_object
from eks_accelerators.simulator.kubernetes.roles import GPU_OPERATOR, ROLE_LABEL
from eks_accelerators.simulator.kubernetes.secret_programs import SecretPrograms
from eks_accelerators.simulator.processes import ServerError

MANAGER = "simulated-kubelet"

_INTERVAL_SECONDS = 0.4
_REST = 0.5
"""After a pass comes a rest of so many times its length, unless something wakes the next one."""
_STRAGGLERS_SECONDS = 3.0
"""For so long after a node has gone the scheduler may still put a pod on it."""
_THREADS = 8

_GIVEN = "eks-accelerators/given-by-node-group"
"""Labels and taints that a node has from its group, so that others on it are left alone."""
_CLUSTER = "eks-accelerators/cluster"
"""On the namespace kube-system: the endpoint of the cluster whose objects the API server holds."""
_WATCHED = (("v1", "Node"), ("v1", "Pod"), ("v1", "ConfigMap"), ("v1", "PersistentVolumeClaim"))

_T = TypeVar("_T")
_Node = dict[str, Any]
_Devices = tuple[resource_slices.Device, ...]
_ConfigMaps = dict[tuple[str, str], dict[str, Any]]


class DeviceHealth(Protocol):
    """Which devices are not handed out for want of health."""

    @property
    def version(self) -> int:
        """A number that is another one after every change."""
        ...

    def healthy(self, node: Mapping[str, Any], resources: Mapping[str, int]) -> Mapping[str, int]:
        """How many of ``resources``, all that plugins on the node know, they hand out."""
        ...


class AllHealthy:
    """The health of devices where no fault strikes."""

    version = 0

    def healthy(self, node: Mapping[str, Any], resources: Mapping[str, int]) -> Mapping[str, int]:
        """Every device of the node, as none has a fault here."""
        del node
        return resources


class Kubelets:
    """Keeps Node objects, what they advertise, add-ons and volumes as the account says."""

    def __init__(self, account: Account, api: Callable[[], Api]) -> None:
        self._account, self._api = account, api
        self._lock = threading.Lock()
        self._awake = threading.Event()
        self._addons = InstalledAddons()
        self._secrets = SecretPrograms()
        self._holds: str | None = None
        """Endpoint of the cluster that the API server holds, empty without one; None until it was asked."""
        self._seen: tuple[str, ...] | None = None
        self._controllers: tuple[controllers.Controller, ...] = ()
        """Those of charts that run."""
        self._reported: dict[str, Any] = {}
        self._gone: dict[str, float] = {}
        """Nodes that are gone, each with when the last pod can have been put on it."""
        self.notes: dict[str, tuple[str, ...]] = {}
        """Why a plugin's pod on a node advertises nothing, by node."""
        self.has_joined: Callable[[InstanceRecord], bool] = lambda _instance: True
        """Whether an instance has had the time to become a node: at once, unless a clock runs."""
        self.health: DeviceHealth = AllHealthy()
        """What a simulation with faults puts in its place."""

    def run(self, stop: threading.Event) -> None:
        """Pass after pass until ``stop`` is set, as long as there is something new."""
        pause = _INTERVAL_SECONDS
        while not stop.is_set():
            self._awake.wait(pause)
            self._awake.clear()
            began = time.monotonic()
            try:
                # A pass that fails, because a server is just starting or ending, is followed by the next.
                with contextlib.suppress(ApiError, OSError):
                    if not stop.is_set() and self._has_news():
                        self.sync()
            except (ServerError, SimulationError):
                return  # there is no control plane, as whoever waits for it is told
            pause = max(_INTERVAL_SECONDS, _REST * (time.monotonic() - began))

    def wake(self) -> None:
        """Let the next pass come at once."""
        self._awake.set()

    def sync(self) -> None:
        """Bring nodes and pods to what the cluster and the account say now, once."""
        with self._lock:
            api = self._api()
            self._controllers = controllers.running(api)
            self._seen, seen = None, self._state(api)
            cluster = next(iter(self._account.state.clusters.values()), None)
            self._take_over(api, cluster)
            if cluster is not None:
                self._addons.sync(api, cluster)
                nodes = self._sync_nodes(api, cluster)
                self._advertise(api, nodes)
                volumes.sync(
                    api, {name: node["metadata"]["labels"][volumes.ZONE_LABEL] for name, node in nodes.items()}
                )
                controllers.sync(api, self._controllers)
                self._secrets.sync(api, self._account.state.now, self._secret_of_aws)
            self._seen = seen

    def _has_news(self) -> bool:
        if self._holds is None or self._seen is None or self._gone:
            return True
        return self._state(self._api()) != self._seen

    def _state(self, api: Api) -> tuple[str, ...]:
        """What a pass depends on: when it is the same as before, there is nothing to do."""
        watched = (*_WATCHED, *self._secrets.watched)
        versions = (*(api.version(*kind) for kind in watched), *controllers.versions(api, self._controllers))
        return (str(self._account.version), str(self.health.version), *versions)

    def _take_over(self, api: Api, cluster: ClusterRecord | None) -> None:
        """See to it that the API server holds ``cluster`` and nothing of another one before it."""
        wanted = cluster.described["endpoint"] if cluster else ""
        if self._holds is None:
            system = api.get("v1", "Namespace", "kube-system") or {"metadata": {}}
            self._holds = system["metadata"].get("annotations", {}).get(_CLUSTER, "")
            self._gone = dict.fromkeys(_lost_nodes(api), 0.0)
        if self._holds == wanted:
            return
        if self._holds:
            cluster_cleanup.empty(api)
            self._addons.forget()
            self._secrets.forget()
            self._reported.clear()
            self.notes.clear()
        mark = {"metadata": {"annotations": {_CLUSTER: wanted or None}}}
        api.patch("v1", "Namespace", "kube-system", None, mark)
        if cluster:
            api.apply(volumes.gp2_class(), manager="eks")
        self._holds = wanted

    def _secret_of_aws(self, name: str) -> str | None:
        """What Secrets Manager has, as text; None where it has none of that name."""
        try:
            found = self._account.call("secretsmanager", "get_secret_value", SecretId=name)
        except AwsError:
            return None
        return found.get("SecretString")

    def _sync_nodes(self, api: Api, cluster: ClusterRecord) -> dict[str, _Node]:
        """Nodes come and go with their instances. Returns those that are there, by name."""
        state = self._account.state
        grouped = nodes_of(cluster, state.region, self.has_joined)
        wanted = {node.name: node for node in (*grouped, *fleet_nodes_of(state, cluster, self.has_joined))}
        listed = {node["metadata"]["name"]: node for node in api.list("v1", "Node", remembered=True)}
        there = {name: node for name, node in listed.items() if _is(node, wanted.get(name))}
        gone = sorted(set(listed) - set(there))
        _each(gone, lambda name: api.delete("v1", "Node", name, grace_seconds=0))
        for name in gone:
            self._gone[name] = time.monotonic() + _STRAGGLERS_SECONDS
            self._reported.pop(name, None)
            self.notes.pop(name, None)
        self._end_pods(api)
        new = _each([node for name, node in wanted.items() if name not in there], lambda node: self._join(api, node))
        there |= {node["metadata"]["name"]: node for node in new if node}
        for name, node in there.items():
            there[name] = _regroup(api, node, wanted[name])
        return there

    def _join(self, api: Api, node: SimulatedNode) -> _Node | None:
        try:
            obj = node_object(node)
        except UnknownNodeTypeError as error:
            self.notes[node.name] = (str(error),)
            return None
        obj["metadata"].setdefault("annotations", {})[_GIVEN] = _given(node)
        try:
            return api.create(obj, manager=MANAGER)
        except ApiError as error:
            if error.reason != "AlreadyExists":  # created a moment ago, or still going: the next pass sees which
                raise
            return None

    def _end_pods(self, api: Api) -> None:
        """End pods whose node is gone: nobody else does before a minute has passed. Their owners make new ones."""
        now = time.monotonic()
        listed = _each(self._gone, lambda name: api.list("v1", "Pod", on_node=name, remembered=True))
        lost = [pod["metadata"] for on_one in listed for pod in on_one]
        _each(lost, lambda pod: api.delete("v1", "Pod", pod["name"], pod["namespace"], grace_seconds=0))
        self._gone = {name: until for name, until in self._gone.items() if now < until}

    def _advertise(self, api: Api, nodes: Mapping[str, _Node]) -> None:
        pods: dict[str, list[dict[str, Any]]] = {name: [] for name in nodes}
        for pod in api.list("v1", "Pod", None, ROLE_LABEL, remembered=True):
            if pod["spec"].get("nodeName") in pods:
                pods[pod["spec"]["nodeName"]].append(pod)
        everywhere = [pod for listed in pods.values() for pod in listed]
        maps = _config_maps(api, everywhere)
        operator = any(_is_operator(pod) for pod in everywhere)
        slices = resource_slices.published(api)

        def report(node: _Node) -> None:
            name = node["metadata"]["name"]
            self._report(api, node, pods[name], maps, slices.get(name), with_operator=operator)

        _each(nodes.values(), report)

    def _report(
        self,
        api: Api,
        node: _Node,
        pods: list[dict[str, Any]],
        maps: _ConfigMaps,
        devices: _Devices | None,
        *,
        with_operator: bool,
    ) -> None:
        """Write what the plugins on the node advertise; what none advertises any more counts 0, as kubelets keep it.

        ``devices`` are those of its ResourceSlice. Where the GPU Operator runs, its labels too.
        """
        name = node["metadata"]["name"]
        basis = sorted(each["metadata"]["resourceVersion"] for each in (node, *pods, *maps.values()))
        basis += [str(with_operator), f"{len(devices or ())} devices", f"health {self.health.version}"]
        if self._reported.get(name) == basis:
            return
        found = advertised(node, pods, maps)
        self.notes[name] = found.notes
        if status := _changed_status(node, found.resources, self.health):
            api.patch("v1", "Node", name, None, {"status": status}, subresource="status")
        given, written = node["metadata"]["labels"], label_pruning.still_written(node, found.labels)
        labels: dict[str, str | None] = {key: value for key, value in written.items() if given.get(key) != value}
        if with_operator:
            labels |= operator_labels.changes({**given, **written})
        if labels:
            api.patch("v1", "Node", name, None, {"metadata": {"labels": labels}})
        resource_slices.publish(api, node, found.devices, devices)
        self._reported[name] = basis


def _changed_status(node: _Node, resources: Mapping[str, int], health: DeviceHealth) -> dict[str, dict[str, str]]:
    """What of capacity and allocatable is to be written. A device that is not well is capacity still."""
    have = node.get("status", {})
    capacity = {key: 0 for key in have.get("allocatable", {}) if "/" in key} | dict(resources)
    wanted = {"capacity": capacity, "allocatable": health.healthy(node, capacity)}
    changed = {
        part: {key: str(count) for key, count in amounts.items() if have.get(part, {}).get(key) != str(count)}
        for part, amounts in wanted.items()
    }
    return {part: amounts for part, amounts in changed.items() if amounts}


def _is_operator(pod: dict[str, Any]) -> bool:
    running = pod["status"].get("phase") == "Running" and "deletionTimestamp" not in pod["metadata"]
    return running and pod["metadata"]["labels"].get(ROLE_LABEL) == GPU_OPERATOR


def _lost_nodes(api: Api) -> set[str]:
    """Nodes that pods are on and that are not there: whoever was to end the pods has ended before."""
    there = {node["metadata"]["name"] for node in api.list("v1", "Node")}
    return {pod["spec"]["nodeName"] for pod in api.list("v1", "Pod") if pod["spec"].get("nodeName")} - there


def _is(there: _Node, wanted: SimulatedNode | None) -> bool:
    """Whether the Node is that of the instance, and not of another one that had its address before."""
    return (
        wanted is not None
        and there["spec"].get("providerID", "").endswith(f"/{wanted.instance_id}")
        and "deletionTimestamp" not in there["metadata"]
    )


def _given(node: SimulatedNode) -> str:
    return json.dumps({"labels": dict(node.labels), "taints": [dict(taint) for taint in node.taints]}, sort_keys=True)


def _regroup(api: Api, there: _Node, node: SimulatedNode) -> _Node:
    """EKS puts changed labels and taints of a node group on nodes that run."""
    wanted = _given(node)
    metadata = there["metadata"]
    had = metadata["annotations"].get(_GIVEN, "{}")
    if had == wanted:
        return there
    before = {"labels": {}, "taints": [], **json.loads(had)}
    labels = {**dict.fromkeys(before["labels"]), **node.labels}
    gone = [(taint["key"], taint["effect"]) for taint in (*before["taints"], *node.taints)]
    others = [taint for taint in there["spec"].get("taints", []) if (taint["key"], taint["effect"]) not in gone]
    change = {
        "metadata": {"labels": labels, "annotations": {_GIVEN: wanted}},
        "spec": {"taints": [*others, *(dict(taint) for taint in node.taints)]},
    }
    return api.patch("v1", "Node", node.name, None, change)


def _config_maps(api: Api, pods: list[dict[str, Any]]) -> _ConfigMaps:
    wanted = {
        (pod["metadata"]["namespace"], volume["configMap"]["name"])
        for pod in pods
        for volume in pod["spec"].get("volumes", [])
        if "configMap" in volume
    }
    found = {key: api.get("v1", "ConfigMap", key[1], key[0]) for key in sorted(wanted)}
    return {key: obj for key, obj in found.items() if obj is not None}


def _each(items: Iterable[_T], work: Callable[[_T], Any]) -> list[Any]:
    """What ``work`` returns for each; many at a time."""
    items = list(items)
    if len(items) < _THREADS:
        return [work(item) for item in items]
    with ThreadPoolExecutor(_THREADS, thread_name_prefix="kubelets") as threads:
        return list(threads.map(work, items))
