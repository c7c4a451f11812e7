"""The servers of a workload as the cluster has them: pods, where they are, and which of them share a GPU."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from eks_accelerators.accelerators.scheduling import NODE_GROUP_LABEL
from eks_accelerators.simulator.kubernetes.api import Api
from eks_accelerators.simulator.kubernetes.conditions import is_true
from eks_accelerators.simulator.load.fleet import Placed, PodName
from eks_accelerators.simulator.load.model_server import ServerModel

SYSTEM = "system"
"""What nodes are called that are of no node group of accelerators."""

_Pod = dict[str, Any]
_Node = dict[str, Any]


@dataclass(frozen=True, slots=True)
class View:
    """What is there at a moment. ``wanted`` is the Deployment's number of replicas."""

    pods: Sequence[_Pod]
    wanted: int
    members: Mapping[str, list[_Node]]
    """Nodes that are ready, by node group."""
    every_member: Mapping[str, list[_Node]]
    """Nodes by node group, those that are not ready included."""

    @property
    def nodes(self) -> dict[str, int]:
        """How many of them there are."""
        return {group: len(nodes) for group, nodes in self.members.items()}

    @property
    def machines(self) -> dict[str, str]:
        """What tells a node from another one that had its name before it, by name: its instance."""
        return {
            node["metadata"]["name"]: node["spec"].get("providerID", "")
            for nodes in self.members.values()
            for node in nodes
        }

    @property
    def ready(self) -> list[PodName]:
        """Pods that Services send requests to."""
        return [name_of(pod) for pod in self.pods if is_ready(pod)]

    @property
    def starting(self) -> int:
        """Pods that are on a node and not ready."""
        return sum("nodeName" in pod["spec"] and not is_ready(pod) for pod in self.pods)

    @property
    def unscheduled(self) -> int:
        """Pods without a node."""
        return sum("nodeName" not in pod["spec"] for pod in self.pods)


def look(api: Api, namespace: str, workload: str) -> View:
    """The servers of ``workload``: the pods of the Deployment that has its name."""
    deployment = api.get("apps/v1", "Deployment", workload, namespace)
    pods = [pod for pod in _pods_of(api, namespace, deployment) if _lives(pod)] if deployment else []
    members: defaultdict[str, list[_Node]] = defaultdict(list)
    every: defaultdict[str, list[_Node]] = defaultdict(list)
    for node in api.list("v1", "Node", remembered=True):
        group = node["metadata"]["labels"].get(NODE_GROUP_LABEL, SYSTEM)
        every[group].append(node)
        if is_true(node, "Ready"):
            members[group].append(node)
    return View(pods, deployment["spec"]["replicas"] if deployment else 0, dict(members), dict(every))


def _pods_of(api: Api, namespace: str, deployment: Mapping[str, Any]) -> Sequence[_Pod]:
    labels = deployment["spec"]["selector"]["matchLabels"]
    return api.list(
        "v1", "Pod", namespace, ",".join(f"{key}={value}" for key, value in labels.items()), remembered=True
    )


def name_of(pod: _Pod) -> PodName:
    """Namespace and name of a pod."""
    return pod["metadata"]["namespace"], pod["metadata"]["name"]


def is_ready(pod: _Pod) -> bool:
    """Whether a Service sends it requests."""
    return is_true(pod, "Ready") and "deletionTimestamp" not in pod["metadata"]


@dataclass(slots=True)
class Gpus:
    """Which GPU each pod has, from look to look: the one that fewest have, as NVIDIA's device plugin prefers.

    Source: NVIDIA/k8s-device-plugin v0.20.0, `internal/rm/allocate.go`. ``each`` is the number of devices per node,
    ``of_pod`` the number that one pod takes: then it shares them with nobody.
    """

    each: int
    of_pod: int = 1
    _kept: dict[str, tuple[str, int]] = field(default_factory=dict)

    def place(self, pods: Sequence[_Pod], model: ServerModel) -> dict[PodName, Placed]:
        """Every pod that runs, with its GPU: that one of them is not ready any more does not end what is in it."""
        there = {
            pod["metadata"]["uid"]: pod
            for pod in pods
            if is_ready(pod) or (pod["metadata"]["uid"] in self._kept and _runs_on(pod))
        }
        self._kept = {uid: place for uid, place in self._kept.items() if uid in there}
        taken: defaultdict[str, Counter[int]] = defaultdict(Counter)
        for node, device in self._kept.values():
            taken[node][device] += 1
        for uid, pod in sorted(there.items()):
            if uid not in self._kept:
                node = pod["spec"]["nodeName"]
                on_node = taken[node]
                device = min(range(max(1, self.each // self.of_pod)), key=on_node.__getitem__)
                on_node[device] += 1
                self._kept[uid] = node, device
        return {name_of(pod): Placed("{}/{}".format(*self._kept[uid]), model) for uid, pod in sorted(there.items())}


def _runs_on(pod: _Pod) -> bool:
    """Whether the containers of a pod that was ready are those that were."""
    return not any(each.get("restartCount") for each in pod.get("status", {}).get("containerStatuses") or [])


def _lives(pod: _Pod) -> bool:
    return "deletionTimestamp" not in pod["metadata"] and pod.get("status", {}).get("phase") not in (
        "Failed",
        "Succeeded",
    )
