"""Waiting as the Kubernetes provider waits: until a Deployment is available, or with the reason why it is not."""

import time
from collections.abc import Callable
from typing import Any

from simulator.kubernetes.api import Api

PATIENCE_SECONDS = 20
"""Pods that can run do so within a second or two here; the rest would wait as long as one lets them."""

_INTERVAL_SECONDS = 0.15
_REST_SECONDS = 0.6


def wait_until_ready(api: Api, live: dict[str, Any], patience: float = PATIENCE_SECONDS) -> str | None:
    """None once ``live`` is ready, or else why it is not. Kinds other than Deployments are ready at once."""
    if live["kind"] != "Deployment":
        return None
    metadata, deadline = live["metadata"], time.monotonic() + patience
    while True:
        found = api.get("apps/v1", "Deployment", metadata["name"], metadata["namespace"])
        if found is None:
            return f"Deployment {metadata['namespace']}/{metadata['name']} is gone"
        if _is_ready(found):
            return None
        if time.monotonic() > deadline:
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


def _is_ready(deployment: dict[str, Any]) -> bool:
    status, wanted = deployment.get("status", {}), deployment["spec"]["replicas"]
    seen = status.get("observedGeneration", 0) >= deployment["metadata"]["generation"]
    counts = [status.get(key, 0) for key in ("updatedReplicas", "readyReplicas", "replicas")]
    return bool(seen and counts == [wanted] * 3)


def _reason(api: Api, deployment: dict[str, Any]) -> str:
    metadata = deployment["metadata"]
    labels = deployment["spec"]["selector"]["matchLabels"]
    pods = api.list(
        "v1", "Pod", metadata["namespace"], ",".join(f"{key}={value}" for key, value in sorted(labels.items()))
    )
    reasons = sorted({reason for pod in pods if (reason := why_not_running(pod))})
    ready = deployment.get("status", {}).get("readyReplicas", 0)
    return (
        f"Deployment {metadata['namespace']}/{metadata['name']}: {ready} of {deployment['spec']['replicas']} pods run. "
        + " ".join(reasons)
    )


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
