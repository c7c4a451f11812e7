"""Language models served by vLLM."""

from typing import Annotated, ClassVar

from pydantic import Field

from eks_accelerators.settings.model.autoscaling import CONCURRENCY, KV_CACHE_USE
from eks_accelerators.settings.model.base import Model
from eks_accelerators.settings.model.language_model import WrittenModel
from eks_accelerators.settings.model.node_groups import GpuMemoryGib
from eks_accelerators.settings.model.secrets import SecretSource
from eks_accelerators.settings.model.server import Server
from eks_accelerators.settings.model.streamed_weights import S3Weights
from eks_accelerators.settings.model.workload import CacheVolume, Namespace, Positive, devices_of_efa
from eks_accelerators.settings.release_names import LEADER_WORKER_SET

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


class VllmWorkload(Server):
    """A language model served by vLLM: Deployment, Service and PodDisruptionBudget."""

    PROGRAM: ClassVar[str] = "vllm"
    CACHE_PATH: ClassVar[str] = "/models"
    SCALES_BY: ClassVar[tuple[str, ...]] = (CONCURRENCY, KV_CACHE_USE)

    model: str
    """Hugging Face model, such as `meta-llama/Llama-3.2-1B`."""
    model_shape: ModelShapeSettings | None = None
    """The model's numbers, where this package does not know the model."""
    namespace: Namespace = "llm"
    """Namespace, created; workloads may share one."""
    max_model_len: Positive = 4096
    """Longest context in tokens; sizes the KV cache."""
    concurrent_sequences: Positive = 4
    """Sequences of that length that must fit the KV cache at a time."""
    tensor_parallel_size: Positive = 1
    """GPUs that one server uses, of each node where it spans several."""
    nodes_per_replica: Annotated[int, Field(ge=1, le=64)] = 1
    """Nodes that one server spans, each with one stage of the model's layers (pipeline parallel), by a LeaderWorkerSet."""
    gpu_memory_gib: GpuMemoryGib | None = None
    """GiB that each pod wants of its GPU at least. The shares follow from it where the node group's sharing has neither
    `replicas` nor `memoryGib`; otherwise they have to be as large."""
    cuda_graphs: bool | None = None
    """Whether it compiles the model and replays its steps as CUDA graphs, in place of `--enforce-eager`: more tokens per second
    for some memory and a longer start. By default where a server has its GPUs or MIG instance to itself and their memory
    holds the graphs too."""
    efa_interfaces: Annotated[int, Field(ge=0)] = 0
    """EFA interfaces of one pod."""
    huge_pages_mib: Annotated[int, Field(ge=0)] | None = None
    """2 MiB huge pages of one pod, in MiB; by default 5120 where it has EFA."""
    hugging_face_token: SecretSource | None = None
    """Where the token for gated models comes from."""
    cache: CacheVolume | None = None
    """Where the weights are kept; by default each pod downloads them anew."""
    weights_from_s3: S3Weights | None = None
    """Stream the weights from a bucket to the GPU, in place of a download from Hugging Face."""

    @property
    def most_sequences(self) -> int:
        """Sequences that one server works on at a time at most, vLLM's `--max-num-seqs`."""
        return max(_FEWEST_SEQUENCES, self.concurrent_sequences)

    def requests_at_a_time(self, held: int | None) -> int:
        """What its KV cache holds of full length, and vLLM takes; `concurrentSequences` where the memory is not known."""
        return self.concurrent_sequences if held is None else max(1, min(held, self.most_sequences))

    @property
    def wanted_gpu_memory_gib(self) -> float | None:
        """GiB of GPU memory that each pod wants at least, `gpuMemoryGib`; None where it does not say."""
        return self.gpu_memory_gib

    @property
    def language_model(self) -> WrittenModel:
        """The model that it serves, `model`."""
        return WrittenModel("", self)

    @property
    def streamed_weights(self) -> S3Weights | None:
        """The bucket from which it streams its weights, `weightsFromS3`; None where it downloads them."""
        return self.weights_from_s3

    @property
    def token_source(self) -> SecretSource | None:
        """Where its token for gated models comes from, `huggingFaceToken`; None where it has none."""
        return self.hugging_face_token

    @property
    def accelerators(self) -> int:
        """GPUs or shares of one pod, `tensorParallelSize`."""
        return self.tensor_parallel_size

    @property
    def pods_per_replica(self) -> int:
        """`nodesPerReplica`: a pod on each."""
        return self.nodes_per_replica

    @property
    def needs_releases(self) -> tuple[str, ...]:
        """LeaderWorkerSet where a server spans nodes."""
        return (LEADER_WORKER_SET,) if self.spans_nodes else ()

    @property
    def other_devices(self) -> dict[str, int]:
        """`efaInterfaces` and `hugePagesMib`."""
        return devices_of_efa(self.efa_interfaces, self.huge_pages_mib)
