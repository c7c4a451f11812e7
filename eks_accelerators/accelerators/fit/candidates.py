"""What each way to share gives: the number of servers per node, memory and KV cache of each, price, and what limits it."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from math import floor

from eks_accelerators.accelerators import model_memory, prices
from eks_accelerators.accelerators.fit.ways import Way, ways
from eks_accelerators.accelerators.instance_types import InstanceType
from eks_accelerators.accelerators.model_memory import MemoryNeed, MemoryShare, ModelShape
from eks_accelerators.accelerators.node_capacity import headroom_for_workloads


@dataclass(frozen=True, slots=True)
class ServerNeeds:
    """A vLLM server: the model, what its KV cache has to hold, and what its pod asks of the node."""

    shape: ModelShape
    max_model_len: int
    concurrent_sequences: int
    millicores: int
    memory_mib: int

    def need(self, tensor_parallel_size: int = 1) -> MemoryNeed:
        """Memory on each of so many GPUs."""
        return model_memory.need(
            self.shape,
            max_model_len=self.max_model_len,
            concurrent_sequences=self.concurrent_sequences,
            tensor_parallel_size=tensor_parallel_size,
        )


@dataclass(frozen=True, slots=True)
class Candidate:
    """A node of ``instance_type`` whose GPUs are shared in one way, with as many servers as it takes, each of which needs
    ``needed_gib`` on each of its GPUs, or of its logical NeuronCores.

    ``limited_by`` is what stops another one: `gpuMemory`, `gpus`, `instances`, `replicas` (the most that are possible),
    `shares` (as many as this way has; another way of its kind has more), `cpu`, `memory` or `pods` of the node.
    ``usd_per_hour`` is the node's, on demand; None where it is not known.
    """

    instance_type: InstanceType
    way: Way
    share: MemoryShare
    needed_gib: float
    kv_tokens: int
    servers: int
    limited_by: str
    usd_per_hour: Decimal | None

    @property
    def usd_per_server_hour(self) -> Decimal | None:
        """The node's price divided by its servers."""
        return None if self.usd_per_hour is None else self.usd_per_hour / self.servers


def candidates(server: ServerNeeds, kind: InstanceType, region: str) -> Iterator[Candidate]:
    """Every way in which a node of ``kind`` has at least one such server."""
    price = prices.on_demand(kind.name, region)
    headroom = headroom_for_workloads(kind).holds(server.millicores, server.memory_mib)
    for way in ways(kind):
        size = way.gpus_per_server
        need = server.need(size)
        if not server.shape.splits_over(size) or not _fits(need, way, way.servers_on_memory):
            continue
        by_gpus = kind.accelerator.count * way.shares // size
        servers = min(by_gpus, *headroom.values())
        if servers < 1:
            continue
        told = _told(need, way)
        share = model_memory.share(told, way.memory_mib, way.servers_on_memory)
        yield Candidate(
            instance_type=kind,
            way=way,
            share=share,
            needed_gib=told.total_gib,
            kv_tokens=floor(share.kv_cache_bytes / server.shape.kv_bytes_per_token_and_gpu(size)),
            servers=servers,
            limited_by=limit(servers, by_gpus, headroom, _accelerators_stop(need, way)),
            usd_per_hour=price,
        )


def _told(need: MemoryNeed, way: Way) -> MemoryNeed:
    """The same as a stack file has it by default, with CUDA graphs or without."""
    uses = model_memory.uses_cuda_graphs(need, way.memory_mib, way.servers_on_memory)
    return model_memory.with_cuda_graphs(need) if uses else need


def _fits(need: MemoryNeed, way: Way, servers: int) -> bool:
    return model_memory.servers_per_gpu(need, way.memory_mib) >= servers


def _accelerators_stop(need: MemoryNeed, way: Way) -> str | None:
    """What of the accelerators forbids another share; None where another way has one more."""
    return way.stops or (None if _fits(need, way, way.servers_on_memory + 1) else "gpuMemory")


def limit(servers: int, by_gpus: int, headroom: dict[str, int], stop: str | None) -> str:
    """What allows ``servers`` and no more: ``stop`` of the accelerators, which would take ``by_gpus``, or of the node."""
    if servers == by_gpus and stop:
        return stop
    return next((name for name, count in headroom.items() if count == servers), "shares")
