"""What is special to the pod of a vLLM server: pure data, no resources.

Sources: vLLM 0.28 engine arguments, EKS user guide `node-efa`; read 2026-11-20. What servers that span nodes are told
besides is in `server_group.py`.
"""

import json
from math import ceil
from typing import Any

from eks_accelerators.accelerators import gpus
from eks_accelerators.components.cache_volume import Cache
from eks_accelerators.components.server_group import LEADER, PATIENCE_SECONDS, group_arguments
from eks_accelerators.components.server_pod import ServerDescription, ServerPort
from eks_accelerators.components.streamed_weights import model_arguments, model_environment
from eks_accelerators.settings.draining import draining_of
from eks_accelerators.settings.fit import Fit
from eks_accelerators.settings.model.vllm import VllmWorkload
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup
from eks_accelerators.settings.server_starts import patience_seconds, vllm_start

PORT = 8000
_MODELS = VllmWorkload.CACHE_PATH
_SHARED_MEMORY, _SHARED_MEMORY_OF_NODES = "2Gi", "8Gi"
"""The second, of servers that span nodes, is what training jobs have by default."""
_PATIENCE_SECONDS = 600


def server_arguments(workload: VllmWorkload, group: ResolvedNodeGroup, fit: Fit) -> list[str]:
    """Arguments of the server.

    Utilization and KV cache are both set: left alone, two servers that start on one GPU measure each
    other's memory and take what is not theirs.
    """
    half = gpus.supports_bfloat16(group.type.accelerator.name) is False
    arguments = [
        *model_arguments(workload),
        "--dtype",
        "half" if half else "bfloat16",
        "--max-model-len",
        str(workload.max_model_len),
        "--max-num-seqs",
        str(workload.most_sequences),
        "--shutdown-timeout",  # without it SIGTERM ends every request that is under way
        str(draining_of(workload, group, fit).timeout_seconds),
    ]
    if not fit.cuda_graphs:
        arguments.append("--enforce-eager")
    if fit.share:
        arguments += [
            "--gpu-memory-utilization",
            f"{fit.share.utilization:.2f}",
            "--kv-cache-memory-bytes",
            str(fit.share.kv_cache_bytes),
        ]
    if workload.tensor_parallel_size > 1:
        arguments += ["--tensor-parallel-size", str(workload.tensor_parallel_size)]
    if workload.spans_nodes:
        arguments += group_arguments(workload, _patience(workload, fit))
    return arguments


def described(
    workload: VllmWorkload,
    group: ResolvedNodeGroup,
    fit: Fit,
    *,
    image: str,
    token_secret: str | None,
    cache: Cache,
) -> ServerDescription:
    """What is special to a server of vLLM."""
    prompt = {"model": workload.model, "prompt": "Amazon EKS is", "max_tokens": 32}
    spans = workload.spans_nodes
    shared_memory = _SHARED_MEMORY_OF_NODES if spans else _SHARED_MEMORY
    return ServerDescription(
        container=_container(workload, group, fit, image, token_secret, cache),
        ports=(ServerPort("http", PORT, 80),),
        grace_seconds=draining_of(workload, group, fit).grace_seconds,
        request=f"$URL/v1/completions -H 'Content-Type: application/json' -d '{json.dumps(prompt)}'",
        volumes=(
            cache.volume,
            {"name": "shared-memory", "emptyDir": {"medium": "Memory", "sizeLimit": shared_memory}},
        ),
        asked=LEADER if spans else {},
    )


def _patience(workload: VllmWorkload, fit: Fit) -> int:
    """Seconds to wait for the weights and the first load, on one node or on several."""
    spans = workload.spans_nodes
    return patience_seconds(vllm_start(workload, fit), PATIENCE_SECONDS if spans else _PATIENCE_SECONDS)


def _container(
    workload: VllmWorkload, group: ResolvedNodeGroup, fit: Fit, image: str, token_secret: str | None, cache: Cache
) -> dict[str, Any]:
    environment: list[dict[str, Any]] = [
        {"name": "HF_HOME", "value": _MODELS},
        # What torch.compile makes is found again by the next pod. Source: vLLM 0.28 `vllm/envs.py`, and `compile_cache_save_format` in
        # `vllm/config/compilation.py`: by default several processes may write there.
        {"name": "VLLM_CACHE_ROOT", "value": f"{_MODELS}/vllm"},
    ]
    environment += model_environment(workload)
    if token_secret:
        reference = {"secretKeyRef": {"name": token_secret, "key": "token"}}
        environment.append({"name": "HF_TOKEN", "valueFrom": reference})
    health = {"httpGet": {"path": "/health", "port": PORT}}
    spans = workload.spans_nodes
    return {
        "image": image,
        # The entrypoint of AWS's image is a shell that hands no SIGTERM on: requests would be cut off.
        **({"command": ["vllm", "serve"]} if spans else {}),
        "args": server_arguments(workload, group, fit),
        "env": environment,
        # For the download of the weights and the first load.
        "startupProbe": {**health, "periodSeconds": 10, "failureThreshold": ceil(_patience(workload, fit) / 10)},
        "readinessProbe": {**health, "periodSeconds": 5},
        "livenessProbe": {**health, "periodSeconds": 10, "failureThreshold": 3},
        "volumeMounts": [
            cache.mount,
            {"name": "shared-memory", "mountPath": "/dev/shm"},  # noqa: S108  (shared memory, not a temporary file)
        ],
    }
