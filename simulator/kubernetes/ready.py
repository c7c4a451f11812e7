"""Waiting as the Kubernetes provider waits: until a Deployment is available and a Job complete, or with the reason why not.

Source: pulumi-kubernetes 4.34, documentation of the resources, "waits until its status is ready"; read 2026-11-21.
"""

import time
from collections.abc import Callable, Mapping
from typing import Any

from simulator.kubernetes.api import Api

PATIENCE_SECONDS = 20
"""Pods that can run do so within a second or two here; the rest would wait as long as one lets them."""

_INTERVAL_SECONDS = 0.15
_REST_SECONDS = 0.6


def wait_until_ready(api: Api, live: dict[str, Any], patience: float = PATIENCE_SECONDS) -> str | None:
    """None once ``live`` is ready, or else why it is not. Kinds other than Deployments and Jobs are ready at once."""
    state = _STATES.get(live["kind"])
    if state is None:
        return None
    metadata, deadline = live["metadata"], time.monotonic() + patience
    while True:
        found = api.get(live["apiVersion"], live["kind"], metadata["name"], metadata["namespace"])
        if found is None:
            return f"{live['kind']} {metadata['namespace']}/{metadata['name']} is gone"
        ready = state(found)
        if ready:
            return None
        if ready is None or time.monotonic() > deadline:
            return _reason(api, found)
        time.sleep(_INTERVAL_SECONDS)


def why_not_running(pod: dict[str, Any]) -> str | None:
    """The scheduler's, or the kubelet's, own words; None where the pod runs or has ended well."""
    status = pod.get("status", {})
    if status.get("phase") in ("Running", "Succeeded"):
        return None
    for condition in status.get("conditions", []):
        if condition["status"] == "False" and condition.get("message"):
            return str(condition["message"])
    return str(status.get("message") or status.get("phase", "not seen by the scheduler yet"))


def _available(deployment: dict[str, Any]) -> bool | None:
    """Whether all its pods run."""
    status, wanted = deployment.get("status", {}), deployment["spec"]["replicas"]
    seen = status.get("observedGeneration", 0) >= deployment["metadata"]["generation"]
    counts = [status.get(key, 0) for key in ("updatedReplicas", "readyReplicas", "replicas")]
    return bool(seen and counts == [wanted] * 3)


def _complete(job: dict[str, Any]) -> bool | None:
    """Whether all its pods have ended well; None where that cannot come any more."""
    conditions = job.get("status", {}).get("conditions", [])
    held = {condition["type"] for condition in conditions if condition["status"] == "True"}
    return None if "Failed" in held else "Complete" in held


_STATES: Mapping[str, Callable[[dict[str, Any]], bool | None]] = {"Deployment": _available, "Job": _complete}


def _reason(api: Api, owner: dict[str, Any]) -> str:
    metadata, spec, status = owner["metadata"], owner["spec"], owner.get("status", {})
    labels = spec["selector"]["matchLabels"]
    pods = api.list(
        "v1", "Pod", metadata["namespace"], ",".join(f"{key}={value}" for key, value in sorted(labels.items()))
    )
    reasons = sorted({reason for pod in pods if (reason := why_not_running(pod))})
    if owner["kind"] == "Job":
        done = f"{status.get('succeeded', 0)} of {spec['completions']} pods have succeeded"
        reasons += [each["message"] for each in status.get("conditions", []) if each.get("message")]
    else:
        done = f"{status.get('readyReplicas', 0)} of {spec['replicas']} pods run"
    return f"{owner['kind']} {metadata['namespace']}/{metadata['name']}: {done}. " + " ".join(reasons)


def rest(api: Api, sync: Callable[[], None], patience: float) -> None:
    """Return once two looks in a row see the same pods on the same nodes in the same phase."""
    deadline, before = time.monotonic() + patience, None
    while time.monotonic() < deadline:
        sync()
        seen = sorted(_glimpse(pod) for pod in api.list("v1", "Pod"))
        if seen == before and not any(phase == "Pending" and node for _, phase, node in seen):
            return
        before = seen
        time.sleep(_REST_SECONDS)


def _glimpse(pod: dict[str, Any]) -> tuple[str, str, str]:
    return pod["metadata"]["uid"], pod.get("status", {}).get("phase", ""), pod["spec"].get("nodeName", "")
