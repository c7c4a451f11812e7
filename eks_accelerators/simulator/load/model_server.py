"""How fast one server answers: a model, from its GPU's or Neuron device's data sheet and its model's shape.

A server works in steps. In each, every sequence of the batch gets its next token, and prompts that wait are read, at most
as many tokens in all as vLLM takes by default. A step takes as long as the GPU needs to read the weights and the KV cache of all sequences (memory),
or to calculate (two operations for a parameter and token), whichever is longer, and before it the host has work of its own.
Servers that share a GPU and are busy at the same moment have equal parts of it; what a host does goes on meanwhile. A MIG
instance has its own part of memory and of calculation, whatever the others do.

Sources: Williams et al., "Roofline" (2009), and Pope et al., "Efficiently Scaling Transformer Inference" (2022), for
decoding that waits for memory and prompts that wait for calculation; vLLM 0.28, scheduler of its engine V1
(`max_num_batched_tokens`, prompts in pieces); from general knowledge, 2026-11-22. The three figures below are estimates:
measure before something is decided by them.

A server of other models is simpler: it takes one request after the other, each as long as its user has measured. Source:
triton-inference-server/server, `docs/user_guide/model_configuration.md`: one instance of a model, and no dynamic batching, unless
the model's own configuration says otherwise.

Left out: operations of attention itself, kernels of prompts, which are longer than any graph (the GPU works longer there than
its host), prefix caching (every prompt is new), speculative decoding, what the GPUs of one
server say to each other, what Neuron pads up to its buckets, and what a change between processes costs under time-slicing.
"""

from dataclasses import dataclass

from eks_accelerators.accelerators import gpus, mig, neuron
from eks_accelerators.accelerators.instance_type import InstanceType
from eks_accelerators.settings.fit import Fit
from eks_accelerators.settings.model.neuron_vllm import NeuronVllmWorkload
from eks_accelerators.settings.model.vllm import VllmWorkload
from eks_accelerators.settings.neuron_fit import NeuronFit
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup

MEMORY_REACHED = 0.7
"""Part of a data sheet's memory bandwidth that decoding reaches: 0.6 to 0.85 is what people measure. An estimate."""
CALCULATION_REACHED = 0.5
"""Part of a data sheet's operations that reading prompts reaches. An estimate."""
HOST_SECONDS_PER_STEP, HOST_SECONDS_PER_LAYER = 0.002, 0.0002
"""Scheduling and sampling of a step, and the start of a layer's kernels one by one, as `--enforce-eager` has it: with CUDA graphs
one call starts them all. Estimates."""

BATCHED_TOKENS = 2048
"""Tokens of one step at most, where nothing else is said."""


@dataclass(frozen=True, slots=True)
class VllmDefaults:
    """What vLLM takes where it is told nothing: ``batched_tokens`` of a step, `--max-num-batched-tokens`, and ``sequences`` at a time,
    `--max-num-seqs`.
    """

    batched_tokens: int
    sequences: int


def vllm_defaults(group: ResolvedNodeGroup, resource: str | None) -> VllmDefaults:
    """By the memory that a server sees: that of the whole GPU where pods take turns, that of its instance with MIG.

    Source: vLLM 0.28 `vllm/engine/arg_utils.py`, `get_batch_defaults`, of its server for the API of OpenAI; read 2026-11-23.
    """
    gib = (group.share_of(resource).memory_mib or 0) / 1024
    if gib >= 160:
        return VllmDefaults(16384, 1024)
    if gib >= 70 and group.type.accelerator.name != "A100":
        return VllmDefaults(8192, 1024)
    return VllmDefaults(BATCHED_TOKENS, 256)


class UnknownSpeedError(ValueError):
    """Nobody knows how fast such a server is; says why, and what to do."""


@dataclass(frozen=True, slots=True)
class ServerModel:
    """One server on its part of a GPU, nobody else at work on it. Bytes, seconds, and operations a second.

    With tensor parallelism all is per GPU of the server. ``slots`` is how many sequences it takes at a time,
    ``kv_tokens`` how many tokens they may have together, ``longest`` how many one may have, and ``batched_tokens`` how many are
    worked on in a step.
    """

    weight_bytes: float
    kv_bytes_per_token: float
    operations_per_token: float
    bytes_per_second: float
    operations_per_second: float
    host_seconds: float
    slots: int
    kv_tokens: int
    batched_tokens: int = BATCHED_TOKENS

    def gpu_seconds(self, tokens: float, context: float) -> float:
        """How long the GPU works for one step of ``tokens``, where all sequences of the batch have ``context`` together."""
        memory = (self.weight_bytes + self.kv_bytes_per_token * context) / self.bytes_per_second
        return max(memory, tokens * self.operations_per_token / self.operations_per_second)

    def step_seconds(self, gpu_seconds: float, busy: int = 1) -> float:
        """How long a step takes in which the GPU works so long, where so many servers are at work on it.

        Never less than the GPU needs for an equal step of each: together they get no more than there is.
        """
        return max(self.host_seconds + gpu_seconds, busy * gpu_seconds)


def server_model(path: str, workload: VllmWorkload, group: ResolvedNodeGroup, fit: Fit, slots: int) -> ServerModel:
    """Servers on GPUs, whose model is written at ``path``. ``slots`` is their `--max-num-seqs`. Raises `UnknownSpeedError`."""
    chip = group.type.accelerator
    speed = gpus.speed(chip.name, chip.memory_mib if chip.partition_size == 1 else None)
    tokens = fit.kv_cache_tokens
    if speed is None:
        raise UnknownSpeedError(
            f"{path}: how fast {chip.name} ({group.type.name}) is is not known; write its data sheet's figures "
            "into eks_accelerators/accelerators/data/gpus.json"
        )
    if fit.shape is None or tokens is None:
        raise UnknownSpeedError(f"{path}.modelShape: the shape of {workload.model} is not known; write it")
    memory, calculation = parts_of_gpu(group, workload.resource_name)
    shape, parallel = fit.shape, workload.tensor_parallel_size
    return ServerModel(
        weight_bytes=shape.weight_bytes / parallel,
        kv_bytes_per_token=shape.kv_bytes_per_token_and_gpu(parallel),
        operations_per_token=2 * shape.parameters / parallel,
        bytes_per_second=speed.bytes_per_second * memory * MEMORY_REACHED,
        operations_per_second=speed.operations_per_second * calculation * CALCULATION_REACHED,
        host_seconds=HOST_SECONDS_PER_STEP + (0.0 if fit.cuda_graphs else HOST_SECONDS_PER_LAYER * shape.layers),
        slots=slots,
        kv_tokens=tokens,
        batched_tokens=vllm_defaults(group, workload.resource_name).batched_tokens,
    )


def neuron_model(
    path: str, workload: NeuronVllmWorkload, kind: InstanceType, fit: NeuronFit, cores_per_device: int
) -> ServerModel:
    """Servers on Neuron devices, all figures per logical core of a server, as those on GPUs are per GPU. Raises
    `UnknownSpeedError`.
    """
    speed = neuron.speed(kind)
    if speed is None:
        raise UnknownSpeedError(
            f"{path}: how fast {kind.accelerator.name} ({kind.name}) is is not known; write the figures of its device into "
            "eks_accelerators/accelerators/data/neuron.json"
        )
    if fit.shape is None or fit.memory is None:
        raise UnknownSpeedError(f"{path}.modelShape: the shape of {workload.model} is not known; write it")
    shape, parallel = fit.shape, fit.tensor_parallel_size
    return ServerModel(
        weight_bytes=shape.weight_bytes / parallel,
        kv_bytes_per_token=shape.kv_bytes_per_token_and_gpu(parallel),
        operations_per_token=2 * shape.parameters / parallel,
        bytes_per_second=speed.bytes_per_second / cores_per_device * MEMORY_REACHED,
        operations_per_second=speed.operations_per_second / cores_per_device * CALCULATION_REACHED,
        host_seconds=HOST_SECONDS_PER_STEP,  # the whole model is one program, and no kernels are started one by one
        slots=workload.concurrent_sequences,
        kv_tokens=fit.memory.kv_cache_tokens,
        batched_tokens=fit.buckets.longest_step,
    )


def one_at_a_time(seconds: float) -> ServerModel:
    """Servers that take one request after the other, so many seconds each with nobody else on the GPU: a request is one token."""
    return ServerModel(
        weight_bytes=seconds,
        kv_bytes_per_token=0.0,
        operations_per_token=0.0,
        bytes_per_second=1.0,
        operations_per_second=1.0,
        host_seconds=0.0,
        slots=1,
        kv_tokens=_ROOM_FOR_ANY,
    )


_ROOM_FOR_ANY = 10**6
"""Tokens, for servers that have none."""


def parts_of_gpu(group: ResolvedNodeGroup, resource: str | None) -> tuple[float, float]:
    """Which part of a whole GPU's memory bandwidth, and of its calculation, those on one device of it have together."""
    whole = group.type.accelerator.partition_size
    offered, gpu = group.share_of(resource), mig.gpu_of(group.type)
    if offered.profile is None or gpu is None:
        return whole, whole
    profile = gpu.profiles[offered.profile]
    return profile.size / gpu.memory_slices, profile.compute_slices / _COMPUTE_SLICES


_COMPUTE_SLICES = 7
"""Of a GPU that MIG divides. Source: NVIDIA MIG user guide; one more slice of memory than of calculation."""
