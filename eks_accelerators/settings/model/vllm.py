"""Language models served by vLLM."""

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import Field

from eks_accelerators.accelerators.node_capacity import HUGE_PAGES
from eks_accelerators.accelerators.sharing import EFA_DEVICE
from eks_accelerators.settings.model.autoscaling import AutoscalingSettings
from eks_accelerators.settings.model.base import Model
from eks_accelerators.settings.model.node_groups import GpuMemoryGib
from eks_accelerators.settings.model.secrets import SecretsManagerSecret, SecretSource
from eks_accelerators.settings.model.streamed_weights import S3Weights
from eks_accelerators.settings.model.workload import CacheVolume, Namespace, Positive, Workload

_HUGE_PAGES_OF_EFA_MIB = 5120
"""Huge pages of a pod with EFA, unless it says how many."""

HUGGING_FACE = "hugging-face"
"""What follows a server's name in that of the Secret with its token."""

_FEWEST_SEQUENCES = 16
"""Sequences that a server takes at a time, unless it has room for more of full length: most are shorter."""


class ModelShapeSettings(Model):
    """The numbers of a model that this package does not know."""

    parameters: Positive
    """Number of parameters."""
    layers: Positive
    """Number of layers."""
    attention_heads: Positive
    """Number of attention heads."""
    kv_heads: Positive
    """Number of key and value heads."""
    head_size: Positive
    """Size of a head."""
    bytes_per_parameter: Annotated[int, Field(ge=1, le=4)] = 2
    """Bytes a parameter takes."""
    max_model_len: Positive
    """Longest context that the model was made for, in tokens."""
    gated: bool = False
    """Whether Hugging Face asks for a token."""


class VllmWorkload(Workload):
    """A language model served by vLLM: Deployment, Service and PodDisruptionBudget."""

    COUNT: ClassVar[str] = "replicas"

    model: str
    """Hugging Face model, such as `meta-llama/Llama-3.2-1B`."""
    model_shape: ModelShapeSettings | None = None
    """The model's numbers, where this package does not know the model."""
    namespace: Namespace = "llm"
    """Namespace, created; workloads may share one."""
    replicas: Positive | None = None
    """Number of servers; by default as many as fit the node group at its desired size, at least one."""
    autoscaling: AutoscalingSettings | None = None
    """Let the number of servers follow the load, in place of `replicas`; by default it stays as it is."""
    max_model_len: Positive = 4096
    """Longest context in tokens; sizes the KV cache."""
    concurrent_sequences: Positive = 4
    """Sequences of that length that must fit the KV cache at a time."""
    tensor_parallel_size: Positive = 1
    """GPUs that one server uses."""
    gpu_memory_gib: GpuMemoryGib | None = None
    """GiB that each pod wants of its GPU at least. The shares follow from it where the node group's sharing has neither
    `replicas` nor `memoryGib`; otherwise they have to be as large."""
    efa_interfaces: Annotated[int, Field(ge=0)] = 0
    """EFA interfaces of one pod."""
    huge_pages_mib: Annotated[int, Field(ge=0)] | None = None
    """2 MiB huge pages of one pod, in MiB; by default 5120 where it has EFA."""
    hugging_face_token: SecretSource | None = None
    """Where the token for gated models comes from."""
    cache: CacheVolume | None = None
    """Volume that keeps the weights; by default each pod downloads them anew."""
    weights_from_s3: S3Weights | None = None
    """Stream the weights from a bucket to the GPU, in place of a download from Hugging Face."""

    @property
    def pod_count(self) -> int | None:
        """How many pods the settings ask for, `replicas` or the fewest of `autoscaling`; None for as many as fit."""
        if self.replicas is None and self.autoscaling:
            return self.autoscaling.min
        return self.replicas

    @property
    def most_pods(self) -> int | None:
        """The most of `autoscaling`, else `replicas`; None for as many as fit."""
        return self.autoscaling.max if self.autoscaling else self.replicas

    @property
    def count_setting(self) -> str:
        """`autoscaling.min` where that says how many there are, else `replicas`."""
        return "autoscaling.min" if self.autoscaling and self.replicas is None else self.COUNT

    @property
    def most_sequences(self) -> int:
        """Sequences that one server works on at a time at most, vLLM's `--max-num-seqs`."""
        return max(_FEWEST_SEQUENCES, self.concurrent_sequences)

    @property
    def wanted_gpu_memory_gib(self) -> float | None:
        """GiB of GPU memory that each pod wants at least, `gpuMemoryGib`; None where it does not say."""
        return self.gpu_memory_gib

    @property
    def served_model(self) -> str | None:
        """Name of the model that it serves, `model`."""
        return self.model

    @property
    def streamed_weights(self) -> S3Weights | None:
        """`weightsFromS3`."""
        return self.weights_from_s3

    @property
    def synced_secrets(self) -> Mapping[str, SecretsManagerSecret]:
        """That of `huggingFaceToken`."""
        token = self.hugging_face_token
        return {HUGGING_FACE: token.secrets_manager} if token and token.secrets_manager else {}

    @property
    def config_secrets(self) -> tuple[str, ...]:
        """That of `huggingFaceToken`."""
        token = self.hugging_face_token
        return (token.config_secret,) if token and token.config_secret else ()

    @property
    def accelerators(self) -> int:
        """GPUs or shares of one pod, `tensorParallelSize`."""
        return self.tensor_parallel_size

    @property
    def other_devices(self) -> dict[str, int]:
        """`efaInterfaces` and `hugePagesMib`."""
        pages = self.huge_pages_mib
        if pages is None:
            pages = _HUGE_PAGES_OF_EFA_MIB if self.efa_interfaces else 0
        asked = {EFA_DEVICE: self.efa_interfaces, HUGE_PAGES: pages}
        return {name: amount for name, amount in asked.items() if amount}
