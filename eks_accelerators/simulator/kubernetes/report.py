"""What a user wants to see of a cluster: nodes with their accelerators, pods, and in plain words why not."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from eks_accelerators.accelerators import instance_types
from eks_accelerators.accelerators.scheduling import NODE_GROUP_LABEL
from eks_accelerators.simulator.kubernetes import claims, resource_slices
from eks_accelerators.simulator.kubernetes.api import Api
from eks_accelerators.simulator.kubernetes.charts.dra_driver import DRIVER
from eks_accelerators.simulator.kubernetes.conditions import is_true
from eks_accelerators.simulator.kubernetes.missing_devices import why_none
from eks_accelerators.simulator.kubernetes.nodes import INSTANCE_TYPE_LABEL
from eks_accelerators.simulator.kubernetes.readiness import why_not_running
from eks_accelerators.simulator.kubernetes.volumes import SELECTED_NODE, ZONE_LABEL

_EKS_NODE_GROUP_LABEL = "eks.amazonaws.com/nodegroup"
_PROVISIONER = "volume.kubernetes.io/storage-provisioner"
_KUBE_SYSTEM = "kube-system"
_ENDED = ("Succeeded", "Failed")


@dataclass(frozen=True, slots=True)
class Count:
    """How much of a resource a node has to give, and how much of it the pods on it ask for."""

    allocatable: int
    requested: int


@dataclass(frozen=True, slots=True)
class NodeState:
    """One node. ``accelerators`` are its extended resources, also EFA, and what pods claim of its ResourceSlice by driver.

    ``reason`` says what of them is missing and why.
    """

    name: str
    instance_type: str
    zone: str
    node_group: str
    """Name in the settings; for the system group that of EKS."""
    is_system: bool
    """Whether the node belongs to no accelerator node group."""
    ready: bool
    accelerators: Mapping[str, Count] = field(default_factory=dict)
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class PodState:
    """Pods of one owner that are alike: in phase, in what they ask for, and in why they do not run."""

    namespace: str
    owner: str
    """Such as `Deployment/llama`; a pod that nobody owns is its own."""
    phase: str
    """As Kubernetes says it, or `Terminating`."""
    requests: Mapping[str, int]
    """Extended resources of one pod, and devices that it claims by device class."""
    reason: str | None
    names: tuple[str, ...]
    nodes: tuple[str, ...]
    """Where they are, each node once."""

    @property
    def count(self) -> int:
        """Number of pods in this state."""
        return len(self.names)


def node_reports(api: Api, notes: Mapping[str, tuple[str, ...]] | None = None) -> list[NodeState]:
    """Every node, by node group and name; ``notes`` are those of `Kubelets`."""
    daemon_sets = api.list("apps/v1", "DaemonSet")
    requested: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for pod in api.list("v1", "Pod"):
        if (node := pod["spec"].get("nodeName")) and pod.get("status", {}).get("phase") not in _ENDED:
            requested[node].update(_requests(pod))
    slices = resource_slices.published(api)
    for node, driver in claims.allocated(api):
        requested[node][driver] += 1
    reports = [
        _node_report(
            node,
            requested[node["metadata"]["name"]],
            daemon_sets,
            (notes or {}),
            len(slices.get(node["metadata"]["name"], ())),
        )
        for node in _nodes(api)
    ]
    return sorted(reports, key=lambda report: (report.is_system, report.node_group, report.name))


def pod_reports(api: Api) -> list[PodState]:
    """Every pod that is neither a DaemonSet's nor in kube-system, those that are alike together."""
    volumes, wanted = _expected_volumes(api), claims.wanted(api)
    alike: defaultdict[tuple[Any, ...], list[dict[str, Any]]] = defaultdict(list)
    for pod in api.list("v1", "Pod"):
        metadata = pod["metadata"]
        owner = _owner(metadata)
        if metadata["namespace"] == _KUBE_SYSTEM or owner.startswith("DaemonSet/"):
            continue
        phase = "Terminating" if "deletionTimestamp" in metadata else pod.get("status", {}).get("phase", "Pending")
        requests = tuple(sorted((_requests(pod) + claims.of_pod(pod, wanted)).items()))
        alike[metadata["namespace"], owner, phase, requests, _why(pod, volumes) or ""].append(pod)
    return [_pod_report(key, pods) for key, pods in sorted(alike.items())]


def _node_report(
    node: dict[str, Any],
    requested: Counter[str],
    daemon_sets: list[dict[str, Any]],
    notes: Mapping[str, tuple[str, ...]],
    devices: int,
) -> NodeState:
    name, labels = node["metadata"]["name"], node["metadata"].get("labels", {})
    status = node.get("status", {})
    allocatable = {key: int(amount) for key, amount in status.get("allocatable", {}).items() if "/" in key}
    if devices:
        allocatable[DRIVER] = devices
    kind = instance_types.find(labels.get(INSTANCE_TYPE_LABEL, ""))
    return NodeState(
        name=name,
        instance_type=labels.get(INSTANCE_TYPE_LABEL, ""),
        zone=labels.get(ZONE_LABEL, ""),
        node_group=labels.get(NODE_GROUP_LABEL) or labels.get(_EKS_NODE_GROUP_LABEL, ""),
        is_system=NODE_GROUP_LABEL not in labels and kind is None,
        ready=is_true(node, "Ready"),
        accelerators={
            key: Count(amount, requested[key])
            for key, amount in sorted(allocatable.items())
            if amount or requested[key]
        },
        reason=why_none(node, daemon_sets, notes.get(name, ()), devices),
    )


def _pod_report(key: tuple[Any, ...], pods: list[dict[str, Any]]) -> PodState:
    namespace, owner, phase, requests, reason = key
    return PodState(
        namespace=namespace,
        owner=owner,
        phase=phase,
        requests=dict(requests),
        reason=reason or None,
        names=tuple(sorted(pod["metadata"]["name"] for pod in pods)),
        nodes=tuple(sorted({pod["spec"]["nodeName"] for pod in pods if pod["spec"].get("nodeName")})),
    )


def _nodes(api: Api) -> Iterator[dict[str, Any]]:
    return (node for node in api.list("v1", "Node") if "deletionTimestamp" not in node["metadata"])


def _owner(metadata: dict[str, Any]) -> str:
    for owner in metadata.get("ownerReferences", []):
        if owner.get("controller"):
            revision = metadata.get("labels", {}).get("pod-template-hash")
            if owner["kind"] == "ReplicaSet" and revision:
                return f"Deployment/{owner['name'].removesuffix(f'-{revision}')}"
            return f"{owner['kind']}/{owner['name']}"
    return f"Pod/{metadata['name']}"


def _requests(pod: dict[str, Any]) -> Counter[str]:
    """Extended resources that the scheduler counts: of all containers, or of one that runs before them."""
    total: Counter[str] = Counter()
    for container in pod["spec"]["containers"]:
        total.update(_extended(container))
    for container in pod["spec"].get("initContainers", []):
        for name, amount in _extended(container).items():
            total[name] = max(total[name], amount)
    return total


def _extended(container: dict[str, Any]) -> dict[str, int]:
    requests = container.get("resources", {}).get("requests", {})
    return {name: int(amount) for name, amount in requests.items() if "/" in name}


def _why(pod: dict[str, Any], volumes: Mapping[tuple[str, str], str]) -> str | None:
    reason = why_not_running(pod)
    if reason is None:
        return None
    # The scheduler has chosen a node and waits for the volume. It says nothing of that, and does not take back what it
    # has said before.
    for volume in pod["spec"].get("volumes", []):
        claim = volume.get("persistentVolumeClaim", {}).get("claimName")
        if provisioner := volumes.get((pod["metadata"]["namespace"], claim)):
            return f"waits for the volume of the claim {claim}, which {provisioner} has not made"
    return reason


def _expected_volumes(api: Api) -> dict[tuple[str, str], str]:
    """Claims for which the scheduler has chosen a node and that have no volume yet, each with who is to make it."""
    found = {}
    for claim in api.list("v1", "PersistentVolumeClaim"):
        metadata = claim["metadata"]
        annotations = metadata.get("annotations", {})
        if SELECTED_NODE in annotations and claim.get("status", {}).get("phase") != "Bound":
            found[metadata["namespace"], metadata["name"]] = annotations.get(_PROVISIONER, "its provisioner")
    return found
