"""The conditions that the EKS node monitoring agent writes on its node, on which node repair and alerts act; and the
condition `Ready` of a node whose kubelet says nothing any more.

Source: aws/eks-node-monitoring-agent 51af549 (v1.7.0), `cmd/eks-node-monitoring-agent/main.go` (types and reasons),
`pkg/manager/node_exporter.go`; read 2026-11-22. What is fatal makes a condition false, and nothing makes it true again
but another node. Without a `dcgm-server` beside it, the agent says so of NVIDIA GPUs (containers-roadmap issue 2567).
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from eks_accelerators.simulator.kubernetes.api import Api, ApiError
from eks_accelerators.simulator.metrics.cluster import Object, is_running, runs, type_of
from eks_accelerators.simulator.metrics.signs import ACCELERATED_HARDWARE, NETWORKING, AgentFinding
from eks_accelerators.simulator.metrics.world import ScrapedWorld

AGENT = "eks-node-monitoring-agent"
_DCGM_SERVER = "dcgm-server"
_OF_EVERY_NODE = {
    "ContainerRuntimeReady": "ContainerRuntimeIsReady",
    "KernelReady": "KernelIsReady",
    NETWORKING: "NetworkingIsReady",
    "StorageReady": "DiskIsReady",
}
_CONFLICT = 409
_HOLD, _KUBELET_DOWN = "eks-accelerators/hold", "kubelet-down"
"""The annotation by which kwok leaves a node as it is, and whose it is."""


def findings(node: Object, world: ScrapedWorld) -> Iterator[tuple[AgentFinding, float]]:
    """What the agent of a node has found, each with since when, by the wall clock."""
    for struck in world.faults.on(node):
        for finding in struck.signs.findings:
            yield finding, struck.since
    kind, name = type_of(node), node["metadata"]["name"]
    if kind is not None and kind.has_nvidia_gpu and not _is_on(name, _DCGM_SERVER, world):
        yield AgentFinding("DCGMError", "Fatal", ACCELERATED_HARDWARE), world.now


def conditions(node: Object, world: ScrapedWorld) -> Sequence[dict[str, str]]:
    """The agent's conditions of a node as they should be: type, status and reason. None without an agent."""
    if not _is_on(node["metadata"]["name"], AGENT, world):
        return ()
    ready = dict(_OF_EVERY_NODE)
    kind = type_of(node)
    if kind is not None:
        ready[ACCELERATED_HARDWARE] = "NvidiaGPUIsReady" if kind.has_nvidia_gpu else "NeuronAcceleratedHardwareIsReady"
    fatal = {each.condition: each.reason for each, _ in findings(node, world) if each.is_fatal}
    return [
        {
            "type": name,
            "status": "False" if name in fatal else "True",
            "reason": fatal.get(name, reason),
        }
        for name, reason in ready.items()
    ]


def with_conditions(node: Object, world: ScrapedWorld) -> dict[str, Any]:
    """The status of a node with the agent's conditions in it."""
    status = dict(node.get("status") or {})
    own = {each["type"]: each for each in conditions(node, world)}
    if _kubelet_is_gone(node, world):
        own["Ready"] = {"type": "Ready", "status": "Unknown", "reason": "NodeStatusUnknown"}
    moment = datetime.fromtimestamp(world.now, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    listed = list(status.get("conditions") or [])
    kept = [_newer(each, own.pop(each["type"], None), moment) for each in listed]
    added = [{**each, "lastHeartbeatTime": moment, "lastTransitionTime": moment} for each in own.values()]
    return {**status, "conditions": [*kept, *added]}


def write(api: Api, world: ScrapedWorld) -> None:
    """Let every node have the conditions of its agent. Who writes a node at the same time comes first."""
    for node in world.cluster.nodes:
        _hold(api, node, world)
        wanted = with_conditions(node, world)["conditions"]
        if wanted == (node.get("status") or {}).get("conditions", []):
            continue
        metadata = node["metadata"]
        change = {
            "metadata": {"resourceVersion": metadata["resourceVersion"]},
            "status": {"conditions": wanted},
        }
        try:
            api.patch("v1", "Node", metadata["name"], None, change, subresource="status")
        except ApiError as error:
            if error.status not in (_CONFLICT, 404):  # the next round sees it as it is then
                raise


def _hold(api: Api, node: Object, world: ScrapedWorld) -> None:
    """Let kwok leave the node of a kubelet that is gone, and let it have others again: it makes them ready."""
    held = (node["metadata"].get("annotations") or {}).get(_HOLD) == _KUBELET_DOWN
    gone = _kubelet_is_gone(node, world)
    if held == gone:
        return
    change = {"metadata": {"annotations": {_HOLD: _KUBELET_DOWN if gone else None}}}
    try:
        api.patch("v1", "Node", node["metadata"]["name"], None, change)
    except ApiError as error:
        if error.status != 404:  # it has gone
            raise


def _kubelet_is_gone(node: Object, world: ScrapedWorld) -> bool:
    return any(struck.signs.kubelet_gone for struck in world.faults.on(node))


def _newer(have: Mapping[str, Any], wanted: Mapping[str, str] | None, moment: str) -> dict[str, Any]:
    if wanted is None or all(have.get(key) == value for key, value in wanted.items()):
        return dict(have)
    return {**have, **wanted, "lastHeartbeatTime": moment, "lastTransitionTime": moment}


def _is_on(node: str, app: str, world: ScrapedWorld) -> bool:
    return any(is_running(pod) and runs(pod, app) for pod in world.cluster.pods_by_node.get(node, ()))
