"""The pod of a vLLM server: pure data, no resources.

Sources: vLLM 0.28 engine arguments, EKS user guide `node-efa`; read 2026-11-20.
"""

from typing import Any

from eks_accelerators.accelerators import gpus
from eks_accelerators.components.pod_resources import pod_resources
from eks_accelerators.components.workload_volumes import volumes_of
from eks_accelerators.settings.draining import PAUSE_SECONDS, draining_of
from eks_accelerators.settings.fit import Fit
from eks_accelerators.settings.model.vllm import VllmWorkload
from eks_accelerators.settings.resolved import ResolvedNodeGroup
from eks_accelerators.settings.tolerations import for_groups

PORT = 8000
_MODELS = "/models"
_SHARED_MEMORY = "2Gi"


def labels(name: str) -> dict[str, str]:
    """Labels by which Service and PodDisruptionBudget find the pods."""
    return {"app.kubernetes.io/name": "vllm", "app.kubernetes.io/instance": name}


def server_arguments(workload: VllmWorkload, group: ResolvedNodeGroup, fit: Fit) -> list[str]:
    """Arguments of the server.

    Utilization and KV cache are both set: left alone, two servers that start on one GPU measure each
    other's memory and take what is not theirs.
    """
    half = gpus.supports_bfloat16(group.type.accelerator.name) is False
    arguments = [
        "--model",
        workload.model,
        "--dtype",
        "half" if half else "bfloat16",
        "--max-model-len",
        str(workload.max_model_len),
        "--max-num-seqs",
        str(workload.most_sequences),
        "--shutdown-timeout",  # without it SIGTERM ends every request that is under way
        str(draining_of(workload, group, fit).timeout_seconds),
        "--enforce-eager",  # CUDA graphs would take memory that the shares do not have
    ]
    if fit.share:
        arguments += [
            "--gpu-memory-utilization",
            f"{fit.share.utilization:.2f}",
            "--kv-cache-memory-bytes",
            str(fit.share.kv_cache_bytes),
        ]
    if workload.tensor_parallel_size > 1:
        arguments += ["--tensor-parallel-size", str(workload.tensor_parallel_size)]
    return arguments


def pod_spec(
    name: str,
    workload: VllmWorkload,
    group: ResolvedNodeGroup,
    fit: Fit,
    *,
    image: str,
    token_secret: str | None,
    claim: str | None,
    node_selector: dict[str, str],
) -> dict[str, Any]:
    """The pod, in Kubernetes' own shape."""
    return {
        "serviceAccountName": name,
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,  # Kubernetes would set VLLM_PORT, which vLLM reads as its own
        "nodeSelector": node_selector,
        "tolerations": list(for_groups([group], workload.tolerations)),
        "topologySpreadConstraints": [
            {
                "maxSkew": 1,
                "topologyKey": "kubernetes.io/hostname",
                "whenUnsatisfiable": "ScheduleAnyway",
                "labelSelector": {"matchLabels": labels(name)},
            }
        ],
        "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
        "terminationGracePeriodSeconds": draining_of(workload, group, fit).grace_seconds,
        "containers": [_container(workload, group, fit, image, token_secret)],
        "volumes": [
            {"name": "models", "persistentVolumeClaim": {"claimName": claim}}
            if claim
            else {"name": "models", "emptyDir": {}},
            {"name": "shared-memory", "emptyDir": {"medium": "Memory", "sizeLimit": _SHARED_MEMORY}},
            *volumes_of(workload)[0],
        ],
    }


def _container(
    workload: VllmWorkload, group: ResolvedNodeGroup, fit: Fit, image: str, token_secret: str | None
) -> dict[str, Any]:
    environment: list[dict[str, Any]] = [{"name": "HF_HOME", "value": _MODELS}]
    if token_secret:
        reference = {"secretKeyRef": {"name": token_secret, "key": "token"}}
        environment.append({"name": "HF_TOKEN", "valueFrom": reference})
    health = {"httpGet": {"path": "/health", "port": PORT}}
    return {
        "name": "vllm",
        "image": image,
        "args": server_arguments(workload, group, fit),
        "env": environment,
        "ports": [{"name": "http", "containerPort": PORT}],
        "resources": pod_resources(workload, group),
        # The image is made for root; it needs no capability and no way to more rights.
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
        "lifecycle": {"preStop": {"sleep": {"seconds": PAUSE_SECONDS}}},
        # Ten minutes for the download of the weights and the first load.
        "startupProbe": {**health, "periodSeconds": 10, "failureThreshold": 60},
        "readinessProbe": {**health, "periodSeconds": 5},
        "livenessProbe": {**health, "periodSeconds": 10, "failureThreshold": 3},
        "volumeMounts": [
            {"name": "models", "mountPath": _MODELS},
            {"name": "shared-memory", "mountPath": "/dev/shm"},  # noqa: S108  (shared memory, not a temporary file)
            *volumes_of(workload)[1],
        ],
    }
