"""What is said of pods that a fault keeps from working: by the kubelet of the first pod of a node that holds an accelerator,
and of every pod of a node whose kubelet is silent by the node lifecycle controller, which here sees no transition to act on.

Source: Kubernetes documentation, "Pod Lifecycle": a container that ends is started again after 10 s, and after twice as long
each time, up to 5 minutes; Kubernetes `pkg/controller/nodelifecycle`, `MarkPodsNotReady`; read 2026-11-22. That a
container ends as soon as it has begun is the fault.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from eks_accelerators.simulator.kubernetes.api import Api, ApiError
from eks_accelerators.simulator.metrics.cluster import Object, holds_accelerator, is_running, uid
from eks_accelerators.simulator.metrics.world import ScrapedWorld

_FIRST_PAUSE, _LONGEST_PAUSE = 10.0, 300.0
_NOT_FOUND = 404
_OF_READINESS = ("Ready", "ContainersReady")


def restarts(seconds: float) -> int:
    """How often a container was started again that ends as soon as it has begun, since so many seconds."""
    count, pause = 0, _FIRST_PAUSE
    while seconds >= pause:
        seconds -= pause
        count, pause = count + 1, min(2 * pause, _LONGEST_PAUSE)
    return count


class PodStates:
    """Writes on pods what their kubelets would, and takes it back when the fault is over."""

    def __init__(self) -> None:
        self._changed: set[str] = set()
        """Pods that were written, by their UIDs."""

    def write(self, api: Api, world: ScrapedWorld) -> None:
        """Let every pod be as its fault has it."""
        struck = dict(struck_pods(world))
        for pod in world.cluster.pods:
            if uid(pod) not in struck and uid(pod) not in self._changed:
                continue
            wanted = status_of(pod, struck.get(uid(pod)))
            if any((pod.get("status") or {}).get(key) != value for key, value in wanted.items()):
                _patch(api, pod, wanted)
        self._changed = set(struck)


def struck_pods(world: ScrapedWorld) -> Iterator[tuple[str, int]]:
    """Pods that a fault has struck, by UID, each with how often it was started again."""
    for node in world.cluster.nodes:
        running = [pod for pod in world.cluster.pods_by_node.get(node["metadata"]["name"], ()) if is_running(pod)]
        first = next((pod for pod in running if holds_accelerator(pod)), None)
        for struck in world.faults.on(node):
            if struck.signs.kubelet_gone:
                yield from ((uid(pod), 0) for pod in running)
            elif first is not None and (struck.signs.pod_unready or struck.signs.pod_restarts):
                yield uid(first), restarts(world.since(struck.since)) if struck.signs.pod_restarts else 0


def status_of(pod: Object, count: int | None) -> dict[str, Any]:
    """The conditions and containers of a pod that a fault has struck and that has started again so often; None: of one
    that is well again.
    """
    status, well = pod.get("status") or {}, count is None
    truth = "True" if well else "False"
    conditions = [
        {**each, "status": truth} if each["type"] in _OF_READINESS else each for each in status.get("conditions") or []
    ]
    containers = [
        {**each, "ready": well, "restartCount": max(each.get("restartCount", 0), count or 0)}
        for each in status.get("containerStatuses") or []
    ]
    return {"conditions": conditions, "containerStatuses": containers}


def _patch(api: Api, pod: Object, status: Mapping[str, Any]) -> None:
    metadata = pod["metadata"]
    try:
        api.patch("v1", "Pod", metadata["name"], metadata["namespace"], {"status": status}, subresource="status")
    except ApiError as error:
        if error.status != _NOT_FOUND:  # it has gone just now
            raise
