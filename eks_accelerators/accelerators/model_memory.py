"""How much GPU memory a language model needs, and how many servers of it share one GPU.

The law: ``servers x (weights + overhead + CUDA graphs + KV cache) <= 0.92 x memory``. Weights and KV cache
follow from the model's public shape; the overhead is an estimate, and so is what CUDA graphs take where a
server uses them. Time-slicing divides time, not memory, so the law is the only thing between the servers and
an out-of-memory error. Sources: `data/models.json`.
"""

from dataclasses import dataclass, replace
from functools import cache
from math import ceil, floor

from eks_accelerators.accelerators import data

GIB = 1024**3


@dataclass(frozen=True, slots=True)
class ModelShape:
    """The numbers of a model that decide its memory.

    ``parameters`` is a count, ``bytes_per_parameter`` 2 for bfloat16 and float16 and a mean
    where weights are quantized, ``max_model_len`` in tokens. ``gated`` says that Hugging Face hands the weights out to accepted accounts only.
    """

    parameters: int
    layers: int
    attention_heads: int
    kv_heads: int
    head_size: int
    bytes_per_parameter: float
    max_model_len: int
    gated: bool

    @property
    def weight_bytes(self) -> float:
        """What all parameters take on a disk or in memory, in bytes."""
        return self.parameters * self.bytes_per_parameter

    @property
    def weights_gib(self) -> float:
        """The same in GiB, before any GPU has its part."""
        return self.weight_bytes / GIB

    @property
    def kv_bytes_per_token(self) -> int:
        """Key and value of one token over all layers, in bytes, at 2 bytes an element."""
        return 2 * self.layers * self.kv_heads * self.head_size * 2

    def kv_bytes_per_token_and_gpu(self, tensor_parallel_size: int, pipeline_parallel_size: int = 1) -> float:
        """What each of so many GPUs keeps of a token, in the fullest stage of the pipeline. Beyond the number of key and value
        heads, each keeps a copy.
        """
        in_stage = self.kv_bytes_per_token * self.part_in_stage(pipeline_parallel_size)
        return in_stage / min(tensor_parallel_size, self.kv_heads)

    def part_in_stage(self, stages: int) -> float:
        """The part of the layers that the fullest of so many stages of a pipeline has: what is left over goes to single stages,
        one layer each. Source: vLLM 0.28 `vllm/distributed/utils.py`, `get_pp_indices`.
        """
        return ceil(self.layers / stages) / self.layers

    def splits_over(self, gpus: int) -> bool:
        """Whether tensor parallelism can divide the heads among so many GPUs."""
        return self.attention_heads % gpus == 0 and (self.kv_heads % gpus == 0 or gpus % self.kv_heads == 0)


@dataclass(frozen=True, slots=True)
class MemoryNeed:
    """What one server needs on each of its GPUs, in GiB. ``cuda_graphs_gib`` is 0 where it uses none."""

    weights_gib: float
    overhead_gib: float
    kv_cache_gib: float
    cuda_graphs_gib: float = 0.0

    @property
    def besides_cache_gib(self) -> float:
        """What is no KV cache: weights, overhead and CUDA graphs."""
        return self.weights_gib + self.overhead_gib + self.cuda_graphs_gib

    @property
    def total_gib(self) -> float:
        """All of it together."""
        return self.besides_cache_gib + self.kv_cache_gib


@dataclass(frozen=True, slots=True)
class MemoryShare:
    """What one of several equal servers on a GPU may take.

    ``utilization`` is vLLM's ``--gpu-memory-utilization``, a share of the whole GPU rounded down to
    two digits; ``gib`` the share before rounding, and ``kv_cache_bytes`` what it leaves for the KV
    cache after weights, overhead and CUDA graphs: never less than a server needs where the servers fit.
    """

    utilization: float
    gib: float
    kv_cache_bytes: int


def known_models() -> tuple[str, ...]:
    """Names of the models whose shape is known."""
    return tuple(data.load("models")["models"])


@cache
def shape_of(model: str) -> ModelShape | None:
    """The shape of the Hugging Face model ``model``, or None where it is not known."""
    row = data.load("models")["models"].get(model)
    return ModelShape(**row) if row else None


def usable_gib(memory_mib: int) -> float:
    """The GiB of a GPU's memory that servers may share."""
    utilization: float = data.load("models")["gpu_memory_utilization"]
    return memory_mib / 1024 * utilization


def need(
    shape: ModelShape,
    *,
    max_model_len: int,
    concurrent_sequences: int,
    tensor_parallel_size: int = 1,
    pipeline_parallel_size: int = 1,
) -> MemoryNeed:
    """The memory of one server on each GPU of its fullest stage: it has ``tensor_parallel_size`` x ``pipeline_parallel_size``.

    The KV cache holds ``concurrent_sequences`` sequences of ``max_model_len`` tokens each. Embeddings, which the first and
    the last stage have, count as evenly divided.
    """
    tokens = max_model_len * concurrent_sequences
    return MemoryNeed(
        weights_gib=shape.weights_gib * shape.part_in_stage(pipeline_parallel_size) / tensor_parallel_size,
        overhead_gib=data.load("models")["overhead_gib"],
        kv_cache_gib=tokens * shape.kv_bytes_per_token_and_gpu(tensor_parallel_size, pipeline_parallel_size) / GIB,
    )


def with_cuda_graphs(needed: MemoryNeed) -> MemoryNeed:
    """The same of a server that uses CUDA graphs."""
    return replace(needed, cuda_graphs_gib=data.load("models")["cuda_graphs_gib"])


def uses_cuda_graphs(needed: MemoryNeed, memory_mib: int, servers: int) -> bool:
    """Whether each of ``servers`` on a GPU of ``memory_mib`` uses CUDA graphs where nobody says so: one that is alone there, and has
    the memory for them.
    """
    return servers == 1 and servers_per_gpu(with_cuda_graphs(needed), memory_mib) >= 1


def fits_without_cuda_graphs(needed: MemoryNeed, memory_mib: int, servers: int) -> bool:
    """Whether so many servers fit the memory of one GPU once they use no CUDA graphs."""
    return servers_per_gpu(replace(needed, cuda_graphs_gib=0.0), memory_mib) >= servers


def servers_per_gpu(needed: MemoryNeed, memory_mib: int) -> int:
    """How many such servers fit the memory of one GPU; 0 where not even one does."""
    return floor(usable_gib(memory_mib) / needed.total_gib)


def share(needed: MemoryNeed, memory_mib: int, servers: int) -> MemoryShare:
    """The equal share of one of ``servers`` on a GPU of ``memory_mib``."""
    whole: float = data.load("models")["gpu_memory_utilization"]
    utilization = floor(whole / servers * 100) / 100
    gib = usable_gib(memory_mib) / servers
    return MemoryShare(utilization, gib, max(0, floor((gib - needed.besides_cache_gib) * GIB)))
