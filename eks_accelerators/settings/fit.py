"""Which workload fits which node group, how often, and what limits it."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import floor

from eks_accelerators.accelerators import model_memory
from eks_accelerators.accelerators.model_memory import MemoryNeed, MemoryShare, ModelShape
from eks_accelerators.accelerators.node_capacity import HUGE_PAGES, Headroom, headroom_for_workloads
from eks_accelerators.settings.model.language_model import LanguageModel
from eks_accelerators.settings.model.vllm import VllmWorkload
from eks_accelerators.settings.model.workload import Workload
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup


@dataclass(frozen=True, slots=True)
class PodFit:
    """How the pods of a workload sit on its node group.

    ``pods_per_node`` counts what accelerators, CPU, memory and number of pods of one node allow together;
    ``limited_by`` names the scarcest. ``pods_at_desired`` and ``pods_at_max`` are those that the group holds, or one
    node of it where the pods have to be together. ``replicas`` are those of the settings, or else as many as fit the
    group at its desired size, at least one; ``most_replicas`` are as many as there may be where they follow the load. Where a
    replica is several pods, ``pods_per_replica``, the group holds whole ones alone.
    """

    pods_per_node: int
    limited_by: str
    pods_at_desired: int
    pods_at_max: int
    replicas: int
    most_replicas: int
    pods_per_replica: int

    @property
    def pods(self) -> int:
        """Number of pods of all replicas together."""
        return self.replicas * self.pods_per_replica

    @property
    def replicas_at_desired(self) -> int:
        """How many whole replicas the group holds at its desired size."""
        return self.pods_at_desired // self.pods_per_replica

    @property
    def replicas_at_max(self) -> int:
        """How many it holds at its largest size."""
        return self.pods_at_max // self.pods_per_replica

    @property
    def taken_gib(self) -> float | None:
        """What one pod takes of the memory of each of its GPUs; None where nobody knows."""
        return None

    @property
    def kv_cache_tokens(self) -> int | None:
        """How many tokens the KV cache of one pod holds, all sequences together; None where it has none, or nobody knows."""
        return None

    @property
    def full_sequences(self) -> int | None:
        """How many sequences of full length the KV cache of one pod holds; None where it has none, or nobody knows."""
        return None

    @property
    def arithmetic(self) -> str | None:
        """The sum of memory by which a pod fits its accelerators, in words; None where it is not calculated."""
        return None

    @property
    def all_at_desired(self) -> bool:
        """Whether the group holds all replicas at its desired size, so that a deployment can wait for them."""
        return self.replicas_at_desired >= self.replicas


@dataclass(frozen=True, slots=True)
class Fit(PodFit):
    """How a vLLM workload sits on its node group.

    ``servers_per_gpu`` counts those on one GPU or MIG instance, None where its memory is not known; ``sharers`` are the pods that may be
    there. ``cuda_graphs``: whether the server uses them, which everybody asks here.
    """

    shape: ModelShape | None
    max_model_len: int
    tensor_parallel_size: int
    pipeline_parallel_size: int
    need: MemoryNeed | None
    share: MemoryShare | None
    servers_per_gpu: int | None
    sharers: int
    cuda_graphs: bool

    @property
    def arithmetic(self) -> str:
        """The memory of one server and its share, in words."""
        if not (self.shape and self.need):
            return "the memory of the model is not known"
        need = self.need
        stages = self.pipeline_parallel_size
        of = "server" if stages == 1 else f"GPU of {self.tensor_parallel_size * stages} on {stages} nodes"
        graphs = f"{need.cuda_graphs_gib:.2f} CUDA graphs + " if self.cuda_graphs else ""
        sum_text = (
            f"{need.weights_gib:.2f} weights + {need.overhead_gib:.2f} overhead + {graphs}"
            f"{need.kv_cache_gib:.2f} KV cache = {need.total_gib:.2f} GiB per {of}"
        )
        if not self.share:
            return f"{sum_text}; the GPU's memory is not known"
        each = " per share" if self.sharers > 1 else ""
        return f"{sum_text}, of {self.share.gib:.2f} GiB{each} ({self.kv_cache_tokens:,} tokens of KV cache)"

    @property
    def kv_cache_tokens(self) -> int | None:
        """How many tokens the KV cache of one server holds, all sequences together; None where memory is not known."""
        if not (self.shape and self.share):
            return None
        of_token = self.shape.kv_bytes_per_token_and_gpu(self.tensor_parallel_size, self.pipeline_parallel_size)
        return floor(self.share.kv_cache_bytes / of_token)

    @property
    def full_sequences(self) -> int | None:
        """How many sequences of `maxModelLen` tokens its KV cache holds; None where memory is not known."""
        tokens = self.kv_cache_tokens
        return None if tokens is None else tokens // self.max_model_len

    @property
    def taken_gib(self) -> float | None:
        """What one server takes of each of its GPUs: its KV cache is all that its share leaves. None where not known."""
        if not (self.need and self.share):
            return None
        return self.need.besides_cache_gib + self.share.kv_cache_bytes / model_memory.GIB


def shape_of(written: LanguageModel) -> ModelShape | None:
    """The model's shape: written in the settings, or known by name."""
    if written.model_shape:
        return ModelShape(**written.model_shape.model_dump())
    return model_memory.shape_of(written.model)


def vllm_fit(workload: VllmWorkload, group: ResolvedNodeGroup) -> Fit:
    """How many servers of ``workload`` fit a node of ``group``, and the memory that each has and needs."""
    offered = group.share_of(workload.resource_name)
    shape = shape_of(workload)
    need = share = servers = None
    graphs = uses_cuda_graphs(workload, group)
    if shape:
        need = _need(workload, shape, workload.max_model_len)
        if graphs:
            need = model_memory.with_cuda_graphs(need)
        if offered.memory_mib:
            share = model_memory.share(need, offered.memory_mib, offered.sharers)
            servers = model_memory.servers_per_gpu(need, offered.memory_mib)
    return Fit(
        **asdict(pod_fit(workload, group)),
        shape=shape,
        max_model_len=workload.max_model_len,
        tensor_parallel_size=workload.tensor_parallel_size,
        pipeline_parallel_size=workload.nodes_per_replica,
        need=need,
        share=share,
        servers_per_gpu=servers,
        sharers=offered.sharers,
        cuda_graphs=graphs,
    )


def uses_cuda_graphs(workload: VllmWorkload, group: ResolvedNodeGroup) -> bool:
    """Whether a server compiles its model and replays its steps as CUDA graphs: as `cudaGraphs` says, else where no other pod
    draws on its memory, and that holds the graphs too.

    On a share the memory is better spent on the KV cache: servers that take turns have the GPU busy while the host of one starts
    its kernels, and graphs make up for hosts. A MIG instance, and a GPU that is claimed whole, are like a GPU: nobody else keeps
    them busy. Where nobody knows the memory, vLLM's own default stays.

    Source: vLLM 0.28 `vllm/config/vllm.py` (`FULL_AND_PIECEWISE` at its default level; `--enforce-eager` turns off both the
    compiler and the graphs).
    """
    if workload.cuda_graphs is not None:
        return workload.cuda_graphs
    offered, shape = group.share_of(workload.resource_name), shape_of(workload)
    if shape is None or offered.memory_mib is None:
        return offered.sharers == 1
    needed = _need(workload, shape, workload.max_model_len)
    return model_memory.uses_cuda_graphs(needed, offered.memory_mib, offered.sharers)


def pod_fit(workload: Workload, group: ResolvedNodeGroup) -> PodFit:
    """How the pods of a workload of any kind sit on ``group``."""
    pods, limit = _pods_per_node(workload, group)
    size = group.settings.size
    each = workload.pods_per_replica
    at_desired, at_max = (
        pods * (min(nodes, 1) if workload.TOGETHER else nodes) // each * each for nodes in (size.desired, size.max)
    )
    replicas = max(1, at_desired // each) if workload.pod_count is None else workload.pod_count
    return PodFit(
        pods_per_node=pods,
        limited_by=limit,
        pods_at_desired=at_desired,
        pods_at_max=at_max,
        replicas=replicas,
        most_replicas=max(replicas, workload.most_pods or 0),
        pods_per_replica=each,
    )


def longest_context(workload: VllmWorkload, group: ResolvedNodeGroup) -> int | None:
    """The largest `maxModelLen` with which as many servers as share a GPU fit it, at most that of the model.

    0 where the weights alone are too much, None where the memory of model or GPU is not known. CUDA graphs count where the settings
    demand them: by default they are left out before a server no longer fits.
    """
    offered, shape = group.share_of(workload.resource_name), shape_of(workload)
    memory = offered.memory_mib
    if not (shape and memory):
        return None

    def is_too_long(tokens: int) -> bool:
        needed = _need(workload, shape, tokens)
        if workload.cuda_graphs:
            needed = model_memory.with_cuda_graphs(needed)
        return model_memory.servers_per_gpu(needed, memory) < offered.sharers

    return bisect_left(range(1, shape.max_model_len + 1), True, key=is_too_long)


def _need(workload: VllmWorkload, shape: ModelShape, max_model_len: int) -> MemoryNeed:
    return model_memory.need(
        shape,
        max_model_len=max_model_len,
        concurrent_sequences=workload.concurrent_sequences,
        tensor_parallel_size=workload.tensor_parallel_size,
        pipeline_parallel_size=workload.nodes_per_replica,
    )


@dataclass(frozen=True, slots=True)
class Demand:
    """What all workloads of one node group ask for together.

    ``compared`` has each resource with the sum wanted when every workload has as many pods as it may have, and what one
    node has; CPU in cores, memory in GiB. ``fits_now`` is of the pods that there are without load.
    """

    workloads: int
    compared: tuple[tuple[str, float, float], ...]
    fits_now: bool


def demand(here: Sequence[tuple[Workload, PodFit]], group: ResolvedNodeGroup) -> Demand:
    """The sum of all workloads that run on ``group``, each with its fit."""
    now = _compared([(workload, fit.pods) for workload, fit in here], group)
    most = _compared([(workload, fit.most_replicas * fit.pods_per_replica) for workload, fit in here], group)
    nodes = group.settings.size.desired
    return Demand(len(here), most, all(wanted <= per_node * nodes for _, wanted, per_node in now))


def _compared(pairs: Sequence[tuple[Workload, int]], group: ResolvedNodeGroup) -> tuple[tuple[str, float, float], ...]:
    """Each resource that so many pods of each workload want, with the sum and what one node has."""
    headroom = _headroom(group)
    asked = [group.share_of(workload.resource_name) for workload, _ in pairs]
    return (
        *(
            (
                share.resource,
                float(sum(n * w.accelerators for (w, n), its in zip(pairs, asked, strict=True) if its == share)),
                float(share.count),
            )
            for share in dict.fromkeys(asked)
        ),
        ("cpu", sum(count * cpu_cores(w.resources.cpu) for w, count in pairs), headroom.millicores / 1000),
        (
            "GiB of memory",
            float(sum(count * workload.resources.memory_gib for workload, count in pairs)),
            float(headroom.memory_mib // 1024),
        ),
        ("pods", float(sum(count for _, count in pairs)), float(headroom.pods)),
    )


def cpu_cores(quantity: str) -> float:
    """Cores of a Kubernetes CPU quantity such as `500m` or `2`."""
    return float(quantity[:-1]) / 1000 if quantity.endswith("m") else float(quantity)


def _headroom(group: ResolvedNodeGroup) -> Headroom:
    return headroom_for_workloads(group.type, efa=group.has_efa, storage_drivers=group.storage_drivers)


def _pods_per_node(workload: Workload, group: ResolvedNodeGroup) -> tuple[int, str]:
    resources = workload.resources
    offered = group.share_of(workload.resource_name)
    limits = {
        offered.resource: offered.count // workload.accelerators,
        **_headroom(group).holds(cpu_cores(resources.cpu) * 1000, resources.memory_gib * 1024),
    }
    there = {**group.resources, HUGE_PAGES: group.huge_pages_mib}
    for device, count in workload.other_devices.items():
        limits[device] = there.get(device, 0) // count
    if workload.APART or workload.spans_nodes:
        limits["one pod per node"] = 1
    limit = min(limits, key=lambda name: limits[name])
    return limits[limit], limit
