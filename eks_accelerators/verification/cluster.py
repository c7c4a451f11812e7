"""A cluster as a verification asks it, and what it holds at one moment."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from eks_accelerators.accelerators.scheduling import NODE_GROUP_LABEL

KubernetesObject = Mapping[str, Any]
"""One object of the API, as in YAML."""

_ENDED = ("Succeeded", "Failed")


class ClusterError(Exception):
    """A question that the cluster did not answer; the message says why. ``status`` is that of HTTP, 0 without an answer.

    ``by_server``: a server in the cluster has answered so, and the API server has only passed it on.
    """

    def __init__(self, message: str, status: int = 0, *, by_server: bool = False) -> None:
        super().__init__(message)
        self.status = status
        self.by_server = by_server


class AskedCluster(Protocol):
    """A Kubernetes cluster. Every method raises `ClusterError`."""

    def list(self, kind: str, namespace: str = "", selector: str = "") -> Sequence[KubernetesObject]:
        """All objects of a kind, by its plural name, such as `pods`."""
        ...

    def get(self, kind: str, name: str, namespace: str = "") -> KubernetesObject:
        """One object. Status 404 where it is not there."""
        ...

    def create(self, kind: str, obj: KubernetesObject) -> KubernetesObject:
        """Create an object; what is returned has its UID. Status 409 where it is there already."""
        ...

    def annotate(self, kind: str, name: str, annotations: Mapping[str, str]) -> None:
        """Write annotations of an object that is in no namespace."""
        ...

    def delete(self, kind: str, name: str, namespace: str = "") -> None:
        """Delete an object with all that it owns, without waiting. One that is not there is no error."""
        ...

    def log(self, namespace: str, pod: str) -> str:
        """What the first container of a pod has printed."""
        ...

    def execute(self, namespace: str, pod: str, container: str, command: Sequence[str]) -> str:
        """Run a command in a container that runs; what it prints."""
        ...

    def ask_service(self, namespace: str, service: str, path: str, body: Mapping[str, Any] | None) -> Mapping[str, Any]:
        """Send JSON to the first port of a Service, through the API server, or read there without a ``body``; its answer."""
        ...

    def ask_pod(
        self, namespace: str, pod: str, port: int, path: str, body: Mapping[str, Any] | None
    ) -> Mapping[str, Any]:
        """The same of one pod. May be called from several threads, as `ask_service`."""
        ...


@dataclass(frozen=True)
class ClusterState:
    """Nodes and pods as they were at one look. ``claims`` of devices are None where they cannot be listed."""

    nodes: Sequence[KubernetesObject] = ()
    pods: Sequence[KubernetesObject] = ()
    claims: Sequence[KubernetesObject] | None = None

    def of_group(self, group: str) -> list[KubernetesObject]:
        """The nodes of a node group, by its name in the settings, that are not about to go."""
        found = [node for node in self.nodes if labels_of(node).get(NODE_GROUP_LABEL) == group]
        return [node for node in found if "deletionTimestamp" not in node["metadata"]]

    @cached_property
    def pods_by_node(self) -> Mapping[str, Sequence[KubernetesObject]]:
        """Pods that have a node and have not ended."""
        found: defaultdict[str, list[KubernetesObject]] = defaultdict(list)
        for pod in self.pods:
            if (node := pod["spec"].get("nodeName")) and phase_of(pod) not in _ENDED:
                found[node].append(pod)
        return found

    def requested(self, node: str) -> Counter[str]:
        """Extended resources that the pods on a node have."""
        total: Counter[str] = Counter()
        for pod in self.pods_by_node.get(node, ()):
            total.update(requests_of(pod))
        return total

    def users(self, node: str, resources: Sequence[str]) -> list[KubernetesObject]:
        """The pods on a node that have any of ``resources``."""
        return [pod for pod in self.pods_by_node.get(node, ()) if any(requests_of(pod)[name] for name in resources)]

    def claimed(self, node: str, driver: str) -> int | None:
        """Devices of a driver that claims have on a node; None where claims cannot be listed. A pool is called as its node."""
        if self.claims is None:
            return None
        results = [result for claim in self.claims for result in _allocated(claim)]
        return sum((result["driver"], result["pool"]) == (driver, node) for result in results)


def look(cluster: AskedCluster, *, claims: bool = False) -> ClusterState:
    """Nodes and pods as they are now, and the ``claims`` of devices where they are asked for and can be seen."""
    return ClusterState(tuple(cluster.list("nodes")), tuple(cluster.list("pods")), _claims(cluster) if claims else None)


def _claims(cluster: AskedCluster) -> tuple[KubernetesObject, ...] | None:
    try:
        return tuple(cluster.list("resourceclaims"))
    except ClusterError as error:
        if error.status in (403, 404):
            return None
        raise


def _allocated(claim: KubernetesObject) -> Sequence[Mapping[str, Any]]:
    allocation = (claim.get("status") or {}).get("allocation") or {}
    found: Sequence[Mapping[str, Any]] = (allocation.get("devices") or {}).get("results") or []
    return found


def labels_of(obj: KubernetesObject) -> Mapping[str, str]:
    """Labels of an object."""
    found: Mapping[str, str] = obj["metadata"].get("labels") or {}
    return found


def name_of(obj: KubernetesObject) -> str:
    """Its name, with its namespace where it is in one."""
    metadata = obj["metadata"]
    return f"{metadata['namespace']}/{metadata['name']}" if metadata.get("namespace") else str(metadata["name"])


def phase_of(pod: KubernetesObject) -> str:
    """The phase of a pod, `Pending` where it has none yet."""
    return str((pod.get("status") or {}).get("phase") or "Pending")


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition of a node or a pod."""

    type: str
    status: str
    reason: str = ""
    message: str = ""


def conditions_of(obj: KubernetesObject) -> Iterator[Condition]:
    """The conditions of a node or a pod."""
    for each in (obj.get("status") or {}).get("conditions") or []:
        yield Condition(each["type"], each["status"], each.get("reason") or "", each.get("message") or "")


def is_ready(obj: KubernetesObject) -> bool:
    """Whether its condition `Ready` is true."""
    return any(each.type == "Ready" and each.status == "True" for each in conditions_of(obj))


def requests_of(pod: KubernetesObject) -> Counter[str]:
    """Extended resources that the scheduler counts of a pod."""
    total: Counter[str] = Counter()
    for container in pod["spec"].get("containers") or []:
        total.update(_extended(container))
    for container in pod["spec"].get("initContainers") or []:
        total |= Counter(_extended(container))
    return total


def allocatable_of(node: KubernetesObject) -> dict[str, int]:
    """Extended resources that pods can ask a node for."""
    amounts = (node.get("status") or {}).get("allocatable") or {}
    return {name: int(amount) for name, amount in amounts.items() if "/" in name}


def _extended(container: Mapping[str, Any]) -> dict[str, int]:
    requests = (container.get("resources") or {}).get("requests") or {}
    return {name: int(amount) for name, amount in requests.items() if "/" in name}


def why_waiting(pod: KubernetesObject) -> str:
    """The words of the scheduler or the kubelet; empty where the pod runs or has ended well."""
    status = pod.get("status") or {}
    if phase_of(pod) == "Succeeded" or (phase_of(pod) == "Running" and is_ready(pod)):
        return ""
    for container in (*(status.get("initContainerStatuses") or []), *(status.get("containerStatuses") or [])):
        state = container.get("state") or {}
        held = state.get("waiting") or state.get("terminated") or {}
        if held.get("reason") not in (None, "", "Completed", "PodInitializing"):
            message = held.get("message")
            return f"{held['reason']}{f': {message}' if message else ''}"
    for each in conditions_of(pod):
        if each.status == "False" and each.message:
            return each.message
    return str(status.get("message") or phase_of(pod))
