"""NVIDIA NIM: a language model in a container of NVIDIA's."""

from collections.abc import Mapping
from typing import ClassVar

from eks_accelerators.settings.model.base import ConfigSecret, Model
from eks_accelerators.settings.model.language_model import WrittenModel
from eks_accelerators.settings.model.secrets import (
    BroughtSecret,
    ImageRegistry,
    SecretName,
    SecretsManagerSecret,
    SecretSource,
)
from eks_accelerators.settings.model.server import Server
from eks_accelerators.settings.model.vllm import ModelShapeSettings
from eks_accelerators.settings.model.workload import CacheVolume, Namespace, Positive

NGC_KEY, NGC_PULL = "ngc", "nvcr"
"""What follows a server's name in those of the Secrets with its key, and by which its image is pulled."""

KEY_VARIABLE = "NGC_API_KEY"
"""The variable that has the key in a container, and the key in the Secret."""

REGISTRY = ImageRegistry("nvcr.io", "$oauthtoken")
"""NVIDIA's registry, whose user is literally so called."""


class NgcKey(Model):
    """Where the API key of NGC comes from: never the key itself. `configSecret`, `secretsManager`, or both Kubernetes Secrets."""

    config_secret: ConfigSecret | None = None
    """Name of a Pulumi secret: `pulumi config set --secret <name>`. Both Kubernetes Secrets are made of it."""
    existing_secret: SecretName | None = None
    """Name of a Kubernetes Secret with the key `NGC_API_KEY`, there already."""
    existing_pull_secret: SecretName | None = None
    """Name of a Kubernetes Secret of the type `kubernetes.io/dockerconfigjson` for `nvcr.io`, there already."""
    secrets_manager: SecretsManagerSecret | None = None
    """A secret of AWS Secrets Manager, of which External Secrets makes both Kubernetes Secrets, and keeps them up to date."""


class NimWorkload(Server):
    """A language model served by NVIDIA NIM, without the NIM Operator: Deployment, Service and PodDisruptionBudget."""

    PROGRAM: ClassVar[str] = "nim"
    CACHE_PATH: ClassVar[str] = "/opt/nim/.cache"
    RUNS_AS: ClassVar[int] = 1000

    model: str
    """Hugging Face name of the model, such as `meta-llama/Llama-3.2-1B-Instruct`."""
    model_shape: ModelShapeSettings | None = None
    """The model's numbers, where this package does not know the model."""
    model_free: bool = False
    """Whether the image has no model in it and downloads `model` from Hugging Face; one is pinned."""
    namespace: Namespace = "nim"
    """Namespace, created; workloads may share one."""
    ngc_key: NgcKey
    """Where the API key of NGC comes from, by which the image is pulled and the model downloaded."""
    max_model_len: Positive = 4096
    """Longest context in tokens."""
    concurrent_sequences: Positive = 4
    """Sequences of that length that must fit the memory at a time."""
    tensor_parallel_size: Positive = 1
    """GPUs that one server uses."""
    hugging_face_token: SecretSource | None = None
    """Where the token for gated models comes from, with `modelFree`."""
    cache: CacheVolume | None = None
    """Where the model is kept; by default each pod downloads it anew."""

    @property
    def accelerators(self) -> int:
        """GPUs of one pod, `tensorParallelSize`."""
        return self.tensor_parallel_size

    @property
    def cuda_graphs(self) -> None:
        """What NIM does by itself, as vLLM does by default: it is told nothing of it."""
        return None

    @property
    def language_model(self) -> WrittenModel:
        """The model that it serves, `model`; with `modelFree` downloaded from Hugging Face."""
        return WrittenModel("", self, is_downloaded=self.model_free)

    @property
    def token_source(self) -> SecretSource | None:
        """Where its token for gated models comes from, `huggingFaceToken`; None where it has none."""
        return self.hugging_face_token

    @property
    def synced_secrets(self) -> Mapping[str, BroughtSecret]:
        """The key of NGC twice: as pods read it, and as their image is pulled."""
        source = self.ngc_key.secrets_manager
        if source is None:
            return super().synced_secrets
        of_key = {NGC_KEY: BroughtSecret(source, KEY_VARIABLE), NGC_PULL: BroughtSecret(source, registry=REGISTRY)}
        return {**super().synced_secrets, **of_key}

    @property
    def config_secrets(self) -> tuple[str, ...]:
        """Those of `ngcKey` and `huggingFaceToken`."""
        key = self.ngc_key.config_secret
        return (*([key] if key else []), *super().config_secrets)
