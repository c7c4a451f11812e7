"""What is special to the pod of a Triton server: pure data, no resources.

Sources: triton-inference-server/server 2.73, `docs/user_guide` (model repository, model management, metrics) and
`docs/customization_guide/inference_protocols` (`/v2`); vllm_backend README (`model.json`); read 2026-11-22. vllm_backend 8de0c14
`docs/health_check.md` and `src/model.py`, core 73aad7c `src/server.cc` (`IsReady`: a model that was unloaded is passed over); read
2026-11-23.
"""

import json
from typing import Any

import pulumi

from eks_accelerators.accelerators import gpus
from eks_accelerators.components.server_pod import ServerDescription, ServerPort
from eks_accelerators.settings.draining import LONGEST_SECONDS, MARGIN_SECONDS, PAUSE_SECONDS, draining_of
from eks_accelerators.settings.fit import Fit, PodFit
from eks_accelerators.settings.language_models import language_model_of
from eks_accelerators.settings.model.triton import TritonWorkload
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup
from eks_accelerators.settings.server_starts import as_vllm_start, patience_seconds

HTTP, GRPC, METRICS = 8000, 8001, 8002
CONFIGURATION = """backend: "vllm"
instance_group [{ count: 1, kind: KIND_MODEL }]
parameters { key: "ENABLE_VLLM_HEALTH_CHECK" value { string_value: "true" } }
"""
"""A model whose engine has died is unloaded at the next request, where models are controlled explicitly. Without that Triton calls
itself ready for ever, and every request fails."""
_LANGUAGE_MODEL = "llm"
"""Name of the language model in the repository that is made for it."""
_REPOSITORY, _CACHE = "/repository", "/cache"
_POD_UID = "POD_UID"
_REQUEST_SECONDS = 60
"""For requests that are under way when a server has to go, where nothing says how long one takes."""
_USER = TritonWorkload.RUNS_AS
"""`triton-server` in NVIDIA's images."""


def engine_arguments(workload: TritonWorkload, group: ResolvedNodeGroup, fit: PodFit) -> dict[str, Any] | None:
    """What the vLLM backend starts its engine with, its share of the GPU among it; None where there is no language model."""
    found = language_model_of(workload)
    if found is None:
        return None
    assert isinstance(fit, Fit)
    model = found[1]
    half = gpus.supports_bfloat16(group.type.accelerator.name) is False
    share = fit.share
    return {
        "model": model.model,
        "dtype": "half" if half else "bfloat16",
        "max_model_len": model.max_model_len,
        "max_num_seqs": model.most_sequences,
        "tensor_parallel_size": model.tensor_parallel_size,
        "enforce_eager": not fit.cuda_graphs,
        **(
            {"gpu_memory_utilization": share.utilization, "kv_cache_memory_bytes": share.kv_cache_bytes}
            if share
            else {}
        ),
    }


def described(
    workload: TritonWorkload,
    group: ResolvedNodeGroup,
    fit: PodFit,
    *,
    image: str,
    token_secret: str | None,
    repository: pulumi.Output[str] | None,
) -> ServerDescription:
    """What is special to a server of Triton. ``repository`` is the ConfigMap with that of a language model."""
    grace = PAUSE_SECONDS + _REQUEST_SECONDS + MARGIN_SECONDS
    if (found := language_model_of(workload)) and isinstance(fit, Fit):
        grace = draining_of(found[1], group, fit).grace_seconds
    assert grace <= LONGEST_SECONDS
    volumes: list[dict[str, Any]] = [
        {"name": "cache", "emptyDir": {}},
        {"name": "shared-memory", "emptyDir": {"medium": "Memory", "sizeLimit": "2Gi"}},
    ]
    mounts: list[dict[str, Any]] = [
        {"name": "cache", "mountPath": _CACHE},
        {"name": "shared-memory", "mountPath": "/dev/shm"},  # noqa: S108  (shared memory, not a temporary file)
    ]
    if repository is not None:
        volumes.append({"name": "repository", "configMap": {"name": repository, "items": _items()}})
        mounts.append({"name": "repository", "mountPath": _REPOSITORY, "readOnly": True})
    return ServerDescription(
        container={
            "image": image,
            "command": ["tritonserver"],
            "args": _arguments(workload, grace),
            "env": _environment(workload, token_secret),
            **_probes(workload, patience_seconds(as_vllm_start(workload, fit), workload.start_seconds)),
            "volumeMounts": mounts,
        },
        ports=(ServerPort("http", HTTP, 80), ServerPort("grpc", GRPC, GRPC), ServerPort("metrics", METRICS)),
        grace_seconds=grace,
        request=_request(workload),
        volumes=volumes,
        pod={"securityContext": {"runAsNonRoot": True, "runAsUser": _USER, "runAsGroup": _USER, "fsGroup": _USER}},
    )


def _items() -> list[dict[str, str]]:
    return [
        {"key": "config.pbtxt", "path": f"{_LANGUAGE_MODEL}/config.pbtxt"},
        {"key": "model.json", "path": f"{_LANGUAGE_MODEL}/1/model.json"},
    ]


def _arguments(workload: TritonWorkload, grace: int) -> list[str]:
    named = [f"--load-model={name}" for name in _loaded(workload)]
    return [
        f"--model-repository={_REPOSITORY if workload.vllm else workload.repository}",
        *(["--model-control-mode=explicit", *named, *_closed()] if named else []),
        f"--exit-timeout-secs={grace - PAUSE_SECONDS - MARGIN_SECONDS}",  # else requests under way have 30 s
    ]


def _loaded(workload: TritonWorkload) -> tuple[str, ...]:
    """The models that are loaded by name; none where all of the repository are."""
    return (_LANGUAGE_MODEL,) if workload.vllm else workload.models


def _closed() -> list[str]:
    """Who may load models may run code of his own: nobody from outside, who does not know the pod's UID.

    Source: triton-inference-server/server 2.73 `docs/customization_guide/deploy.md` and `inference_protocols.md` (limit endpoint
    access); read 2026-11-23.
    """
    restricted = f"model-repository:pod-uid=$({_POD_UID})"
    return [f"--http-restricted-api={restricted}", f"--grpc-restricted-protocol={restricted}"]


def _environment(workload: TritonWorkload, token_secret: str | None) -> list[dict[str, Any]]:
    """Caches are on a volume: the user of the image has no home that it may write."""
    environment: list[dict[str, Any]] = [{"name": name, "value": _CACHE} for name in ("HOME", "HF_HOME")]
    if _loaded(workload):
        environment.append({"name": _POD_UID, "valueFrom": {"fieldRef": {"fieldPath": "metadata.uid"}}})
    if token_secret:
        reference = {"secretKeyRef": {"name": token_secret, "key": "token"}}
        environment.append({"name": "HF_TOKEN", "valueFrom": reference})
    return environment


def _probes(workload: TritonWorkload, start_seconds: int) -> dict[str, Any]:
    """Of a language model what is asked is the model: of the server itself nothing is heard when its engine dies."""
    ready = {"httpGet": {"path": "/v2/health/ready", "port": HTTP}}
    live = {"httpGet": {"path": "/v2/health/live", "port": HTTP}}
    if workload.vllm:
        ready = live = {"httpGet": {"path": f"/v2/models/{_LANGUAGE_MODEL}/ready", "port": HTTP}}
    return {
        "startupProbe": {**ready, "periodSeconds": 10, "failureThreshold": -(-start_seconds // 10)},
        "readinessProbe": {**ready, "periodSeconds": 5},
        "livenessProbe": {**live, "periodSeconds": 10, "failureThreshold": 3},
    }


def _request(workload: TritonWorkload) -> str:
    if not workload.vllm:
        return f"$URL/v2/models/{workload.models[0]}" if workload.models else "-X POST $URL/v2/repository/index"
    question = {"text_input": "Amazon EKS is", "parameters": {"max_tokens": 32}}
    return f"$URL/v2/models/{_LANGUAGE_MODEL}/generate -d '{json.dumps(question)}'"
