"""The pods that serve a model on Neuron devices, and that compile it ahead: pure data, no resources.

Sources: aws-neuron/aws-neuron-sdk at 81ce03a (documentation of SDK 2.32.0), vllm-neuron/docs/guides/reference-configuration.md,
design/compilation, tutorials/tutorial-llama3-70b.md and deploy/environments/quickstart-deploy-dlc.rst for the new plugin,
libraries/nxd-inference/vllm/quickstart-vllm-online-serving.rst for the old one; read 2026-11-22. Nothing was run on a device: that the
server needs none of the capabilities with which the quickstart starts its container (SYS_ADMIN, IPC_LOCK) is not established.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

from eks_accelerators.accelerators import data, neuron, neuron_memory
from eks_accelerators.accelerators.neuron import NeuronPlugin
from eks_accelerators.components.cache_volume import Cache
from eks_accelerators.components.server_pod import ServerDescription, ServerPort
from eks_accelerators.settings.draining import LONGEST_SECONDS, PAUSE_SECONDS
from eks_accelerators.settings.model.neuron_vllm import NeuronVllmWorkload
from eks_accelerators.settings.neuron_fit import NeuronFit
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup
from eks_accelerators.settings.server_starts import neuron_start, patience_seconds

PORT = 8000
IMAGES = {NeuronPlugin.VLLM_NEURON: "vllm-neuron", NeuronPlugin.NXD_INFERENCE: "vllm-neuron-old"}
"""Keys of the images in `charts-values/charts.yaml`."""

CACHE = NeuronVllmWorkload.CACHE_PATH
"""Where weights and compiled programs are."""

PATIENCE_SECONDS: int = data.load("neuron")["compilation"]["patience_seconds"]
"""For the download of the weights, the compiler and the first load."""

_SHARED_MEMORY = "8Gi"
_MARGIN_SECONDS = 15
_PROBE_SECONDS = 10
_FINISH_REQUESTS = Path(__file__).with_name("finish_requests.py")
_COMPILE_AHEAD = Path(__file__).with_name("compile_ahead.py")


@dataclass(frozen=True, slots=True)
class NeuronPodParts:
    """What the pod that serves and the one that compiles ahead are both made of. ``token_secret`` names the Secret with the token for
    gated models, where there is one.
    """

    workload: NeuronVllmWorkload
    group: ResolvedNodeGroup
    fit: NeuronFit
    image: str
    token_secret: str | None
    cache: Cache


def engine_arguments(workload: NeuronVllmWorkload, fit: NeuronFit) -> dict[str, Any]:
    """Arguments of vLLM's engine, by the names that they have in Python."""
    arguments: dict[str, Any] = {
        "model": workload.model,
        "tensor_parallel_size": fit.tensor_parallel_size,
        "max_model_len": workload.max_model_len,
        "max_num_seqs": workload.concurrent_sequences,
    }
    if fit.plugin is NeuronPlugin.NXD_INFERENCE:
        return {**arguments, "enable_prefix_caching": False, "additional_config": _keys_of_old_plugin(fit)}
    config: dict[str, Any] = {
        "num_batched_tokens_buckets": list(fit.buckets.prompt_tokens),
        "num_seqs_buckets": list(fit.buckets.sequences),
    }
    if fit.buckets.has_segments:
        config["kv_segment_size_buckets"] = list(fit.buckets.prompt_tokens)
    if fit.buckets.context_tokens:
        config["decode_context_length_buckets"] = list(fit.buckets.context_tokens)
    if workload.greedy:
        config["on_device_sampling_config"] = {"all_greedy": True}
    return {
        **arguments,
        "max_num_batched_tokens": fit.buckets.longest_step,
        "gpu_memory_utilization": neuron_memory.utilization(),
        "enable_prefix_caching": fit.buckets.has_segments,  # it takes prompts in segments
        "async_scheduling": workload.greedy,  # it takes sampling on the device
        "additional_config": {"neuron_config": config},
    }


def _keys_of_old_plugin(fit: NeuronFit) -> dict[str, Any]:
    config = {
        "enable_bucketing": True,
        "context_encoding_buckets": list(fit.buckets.prompt_tokens),
        "token_generation_buckets": list(fit.buckets.context_tokens),
    }
    return {"override_neuron_config": config}


def command_line(arguments: Mapping[str, Any]) -> list[str]:
    """The same arguments as a command line has them."""
    written: list[str] = []
    for name, value in arguments.items():
        flag = name.replace("_", "-")
        if isinstance(value, bool):
            written.append(f"--{flag}" if value else f"--no-{flag}")
        else:
            written += [f"--{flag}", json.dumps(value) if isinstance(value, dict) else str(value)]
    return written


def compiled_for(image: str, arguments: Mapping[str, Any]) -> str:
    """A name for what an image compiles with these arguments: another one where anything is different."""
    text = json.dumps([image, arguments], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def environment(workload: NeuronVllmWorkload, group: ResolvedNodeGroup, fit: NeuronFit, image: str) -> dict[str, str]:
    """Environment of a server, the token left out."""
    if fit.plugin is NeuronPlugin.NXD_INFERENCE:
        # It loads what lies there whatever the arguments are, so the folder is named after them.
        folder = f"{CACHE}/neuron/{compiled_for(image, engine_arguments(workload, fit))}"
        return {"HF_HOME": f"{CACHE}/huggingface", "NEURON_COMPILED_ARTIFACTS": folder}
    return {
        **_of_new_plugin(),
        # Where a process looks for the interface nearest to its core: without EFA it finds none, and does not start.
        **({} if group.has_efa else {"NEURON_SKIP_EFA_AFFINITY": "1"}),
        **_of_cores(group),
    }


def _of_cores(group: ResolvedNodeGroup) -> dict[str, str]:
    """The compiler has to know of logical cores that are not the usual ones."""
    size = group.settings.logical_core_size
    return {neuron.LOGICAL_CORE_VARIABLE: str(size)} if size else {}


def _of_new_plugin() -> dict[str, str]:
    """Where weights and programs are, and for how long processes wait for the one that compiles."""
    timeout = str(data.load("neuron")["compilation"]["timeout_seconds"])
    return {
        "HF_HOME": f"{CACHE}/huggingface",
        "VLLM_CACHE_ROOT": f"{CACHE}/vllm",
        "VLLM_NEURON_COMPILATION_TIMEOUT": timeout,
        "NEURON_LIBTORCH_COMPILATION_TIMEOUT": timeout,
        "VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS": timeout,
    }


def described(parts: NeuronPodParts) -> ServerDescription:
    """What is special to a server on Neuron devices."""
    prompt = {"model": parts.workload.model, "prompt": "Amazon EKS is", "max_tokens": 32}
    return ServerDescription(
        container=_container(parts),
        ports=(ServerPort("http", PORT, 80),),
        grace_seconds=LONGEST_SECONDS,
        request=f"$URL/v1/completions -H 'Content-Type: application/json' -d '{json.dumps(prompt)}'",
        volumes=_volumes(parts.cache),
    )


def _container(parts: NeuronPodParts) -> dict[str, Any]:
    workload, fit = parts.workload, parts.fit
    health = {"httpGet": {"path": "/health", "port": PORT}}
    arguments = command_line(engine_arguments(workload, fit))
    return {
        "image": parts.image,
        # Not the image's own entry point, which starts something else.
        "command": ["python3", "-m", "vllm.entrypoints.openai.api_server"],
        "args": [*arguments, *_draining(fit), "--port", str(PORT)],
        "env": _written(environment(workload, parts.group, fit, parts.image), parts.token_secret),
        "lifecycle": {"preStop": _before_it_stops(fit)},
        # The compiler is waited for; nothing is answered before. What follows it is not asked until then.
        "startupProbe": {
            **health,
            "periodSeconds": _PROBE_SECONDS,
            "failureThreshold": ceil(patience_seconds(neuron_start(workload, fit), PATIENCE_SECONDS) / _PROBE_SECONDS),
        },
        "readinessProbe": {**health, "periodSeconds": 5},
        "livenessProbe": {**health, "periodSeconds": _PROBE_SECONDS, "failureThreshold": 3},
        "volumeMounts": _mounts(parts.cache),
    }


def _mounts(cache: Cache) -> list[dict[str, Any]]:
    shared = {"name": "shared-memory", "mountPath": "/dev/shm"}  # noqa: S108  (shared memory, not a temporary file)
    return [cache.mount, shared]


def _volumes(cache: Cache) -> list[dict[str, Any]]:
    return [cache.volume, {"name": "shared-memory", "emptyDir": {"medium": "Memory", "sizeLimit": _SHARED_MEMORY}}]


def _draining(fit: NeuronFit) -> list[str]:
    """How fast a device generates is not known here, so it is the most that anybody waits. The old plugin's vLLM 0.16 has no such
    argument.
    """
    if fit.plugin is NeuronPlugin.NXD_INFERENCE:
        return []
    return ["--shutdown-timeout", str(LONGEST_SECONDS - PAUSE_SECONDS - _MARGIN_SECONDS)]


def _before_it_stops(fit: NeuronFit) -> dict[str, Any]:
    """Of the old plugin SIGTERM ends what is under way, so the signal has to come later."""
    if fit.plugin is NeuronPlugin.VLLM_NEURON:
        return {"sleep": {"seconds": PAUSE_SECONDS}}
    program = _FINISH_REQUESTS.read_text(encoding="utf-8")
    most = LONGEST_SECONDS - _MARGIN_SECONDS
    address = f"http://127.0.0.1:{PORT}/metrics"
    return {"exec": {"command": ["python3", "-c", program, address, str(PAUSE_SECONDS), str(most)]}}


def compile_pod(parts: NeuronPodParts, service_account: str) -> dict[str, Any]:
    """The pod that compiles ahead, on a node without accelerators: it tolerates no taint, and asks for no device."""
    fit, ahead = parts.fit, parts.workload.compile_ahead
    assert ahead is not None
    assert fit.family is not None
    there = {
        **_of_new_plugin(),
        **_of_cores(parts.group),
        "VLLM_NEURON_CPU_COMPILE": "1",
        "NEURON_PLATFORM_TARGET_OVERRIDE": fit.family.target,
        "NEURON_LIBTORCH_PARALLEL_COMPILE_WORKERS": str(ahead.workers),
        "ENGINE_ARGUMENTS": json.dumps(engine_arguments(parts.workload, fit)),
    }
    memory = f"{ahead.memory_gib}Gi"
    return {
        "serviceAccountName": service_account,
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,  # Kubernetes would set VLLM_PORT, which vLLM reads as its own
        "restartPolicy": "Never",
        "nodeSelector": {"kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux"},
        "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
        "containers": [
            {
                "name": "compile",
                "image": parts.image,
                "command": ["python3", "-c", _COMPILE_AHEAD.read_text(encoding="utf-8")],
                "env": _written(there, parts.token_secret),
                "resources": {"requests": {"cpu": ahead.cpu, "memory": memory}, "limits": {"memory": memory}},
                "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
                "volumeMounts": _mounts(parts.cache),
            }
        ],
        "volumes": _volumes(parts.cache),
    }


def _written(values: Mapping[str, str], token_secret: str | None) -> list[dict[str, Any]]:
    written: list[dict[str, Any]] = [{"name": name, "value": value} for name, value in values.items()]
    if token_secret:
        reference = {"secretKeyRef": {"name": token_secret, "key": "token"}}
        written.append({"name": "HF_TOKEN", "valueFrom": reference})
    return written
