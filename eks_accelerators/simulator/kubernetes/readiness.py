"""Waiting as the Kubernetes provider waits, until an object is ready, or with the reason why it is not.

Left out: an Ingress, and the address of a Service of type LoadBalancer, are not waited for, as nothing here makes load
balancers; nor are a PersistentVolume, a ReplicationController and a ResourceQuota. The annotation `pulumi.com/waitFor`
is not known, and a refresh does not say what has become unready since.
"""

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from eks_accelerators.simulator.chapters import Chapter
from eks_accelerators.simulator.kubernetes.api import Api
from eks_accelerators.simulator.kubernetes.conditions import is_true

CHAPTER = Chapter(
    __doc__,
    source=(
        "pulumi/pulumi-kubernetes `provider/pkg/await/` (`deployment.go`, `daemonset.go`, `statefulset.go`, "
        "`job.go`, `pod.go`, `service.go`, `awaiters.go`), commit 94977969, read 2026-11-22."
    ),
)

PATIENCE_SECONDS = 20
"""Pods that can run do so within a second or two here; the rest would wait as long as one lets them."""

_SLOWNESS = 6
"""On a machine with too much to do looks take longer, and so does all else: up to so many times the patience."""

LONGEST_SECONDS = 600
"""How long the provider waits on real AWS where nobody says otherwise."""

_INTERVAL_SECONDS = 0.15
_REST_SECONDS = 0.6
_NO_PODS = (
    "Service does not target any Pods. Selected Pods may not be ready, or field '.spec.selector' may not match labels on "
    "any Pods"
)


def wait_until_ready(
    api: Api, live: dict[str, Any], patience: float = PATIENCE_SECONDS, cancelled: threading.Event | None = None
) -> str | None:
    """None once ``live`` is ready, or else why it is not. Kinds that are not waited for are ready at once."""
    state = _STATES.get(live["kind"])
    if state is None:
        return None
    cancelled = cancelled or threading.Event()
    metadata, began, looks = live["metadata"], time.monotonic(), 0
    while True:
        found = api.get(live["apiVersion"], live["kind"], metadata["name"], metadata["namespace"])
        if found is None:
            return f"{live['kind']} {metadata['namespace']}/{metadata['name']} is gone"
        ready = state(api, found)
        if ready:
            return None
        looks += 1
        if ready is None or _is_over(patience, time.monotonic() - began, looks, _INTERVAL_SECONDS):
            return _reason(api, found)
        if cancelled.wait(_INTERVAL_SECONDS):
            return f'Resource operation was cancelled for "{metadata["name"]}"'


def _is_over(patience: float, seconds: float, looks: int, interval: float) -> bool:
    """Whether the patience has an end after so many seconds, in which there were so many looks, ``interval`` apart."""
    return seconds > patience and (looks > patience / interval / 2 or seconds > _SLOWNESS * patience)


def why_not_running(pod: dict[str, Any]) -> str | None:
    """The scheduler's, or the kubelet's, own words; None where the pod runs or has ended well."""
    status = pod.get("status", {})
    if status.get("phase") in ("Running", "Succeeded"):
        return None
    for condition in status.get("conditions", []):
        if condition["status"] == "False" and condition.get("message"):
            return str(condition["message"])
    return str(status.get("message") or status.get("phase", "not seen by the scheduler yet"))


def _available(_: Api, deployment: dict[str, Any]) -> bool | None:
    """Whether all its pods run."""
    status, wanted = deployment.get("status", {}), deployment["spec"]["replicas"]
    counts = [status.get(key, 0) for key in ("updatedReplicas", "readyReplicas", "replicas")]
    return _observed(deployment) and counts == [wanted] * 3


def _everywhere(_: Api, daemon_set: dict[str, Any]) -> bool | None:
    """Whether it runs on every node on which it should. Source: kstatus, `pkg/kstatus/status/core.go`."""
    status = daemon_set.get("status", {})
    wanted = status.get("desiredNumberScheduled", -1)
    keys = ("currentNumberScheduled", "updatedNumberScheduled", "numberAvailable", "numberReady")
    return _observed(daemon_set) and wanted >= 0 and all(status.get(key, 0) >= wanted for key in keys)


def _rolled_out(_: Api, stateful_set: dict[str, Any]) -> bool | None:
    """Whether all its pods run, of the newest revision."""
    status, wanted = stateful_set.get("status", {}), stateful_set["spec"]["replicas"]
    counts = [status.get(key, 0) for key in ("replicas", "currentReplicas", "readyReplicas")]
    same = status.get("updateRevision") == status.get("currentRevision")
    return _observed(stateful_set) and counts == [wanted] * 3 and same


def _complete(_: Api, job: dict[str, Any]) -> bool | None:
    """Whether all its pods have ended well; None where that cannot come any more."""
    conditions = job.get("status", {}).get("conditions", [])
    held = {condition["type"] for condition in conditions if condition["status"] == "True"}
    return None if "Failed" in held else "Complete" in held


def _serves(_: Api, pod: dict[str, Any]) -> bool | None:
    """Whether it is ready, or has ended well."""
    return is_true(pod, "Ready") or pod.get("status", {}).get("phase") == "Succeeded"


def _routed(api: Api, service: dict[str, Any]) -> bool | None:
    """Whether none of its pods is unready. One that has no pods waits for none."""
    spec = service["spec"]
    if spec.get("type") == "ExternalName" or spec.get("clusterIP") == "None" or not spec.get("selector"):
        return True
    endpoints = _endpoints(api, service)
    return endpoints is not None and not any(subset.get("notReadyAddresses") for subset in endpoints)


def _endpoints(api: Api, service: dict[str, Any]) -> list[dict[str, Any]] | None:
    """The subsets of its endpoints; None where no controller has seen it yet."""
    metadata = service["metadata"]
    found = api.get("v1", "Endpoints", metadata["name"], metadata["namespace"])
    return None if found is None else found.get("subsets") or []


def _bound(api: Api, claim: dict[str, Any]) -> bool | None:
    """Whether it has a volume; one whose class waits for a pod is ready without."""
    phase, name = claim.get("status", {}).get("phase"), claim["spec"].get("storageClassName")
    storage_class = api.get("storage.k8s.io/v1", "StorageClass", name, None) if name else None
    waits = (storage_class or {}).get("volumeBindingMode") == "WaitForFirstConsumer"
    return phase == "Bound" or (waits and phase == "Pending")


def _observed(owner: dict[str, Any]) -> bool:
    return bool(owner.get("status", {}).get("observedGeneration", 0) >= owner["metadata"]["generation"])


_STATES: Mapping[str, Callable[[Api, dict[str, Any]], bool | None]] = {
    "DaemonSet": _everywhere,
    "Deployment": _available,
    "Job": _complete,
    "PersistentVolumeClaim": _bound,
    "Pod": _serves,
    "Service": _routed,
    "StatefulSet": _rolled_out,
}

KINDS = tuple(_STATES)
"""Kinds of objects whose readiness is waited for."""


def _reason(api: Api, owner: dict[str, Any]) -> str:
    reasons = " ".join(_reasons(api, owner))
    return f"{owner['kind']} {owner['metadata']['namespace']}/{owner['metadata']['name']}: {_done(api, owner)}. {reasons}".rstrip()


def _done(api: Api, owner: dict[str, Any]) -> str:
    spec, status = owner["spec"], owner.get("status", {})
    match owner["kind"]:
        case "Job":
            return f"{status.get('succeeded', 0)} of {spec['completions']} pods have succeeded"
        case "DaemonSet":
            return f"{status.get('numberReady', 0)} of {status.get('desiredNumberScheduled', 0)} pods run"
        case "Service":
            listed = _endpoints(api, owner) or []
            ready, unready = (
                sum(len(subset.get(key, [])) for subset in listed) for key in ("addresses", "notReadyAddresses")
            )
            return f"timed out waiting to be Ready: {unready} of {ready + unready} pods are not ready"
        case "PersistentVolumeClaim" | "Pod":
            return f"timed out waiting to be Ready: it is {status.get('phase')}"
    return f"{status.get('readyReplicas', 0)} of {spec['replicas']} pods run"


def _reasons(api: Api, owner: dict[str, Any]) -> list[str]:
    """What the scheduler, the kubelet and the conditions say."""
    kind, spec = owner["kind"], owner["spec"]
    if kind == "Pod":
        return [reason for reason in [why_not_running(owner)] if reason]
    if kind == "PersistentVolumeClaim":
        return []
    labels = spec["selector"] if kind == "Service" else spec["selector"]["matchLabels"]
    selected = ",".join(f"{key}={value}" for key, value in sorted(labels.items()))
    pods = api.list("v1", "Pod", owner["metadata"]["namespace"], selected)
    reasons = sorted({reason for pod in pods if (reason := why_not_running(pod))})
    if kind == "Job":
        reasons += [each["message"] for each in owner.get("status", {}).get("conditions", []) if each.get("message")]
    if kind == "Service" and not any(subset.get("addresses") for subset in _endpoints(api, owner) or []):
        reasons.append(_NO_PODS)
    return reasons


def rest(api: Api, sync: Callable[[], None], patience: float) -> None:
    """Return once two looks in a row see the same pods on the same nodes in the same phase."""
    began, looks, before = time.monotonic(), 0, None
    while not _is_over(patience, time.monotonic() - began, looks, _REST_SECONDS):
        looks += 1
        sync()
        seen = sorted(_glimpse(pod) for pod in api.list("v1", "Pod"))
        if seen == before and not any(phase == "Pending" and node for _, phase, node in seen):
            return
        before = seen
        time.sleep(_REST_SECONDS)


def _glimpse(pod: dict[str, Any]) -> tuple[str, str, str]:
    return pod["metadata"]["uid"], pod.get("status", {}).get("phase", ""), pod["spec"].get("nodeName", "")
