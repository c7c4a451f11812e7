"""The nodes of the simulated account in the real cluster: what EKS, kubelets and device plugins would report.

Level-triggered: each pass compares what is with what should be, so that nothing is missed and nothing done twice.
"""

import contextlib
import json
import threading
import time
from collections.abc import Callable
from typing import Any

from eks_accelerators.accelerators.node_capacity import UnknownNodeTypeError
from eks_accelerators.simulator.aws.account import Account
from eks_accelerators.simulator.aws.errors import AwsError
from eks_accelerators.simulator.aws.model import ClusterRecord, InstanceRecord
from eks_accelerators.simulator.folder import SimulationError
from eks_accelerators.simulator.kubernetes import (
    cluster_cleanup,
    controllers,
    volumes,
)
from eks_accelerators.simulator.kubernetes.api import Api, ApiError
from eks_accelerators.simulator.kubernetes.device_reports import DeviceReports
from eks_accelerators.simulator.kubernetes.installed_addons import InstalledAddons
from eks_accelerators.simulator.kubernetes.instances import fleet_nodes_of, nodes_of
from eks_accelerators.simulator.kubernetes.nodes import SimulatedNode, node_object
from eks_accelerators.simulator.kubernetes.parallel import in_parallel
from eks_accelerators.simulator.kubernetes.secret_programs import SecretPrograms
from eks_accelerators.simulator.processes import ServerError

MANAGER = "simulated-kubelet"

_INTERVAL_SECONDS = 0.4
_REST = 0.5
"""After a pass comes a rest of so many times its length, unless something wakes the next one."""
_STRAGGLERS_SECONDS = 3.0
"""For so long after a node has gone the scheduler may still put a pod on it."""

_GIVEN = "eks-accelerators/given-by-node-group"
"""Labels and taints that a node has from its group, so that others on it are left alone."""
_CLUSTER = "eks-accelerators/cluster"
"""On the namespace kube-system: the endpoint of the cluster whose objects the API server holds."""
_WATCHED = (("v1", "Node"), ("v1", "Pod"), ("v1", "ConfigMap"), ("v1", "PersistentVolumeClaim"))

_Node = dict[str, Any]


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
        self._there: frozenset[str] = frozenset()
        """Nodes that the last pass left behind."""
        self._gone: dict[str, float] = {}
        """Nodes that are gone, each with when the last pod can have been put on it."""
        self.has_joined: Callable[[InstanceRecord], bool] = lambda _instance: True
        """Whether an instance has had the time to become a node: at once, unless a clock runs."""
        self.devices = DeviceReports()

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
                self.devices.write(api, nodes)
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
        return (str(self._account.version), str(self.devices.health.version), *versions)

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
            self._there = frozenset()
            self._addons.forget()
            self._secrets.forget()
            self.devices.clear()
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
        in_parallel(gone, lambda name: api.delete("v1", "Node", name, grace_seconds=0))
        by_others = self._there.difference(listed, wanted)  # as Karpenter does it, with the instance
        for name in (*gone, *by_others):
            self._gone[name] = time.monotonic() + _STRAGGLERS_SECONDS
            self.devices.forget(name)
        self._end_pods(api)
        new = in_parallel(
            [node for name, node in wanted.items() if name not in there], lambda node: self._join(api, node)
        )
        there |= {node["metadata"]["name"]: node for node in new if node}
        for name, node in there.items():
            there[name] = _regroup(api, node, wanted[name])
        self._there = frozenset(there)
        return there

    def _join(self, api: Api, node: SimulatedNode) -> _Node | None:
        try:
            obj = node_object(node)
        except UnknownNodeTypeError as error:
            self.devices.notes[node.name] = (str(error),)
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
        listed = in_parallel(self._gone, lambda name: api.list("v1", "Pod", on_node=name, remembered=True))
        lost = [pod["metadata"] for on_one in listed for pod in on_one]
        in_parallel(lost, lambda pod: api.delete("v1", "Pod", pod["name"], pod["namespace"], grace_seconds=0))
        self._gone = {name: until for name, until in self._gone.items() if now < until}


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
