"""What Neuron devices give: servers with one device each, or with all of a node."""

from collections.abc import Iterator
from math import floor

from eks_accelerators.accelerators import neuron, neuron_memory, prices
from eks_accelerators.accelerators.fit.candidates import Candidate, ServerNeeds, limit
from eks_accelerators.accelerators.fit.ways import Way
from eks_accelerators.accelerators.instance_types import InstanceType
from eks_accelerators.accelerators.model_memory import GIB, MemoryShare
from eks_accelerators.accelerators.neuron_memory import CoreMemory
from eks_accelerators.accelerators.node_capacity import headroom_for_workloads


def neuron_candidates(server: ServerNeeds, kind: InstanceType, region: str) -> Iterator[Candidate]:
    """Every number of devices of one server with which a node of ``kind`` has at least one."""
    headroom = headroom_for_workloads(kind).holds(server.millicores, server.memory_mib)
    for devices in sorted({1, kind.accelerator.count}):
        memory = memory_of(server, kind, devices)
        by_devices = kind.accelerator.count // devices
        servers = min(by_devices, *headroom.values())
        if memory is None or not memory.fits or servers < 1:
            continue
        yield Candidate(
            instance_type=kind,
            way=Way("neuron", 1, devices, floor(memory.whole * 1024), 1, stops="devices"),
            share=MemoryShare(neuron_memory.utilization(), memory.budget, floor(memory.kv_cache * GIB)),
            needed_gib=memory.weights + memory.kv_cache_needed,
            kv_tokens=memory.kv_cache_tokens,
            servers=servers,
            limited_by=limit(servers, by_devices, headroom, "devices"),
            usd_per_hour=prices.on_demand(kind.name, region),
        )


def memory_of(server: ServerNeeds, kind: InstanceType, devices: int) -> CoreMemory | None:
    """The memory of each logical core of a server with so many devices; None where it is not known."""
    family, gib = neuron.family_of(kind), neuron.gib_per_logical_core(kind)
    if family is None or gib is None:
        return None
    return neuron_memory.core_memory(
        family.plugin,
        server.shape,
        gib,
        tensor_parallel_size=neuron.most_cores(server.shape, devices * neuron.logical_cores_per_device(kind)),
        max_model_len=server.max_model_len,
        sequences=server.concurrent_sequences,
    )
