"""Triton Inference Server: models of any framework from a repository, or one language model by its vLLM backend."""

from typing import Annotated, ClassVar

from pydantic import StringConstraints

from eks_accelerators.settings.model.autoscaling import PENDING_REQUESTS
from eks_accelerators.settings.model.base import Model
from eks_accelerators.settings.model.language_model import WrittenModel
from eks_accelerators.settings.model.node_groups import GpuMemoryGib
from eks_accelerators.settings.model.secrets import SecretSource
from eks_accelerators.settings.model.server import Server, StartSeconds
from eks_accelerators.settings.model.vllm import ModelShapeSettings
from eks_accelerators.settings.model.workload import Namespace, Positive

ModelName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$")]
Repository = Annotated[str, StringConstraints(pattern=r"^(s3://[a-z0-9.-]{3,63}(/\S*)?|/[A-Za-z0-9._/@+-]+)$")]

_REQUESTS_AT_A_TIME = 4
"""Requests that may wait for one server: an engineering choice, measure it."""


class TritonLanguageModel(Model):
    """A language model for Triton's vLLM backend: the repository is made of this."""

    model: str
    """Hugging Face model, such as `meta-llama/Llama-3.2-1B`."""
    model_shape: ModelShapeSettings | None = None
    """The model's numbers, where this package does not know the model."""
    max_model_len: Positive = 4096
    """Longest context in tokens; sizes the KV cache."""
    concurrent_sequences: Positive = 4
    """Sequences of that length that must fit the KV cache at a time."""
    tensor_parallel_size: Positive = 1
    """GPUs that one server uses."""
    cuda_graphs: bool | None = None
    """Whether it replays its steps as CUDA graphs. By default as servers of `workloads.vllm` do."""


class TritonWorkload(Server):
    """Models served by Triton Inference Server: Deployment, Service and PodDisruptionBudget."""

    PROGRAM: ClassVar[str] = "triton"
    SCALES_BY: ClassVar[tuple[str, ...]] = (PENDING_REQUESTS,)
    RUNS_AS: ClassVar[int] = 1000

    namespace: Namespace = "triton"
    """Namespace, created; workloads may share one."""
    repository: Repository | None = None
    """Directory of the model repository, on one of `volumes`. One of `repository` and `vllm`."""
    models: tuple[ModelName, ...] = ()
    """Models of the repository that are loaded; by default all."""
    vllm: TritonLanguageModel | None = None
    """A language model, served by the vLLM backend in place of a repository."""
    hugging_face_token: SecretSource | None = None
    """Where the token for gated models comes from, with `vllm`."""
    gpu_memory_gib: GpuMemoryGib | None = None
    """GiB that the models of one server take of its GPU; nobody else knows."""
    start_seconds: StartSeconds = 600
    """Seconds that the models may take to load."""

    @property
    def accelerators(self) -> int:
        """GPUs or shares of one pod: one, or `vllm.tensorParallelSize`."""
        return self.vllm.tensor_parallel_size if self.vllm else 1

    @property
    def language_model(self) -> WrittenModel | None:
        """The model of `vllm`; None where it serves a repository."""
        return WrittenModel(".vllm", self.vllm) if self.vllm else None

    @property
    def token_source(self) -> SecretSource | None:
        """Where its token for gated models comes from, `huggingFaceToken`; None where it has none."""
        return self.hugging_face_token

    @property
    def wanted_gpu_memory_gib(self) -> float | None:
        """GiB that a pod takes of each of its GPUs, `gpuMemoryGib`; None where it is not said."""
        return self.gpu_memory_gib

    @property
    def lacks_gpu_memory(self) -> bool:
        """Whether it serves a repository, and nobody says how much memory that takes."""
        return self.vllm is None and self.gpu_memory_gib is None

    @property
    def shows_load(self) -> bool:
        """Not with the vLLM backend: what that has taken is no longer pending."""
        return self.vllm is None

    def requests_at_a_time(self, held: int | None) -> int:
        """What the KV cache of a language model holds, else a few."""
        return max(1, held) if held is not None else _REQUESTS_AT_A_TIME
