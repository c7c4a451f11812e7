"""NVIDIA NIM: a language model in a container of NVIDIA's."""

from typing import ClassVar

from eks_accelerators.settings.model.base import ConfigSecret, Model
from eks_accelerators.settings.model.secrets import SecretName, SecretSource
from eks_accelerators.settings.model.server import Server
from eks_accelerators.settings.model.vllm import ModelShapeSettings
from eks_accelerators.settings.model.workload import CacheVolume, Namespace, Positive


class NgcKey(Model):
    """Where the API key of NGC comes from: never the key itself. `configSecret`, or both Kubernetes Secrets."""

    config_secret: ConfigSecret | None = None
    """Name of a Pulumi secret: `pulumi config set --secret <name>`. Both Kubernetes Secrets are made of it."""
    existing_secret: SecretName | None = None
    """Name of a Kubernetes Secret with the key `NGC_API_KEY`, there already."""
    existing_pull_secret: SecretName | None = None
    """Name of a Kubernetes Secret of the type `kubernetes.io/dockerconfigjson` for `nvcr.io`, there already."""


class NimWorkload(Server):
    """A language model served by NVIDIA NIM, without the NIM Operator: Deployment, Service and PodDisruptionBudget."""

    PROGRAM: ClassVar[str] = "nim"

    model: str
    """Hugging Face name of the model, such as `meta-llama/Llama-3.2-1B-Instruct`."""
    model_shape: ModelShapeSettings | None = None
    """The model's numbers, where this package does not know the model."""
    model_free: bool = False
    """Whether the image has no model in it and downloads `model` from Hugging Face; name such an image in `image`."""
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
    """Volume that keeps the model; by default each pod downloads it anew."""

    @property
    def accelerators(self) -> int:
        """GPUs of one pod, `tensorParallelSize`."""
        return self.tensor_parallel_size

    @property
    def served_model(self) -> str | None:
        """Name of the model that it serves, `model`."""
        return self.model

    @property
    def token_source(self) -> SecretSource | None:
        """`huggingFaceToken`."""
        return self.hugging_face_token

    @property
    def config_secrets(self) -> tuple[str, ...]:
        """Those of `ngcKey` and `huggingFaceToken`."""
        key = self.ngc_key.config_secret
        return (*([key] if key else []), *super().config_secrets)
