"""Servers whose GPU fails: they end, and cannot start again on it.

A server that uses a GPU which has gone, or which has an error that NVIDIA's device plugin takes it out for, ends with an error
of CUDA; the kubelet starts it again on the same GPU, and it ends again, until its node is another one. With time-slicing and
MPS it takes all that share the GPU. The GPU that a fault strikes is the first of its node.

Source: NVIDIA/k8s-device-plugin v0.20.0, `internal/rm/health.go`, for the XIDs; the rest is believed.
"""

from collections.abc import Collection, Mapping
from typing import Any

from eks_accelerators.simulator.kubernetes.api import Api, ApiError
from eks_accelerators.simulator.load.cluster_view import is_ready, name_of
from eks_accelerators.simulator.load.fleet import Placed, PodName
from eks_accelerators.simulator.metrics.faults import DeviceFaults

_NOT_FOUND = 404


def crashed(
    placed: Mapping[PodName, Placed], nodes: Collection[Mapping[str, Any]], faults: DeviceFaults
) -> set[PodName]:
    """The pods whose GPU has failed."""
    failed = {
        f"{node['metadata']['name']}/0"
        for node in nodes
        if any(struck.signs.gone or not struck.signs.handed_out for struck in faults.on(node))
    }
    return {pod for pod, where in placed.items() if where.gpu in failed}


def show(api: Api, pods: Collection[Mapping[str, Any]], ended: Collection[PodName]) -> None:
    """Let the cluster see that they do not answer, as kubelets would."""
    for pod in pods:
        if name_of(dict(pod)) not in ended or not is_ready(dict(pod)):
            continue
        metadata, status = pod["metadata"], pod["status"]
        conditions = [
            {**each, "status": "False", "reason": "ContainersNotReady"}
            if each["type"] in ("Ready", "ContainersReady")
            else each
            for each in status["conditions"]
        ]
        waiting = {"waiting": {"reason": "CrashLoopBackOff"}}
        containers = [
            {
                **each,
                "ready": False,
                "started": False,
                "restartCount": each.get("restartCount", 0) + 1,
                "state": waiting,
            }
            for each in status.get("containerStatuses", [])
        ]
        change = {"status": {"conditions": conditions, "containerStatuses": containers}}
        try:
            api.patch("v1", "Pod", metadata["name"], metadata["namespace"], change, subresource="status")
        except ApiError as error:
            if error.status != _NOT_FOUND:
                raise
