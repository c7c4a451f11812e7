"""Pods of workloads that wait, and why; and those that wait for nodes of which nobody says that they should be there."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from eks_accelerators.accelerators.number_of import number_of
from eks_accelerators.accelerators.scheduling import NODE_GROUP_LABEL
from eks_accelerators.settings.model.node_autoscaling import NodeAutoscaler
from eks_accelerators.settings.model.node_groups import CapacityType
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup
from eks_accelerators.settings.resolved_stack import ResolvedStack, StackWorkload
from eks_accelerators.verification.cluster import ClusterState, KubernetesObject, labels_of, phase_of, why_waiting
from eks_accelerators.verification.findings import Subject, VerificationFinding

_CODE = "pods-waiting"
_JOB = "batch.kubernetes.io/job-name"
_INDEX = "batch.kubernetes.io/job-completion-index"
"""Label of each pod of a Job, and annotation of each of an Indexed Job: Kubernetes documentation, "Well-Known Labels,
Annotations and Taints", read 2026-11-22."""


def least_nodes(group: ResolvedNodeGroup) -> int:
    """How many nodes a node group must have: what it was made with where nothing scales it, else the least it may come to."""
    settings, size = group.settings, group.settings.size
    if settings.scheduled_scaling:
        return min([size.min, *(each.min for each in settings.scheduled_scaling if each.min is not None)])
    is_scaled = settings.bought_as is CapacityType.CAPACITY_BLOCK or settings.autoscaler is not NodeAutoscaler.NONE
    return size.min if is_scaled else max(size.min, size.desired)


def why_empty(group: ResolvedNodeGroup) -> str | None:
    """Why a node group may be without nodes; None where it must have some."""
    if group.settings.bought_as is CapacityType.CAPACITY_BLOCK:
        return "no node: its Capacity Block has not begun, or is over"
    return None if least_nodes(group) else f"no node (desired when it was made: {group.settings.size.desired})"


def waiting_findings(stack: ResolvedStack, state: ClusterState) -> Iterator[VerificationFinding]:
    """For each namespace of workloads its pods, those that wait for one reason told together."""
    namespaces = dict.fromkeys(each.workload.namespace for each in stack.every_workload)
    for namespace in namespaces:
        workloads = [each for each in stack.every_workload if each.workload.namespace == namespace]
        yield from _of_namespace(namespace, workloads, _empty_groups(stack, state), state)


def _empty_groups(stack: ResolvedStack, state: ClusterState) -> dict[str, str]:
    """The groups that have no node and may be without, each with the reason."""
    without = [group for group in stack.groups.values() if not state.of_group(group.name)]
    return {group.name: why for group in without if (why := why_empty(group)) is not None}


def _of_namespace(
    namespace: str, workloads: Sequence[StackWorkload], empty: Mapping[str, str], state: ClusterState
) -> Iterator[VerificationFinding]:
    groups = {each.workload.node_group for each in workloads}
    nodes = tuple(node["metadata"]["name"] for group in sorted(groups) for node in state.of_group(group))
    subject = Subject(f"namespace {namespace}", nodes)
    every = [pod for pod in state.pods if pod["metadata"].get("namespace") == namespace]
    pods = [pod for pod in every if not _is_replaced(pod, every)]
    if not pods:
        yield subject.not_verified(_CODE, "pods of its workloads", "there are none")
    judged = [pod for pod in pods if _empty_group_of(pod, workloads, empty) is None]
    wrong = _told((pod, why_waiting(pod)) for pod in judged)
    for found in wrong:
        yield subject.failed(_CODE, _expected(judged), found)
    if judged and not wrong:
        yield subject.passed(_CODE, _expected(judged), f"{sum(phase_of(pod) == 'Running' for pod in judged)} run")
    unknown = [(pod, group) for pod in pods if (group := _empty_group_of(pod, workloads, empty)) is not None]
    for found in _told((pod, f"{why_waiting(pod)} ({group} has {empty[group]})") for pod, group in unknown):
        yield subject.not_verified(_CODE, _expected([pod for pod, _ in unknown]), found)


def _expected(pods: Sequence[KubernetesObject]) -> str:
    return f"{number_of(len(pods), 'pod')} to run or to have ended well"


def _told(waiting: Iterable[tuple[KubernetesObject, str]]) -> list[str]:
    """Each reason once, with the pods that have it; a pod without a reason does not wait."""
    reasons: dict[str, list[str]] = {}
    for pod, reason in waiting:
        if reason:
            reasons.setdefault(reason, []).append(pod["metadata"]["name"])
    return [
        f"{names[0]}{f' and {len(names) - 1} more' if len(names) > 1 else ''}: {reason}"
        for reason, names in reasons.items()
    ]


def _empty_group_of(pod: KubernetesObject, workloads: Sequence[StackWorkload], empty: Mapping[str, str]) -> str | None:
    """The group for whose nodes a pod waits, where it is one of those that may be without; None for every other pod."""
    group = _group_of(pod, workloads)
    waits = phase_of(pod) == "Pending" and not pod["spec"].get("nodeName")
    return group if waits and group in empty else None


def _group_of(pod: KubernetesObject, workloads: Sequence[StackWorkload]) -> str | None:
    """The node group that a pod selects, else that of the workload that its label names."""
    selected: str | None = (pod["spec"].get("nodeSelector") or {}).get(NODE_GROUP_LABEL)
    instance = labels_of(pod).get("app.kubernetes.io/instance")
    return selected or next((each.workload.node_group for each in workloads if each.name == instance), None)


def _is_replaced(pod: KubernetesObject, pods: Sequence[KubernetesObject]) -> bool:
    """Whether a Job keeps a pod that failed, such as one that was drained, and another has its place.

    That one tells how the Job is. Without an index a pod that began together with it is no successor but its neighbour.
    """
    job = labels_of(pod).get(_JOB)
    if phase_of(pod) != "Failed" or job is None:
        return False
    index = _index_of(pod)
    others = [each for each in pods if labels_of(each).get(_JOB) == job and phase_of(each) != "Failed"]
    if index is not None:
        return any(_index_of(each) == index for each in others)
    return any(_created(each) > _created(pod) for each in others)


def _index_of(pod: KubernetesObject) -> str | None:
    index: str | None = (pod["metadata"].get("annotations") or {}).get(_INDEX)
    return index


def _created(pod: KubernetesObject) -> str:
    """When it was created; times of the API are all of UTC and of one length."""
    return str(pod["metadata"].get("creationTimestamp") or "")
