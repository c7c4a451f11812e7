"""A language model served by NVIDIA NIM on the GPUs of one node group.

Sources: NVIDIA NIM for Large Language Models 1.13 and 2.1 (`configuration`, `model-free-nim`); NVIDIA NIM Operator,
`nimservice_types.go` (probes); read 2026-11-22.
"""

import base64
import json
from dataclasses import dataclass
from math import ceil
from typing import Any

import pulumi

from eks_accelerators.components.arguments import NimServerArgs
from eks_accelerators.components.cache_volume import Cache
from eks_accelerators.components.charts import catalogue
from eks_accelerators.components.model_server import ModelServer
from eks_accelerators.components.server_inputs import ServerInputs, of_downloads, synced
from eks_accelerators.components.server_pod import ServerDescription, ServerPort
from eks_accelerators.components.validation import resolve_workload
from eks_accelerators.components.workload_component import Surroundings
from eks_accelerators.settings.draining import PAUSE_SECONDS, draining_of
from eks_accelerators.settings.fit import Fit
from eks_accelerators.settings.language_models import language_model_fit, language_model_of
from eks_accelerators.settings.model.nim import KEY_VARIABLE, NGC_KEY, NGC_PULL, REGISTRY, NimWorkload
from eks_accelerators.settings.resolved_stack import PlacedWorkload
from eks_accelerators.settings.server_starts import as_vllm_start, patience_seconds

PORT = 8000
_CACHE = NimWorkload.CACHE_PATH
_USER = NimWorkload.RUNS_AS
_PATIENCE_SECONDS = 1200
"""As the NIM Operator has it."""


@dataclass(frozen=True, slots=True)
class NimInputs(ServerInputs):
    """A server of NIM. The key of NGC is a secret value, or stands in the Secrets ``key_secret`` and ``pull_secret``; the token
    of Hugging Face is a secret value, or stands in ``token_secret``.
    """

    workload: NimWorkload
    fit: Fit
    key: pulumi.Input[str] | None = None
    key_secret: str | None = None
    pull_secret: str | None = None
    token: pulumi.Input[str] | None = None
    token_secret: str | None = None


class NimServer(ModelServer[NimInputs]):
    """Namespace, two Secrets of one key of NGC, Deployment, Service, PodDisruptionBudget.

    No NIM Operator: its objects would own these pods.

    Providers: Kubernetes.

    Alone: One model of NVIDIA's on a node group that is described by `serves_on`, with its GPUs to itself.
    """

    service_name: pulumi.Output[str]
    """Name of the Service, port 80."""
    namespace_name: pulumi.Output[str]
    """Namespace of all objects of the server."""
    example_request: pulumi.Output[str]
    """Commands that ask a server something, through `kubectl port-forward`."""

    def __init__(self, name: str, args: NimServerArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        self._create(name, _parsed(name, args), opts)

    @classmethod
    def inputs_of(cls, placed: PlacedWorkload, around: Surroundings) -> NimInputs:
        """One key of NGC becomes both Secrets."""
        workload, taken = placed.workload, of_downloads(placed, around)
        assert isinstance(workload, NimWorkload)
        key = workload.ngc_key
        return NimInputs(
            **{**taken, "waits": taken["waits"] and key.existing_secret is None},
            key=around.config.require_secret(key.config_secret) if key.config_secret else None,
            key_secret=key.existing_secret or synced(placed, NGC_KEY),
            pull_secret=key.existing_pull_secret or synced(placed, NGC_PULL),
        )

    def _described(self, inputs: NimInputs) -> ServerDescription:
        workload = inputs.workload
        cache = self._cache("models", _CACHE, workload.cache)
        key, pull = self._key_secrets(inputs)
        token = inputs.token_secret
        if token is None and inputs.token is not None:
            token = self._secret(f"{self._name}-hugging-face", {"token": inputs.token})
        found = language_model_of(workload)
        assert found is not None
        question = {
            "model": workload.model.lower() if not workload.model_free else workload.model,
            "messages": [{"role": "user", "content": "What is Amazon EKS?"}],
            "max_tokens": 32,
        }
        pinned = catalogue()["nim-model-free" if workload.model_free else "nim"]["image"]
        draining = draining_of(found[1], inputs.group, inputs.fit)
        return ServerDescription(
            container={
                **_container(workload, inputs.fit, workload.image or pinned, key, token, cache),
                # What SIGTERM does to requests under way is not established: it comes when they have had their time.
                "lifecycle": {"preStop": {"sleep": {"seconds": PAUSE_SECONDS + draining.timeout_seconds}}},
            },
            ports=(ServerPort("http", PORT, 80),),
            grace_seconds=draining.grace_seconds,
            request=f"$URL/v1/chat/completions -H 'Content-Type: application/json' -d '{json.dumps(question)}'",
            volumes=(
                cache.volume,
                {"name": "shared-memory", "emptyDir": {"medium": "Memory", "sizeLimit": "2Gi"}},
            ),
            pod={
                "imagePullSecrets": [{"name": pull}],
                # As the NIM Operator runs it; the group may write the cache.
                "securityContext": {"runAsNonRoot": True, "runAsUser": _USER, "runAsGroup": _USER, "fsGroup": _USER},
            },
        )

    def _key_secrets(self, inputs: NimInputs) -> tuple[str, str]:
        """The Secret with the key, and that by which the image is pulled."""
        if inputs.key is None:
            return inputs.key_secret or "", inputs.pull_secret or ""
        pull = pulumi.Output.secret(inputs.key).apply(docker_configuration)
        return (
            self._secret(f"{self._name}-{NGC_KEY}", {KEY_VARIABLE: inputs.key}),
            self._secret(f"{self._name}-{NGC_PULL}", {".dockerconfigjson": pull}, "kubernetes.io/dockerconfigjson"),
        )


def docker_configuration(key: str) -> str:
    """What a Secret of the type `kubernetes.io/dockerconfigjson` has for NVIDIA's registry, whose user is literally `$oauthtoken`."""
    auth = base64.b64encode(f"{REGISTRY.user}:{key}".encode()).decode()
    return json.dumps({"auths": {REGISTRY.host: {"username": REGISTRY.user, "password": key, "auth": auth}}})


def _container(
    workload: NimWorkload, fit: Fit, image: str, key: str, token: str | None, cache: Cache
) -> dict[str, Any]:
    environment: list[dict[str, Any]] = [
        {"name": KEY_VARIABLE, "valueFrom": {"secretKeyRef": {"name": key, "key": KEY_VARIABLE}}},
        {"name": "NIM_CACHE_PATH", "value": _CACHE},
        {"name": "NIM_SERVER_PORT", "value": str(PORT)},
        {"name": "NIM_MAX_MODEL_LEN", "value": str(workload.max_model_len)},
    ]
    if workload.model_free:
        environment.append({"name": "NIM_MODEL_PATH", "value": f"hf://{workload.model}"})
    if token:
        environment.append({"name": "HF_TOKEN", "valueFrom": {"secretKeyRef": {"name": token, "key": "token"}}})
    patience = patience_seconds(as_vllm_start(workload, fit), _PATIENCE_SECONDS)
    live = {"httpGet": {"path": "/v1/health/live", "port": PORT}}
    ready = {"httpGet": {"path": "/v1/health/ready", "port": PORT}}
    return {
        "image": image,
        "env": environment,
        # For the download and, without an engine that is made for the GPU, the making of one.
        "startupProbe": {**ready, "periodSeconds": 10, "failureThreshold": ceil(patience / 10)},
        "readinessProbe": {**ready, "periodSeconds": 10, "failureThreshold": 3},
        "livenessProbe": {**live, "periodSeconds": 10, "failureThreshold": 3},
        "volumeMounts": [
            cache.mount,
            {"name": "shared-memory", "mountPath": "/dev/shm"},  # noqa: S108  (shared memory, not a temporary file)
        ],
    }


def _parsed(name: str, args: NimServerArgs) -> NimInputs:
    """The arguments, typed, with every default; raises `SettingsError` where a rule forbids them."""
    serves_on = args["serves_on"]
    group, workload = resolve_workload(NimWorkload, name, args, serves_on)
    fit = language_model_fit(workload, group)
    assert isinstance(fit, Fit)
    return NimInputs(
        workload=workload,
        group=group,
        fit=fit,
        namespace=args.get("namespace"),
        waits=args.get("wait_for_pods", True),
        node_selector=serves_on.get("node_selector"),
        key=args.get("ngc_api_key"),
        key_secret=args.get("existing_key_secret"),
        pull_secret=args.get("existing_pull_secret"),
        token=args.get("hugging_face_token"),
        token_secret=args.get("existing_token_secret"),
    )
