"""A server that spans nodes: a LeaderWorkerSet, whose pods are one server together. Pure data, no resources.

The leader answers clients; the others compute their stage of the model. Where one of them ends, all are made anew: none of
their processes could join the rest again.

Sources: kubernetes-sigs/lws v0.10.0 `api/leaderworkerset/v1/leaderworkerset_types.go`, `pkg/webhooks/pod_webhook.go`,
`pkg/controllers`; vLLM 0.28.0 `vllm/engine/arg_utils.py`, `vllm/entrypoints/cli/serve.py`; read 2026-11-22.
"""

from collections.abc import Mapping
from typing import Any

from eks_accelerators.settings.model.vllm import VllmWorkload

API_VERSION = "leaderworkerset.x-k8s.io/v1"
KIND = "LeaderWorkerSet"

LEADER = {"leaderworkerset.sigs.k8s.io/worker-index": "0"}
"""Label of the pods that clients ask."""

ONE_SERVER = "leaderworkerset.sigs.k8s.io/group-index"
"""Label that the pods of one server have in common."""

PATIENCE_SECONDS = 3600
"""A model that needs several nodes is hundreds of GB, and each of them downloads all of it. The least to wait for them."""

_PORT = 29501
"""Where the leader's first rank awaits the others: vLLM's `--master-port` by default."""


def set_name(name: str) -> str:
    """Name of the set of the server ``name``: its headless Service has it too, beside the Service for clients."""
    return f"{name}-nodes"


def group_arguments(workload: VllmWorkload, patience: int) -> list[str]:
    """Arguments of every pod: tensor parallel in a node, pipeline parallel between them. The variables are those that the
    controller sets. For ``patience`` seconds nobody gives up on others that still download.
    """
    nodes = str(workload.nodes_per_replica)
    return [
        *("--pipeline-parallel-size", nodes),
        *("--distributed-executor-backend", "mp"),
        *("--nnodes", nodes),
        *("--node-rank", "$(LWS_WORKER_INDEX)"),
        *("--master-addr", "$(LWS_LEADER_ADDRESS)"),
        *("--distributed-timeout-seconds", str(patience)),
        *("--cpu-distributed-timeout-seconds", str(patience)),
    ]


def leader_worker_set_spec(replicas: int, size: int, labels: Mapping[str, str], pod: Mapping[str, Any]) -> Any:
    """``replicas`` servers of ``size`` pods each; ``pod`` is that of a leader. One server at a time is updated: there are no
    nodes for a further one.
    """

    def template(spec: Mapping[str, Any]) -> dict[str, Any]:
        return {"metadata": {"labels": dict(labels)}, "spec": spec}

    return {
        "replicas": replicas,
        # Nobody is ready before all are there.
        "startupPolicy": "LeaderCreated",
        "rolloutStrategy": {
            "type": "RollingUpdate",
            "rollingUpdateConfiguration": {"maxUnavailable": 1, "maxSurge": 0, "partition": 0},
        },
        "networkConfig": {"subdomainPolicy": "Shared"},
        "leaderWorkerTemplate": {
            "size": size,
            "restartPolicy": "RecreateGroupOnPodRestart",
            "leaderTemplate": template(pod),
            "workerTemplate": template(worker_pod(pod)),
        },
    }


def worker_pod(leader: Mapping[str, Any]) -> dict[str, Any]:
    """The pod of every other node: it answers nobody, and goes after the leader has finished what is under way."""
    (container,) = leader["containers"]
    kept = {key: value for key, value in container.items() if not key.endswith("Probe") and key != "ports"}
    worker = {**kept, "args": [*container["args"], "--headless"], "lifecycle": {"preStop": {"exec": _while_led()}}}
    return {**leader, "containers": [worker]}


def _while_led() -> dict[str, list[str]]:
    """Wait for as long as the leader's engine runs. The grace period of both pods is the same."""
    connects = f"(: > /dev/tcp/$LWS_LEADER_ADDRESS/{_PORT}) 2>/dev/null"
    return {"command": ["bash", "-c", f"while {connects}; do sleep 1; done"]}
