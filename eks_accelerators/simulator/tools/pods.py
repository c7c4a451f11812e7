"""What the pods of a simulated cluster print, and how its servers answer: nothing runs in them, so nobody else can say it.

The API server of a simulation has no kubelet behind it: logs, commands in containers and the way to a Service end there.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from eks_accelerators.simulator.kubernetes.conditions import is_true
from eks_accelerators.simulator.metrics.cluster import ClusterObjects, Object
from eks_accelerators.simulator.metrics.faults import DeviceFaults
from eks_accelerators.simulator.tools.machine import NoSuchPodError, machine_of
from eks_accelerators.simulator.tools.programs import OWN_PROGRAMS, run
from eks_accelerators.verification.cluster import labels_of
from eks_accelerators.verification.tools import printed, tools_of

_COMPLETION = " Paris. It is the largest"


class NoAnswerError(Exception):
    """What a kubelet or a server would say in the place of an answer; ``status`` is that of HTTP."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


def log_of(pod: Object, cluster: ClusterObjects, faults: DeviceFaults) -> str:
    """What the first container has printed: each tool of its script, or what its image runs by itself."""
    try:
        machine = machine_of(pod, cluster, faults)
    except NoSuchPodError as error:
        raise NoAnswerError(f"no pod with accelerators: {error}", 404) from None
    container = pod["spec"]["containers"][0]
    tools = tools_of("\n".join(container.get("args") or []))
    if not tools and container.get("command"):
        return run(machine, container["command"])[0]
    if not tools:
        image = str(container["image"]).rpartition("/")[2].partition(":")[0]
        return run(machine, [OWN_PROGRAMS.get(image, image)])[0]
    return "".join(printed(tool.name, *run(machine, tool.command)) for tool in tools)


def executed(pod: Object, command: Sequence[str], cluster: ClusterObjects, faults: DeviceFaults) -> str:
    """What a command prints in a pod."""
    try:
        return run(machine_of(pod, cluster, faults), command)[0]
    except NoSuchPodError as error:
        raise NoAnswerError(f"no pod with accelerators: {error}", 404) from None


def answer_of(
    service: Object, path: str, body: Mapping[str, Any] | None, cluster: ClusterObjects, faults: DeviceFaults
) -> Mapping[str, Any]:
    """How a model server answers by its Service: by any of its pods that is ready and can."""
    selector: Mapping[str, str] = service["spec"].get("selector") or {}
    namespace = service["metadata"]["namespace"]
    pods = [
        pod
        for pod in cluster.pods
        if pod["metadata"].get("namespace") == namespace
        and is_true(pod, "Ready")
        and all(labels_of(pod).get(key) == value for key, value in selector.items())
    ]
    if not pods:
        raise NoAnswerError(f"no endpoints available for service {service['metadata']['name']!r}", 503)
    able = next((pod for pod in pods if not _has_failed(pod, cluster, faults)), pods[0])
    return answer_of_pod(able, path, body, cluster, faults)


def answer_of_pod(
    pod: Object, path: str, body: Mapping[str, Any] | None, cluster: ClusterObjects, faults: DeviceFaults
) -> Mapping[str, Any]:
    """How a model server completes a prompt, or tells of its model. One whose GPU has failed answers with an error."""
    if _has_failed(pod, cluster, faults):
        raise NoAnswerError("CUDA error: unspecified launch failure", 500)
    return _answer(path, body or {})


def _answer(path: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Shapes of each server's API: that of OpenAI, Triton's, and TensorFlow Serving's."""
    if path.endswith("/generate"):
        return {"model_name": path.split("/")[-2], "model_version": "1", "text_output": _COMPLETION}
    if path.partition("/")[0] == "v2":
        return {"name": path.rpartition("/")[2] if "/" in path else "triton", "versions": ["1"]}
    if path.startswith("v1/models/"):
        status = {"error_code": "OK", "error_message": ""}
        return {"model_version_status": [{"version": "1", "state": "AVAILABLE", "status": status}]}
    choice = {"index": 0, "text": _COMPLETION, "logprobs": None, "finish_reason": "length"}
    return {"object": "text_completion", "model": body.get("model"), "choices": [choice]}


def _has_failed(pod: Object, cluster: ClusterObjects, faults: DeviceFaults) -> bool:
    """Whether the GPU of a server has gone, or the device plugin has taken it out for an error."""
    try:
        machine = machine_of(pod, cluster, faults)
    except NoSuchPodError:
        return False
    struck = any(device.gpu.index == 0 for device in machine.visible)
    return struck and any(each.gone or not each.handed_out for each in machine.signs)
