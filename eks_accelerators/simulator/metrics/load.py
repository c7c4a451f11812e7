"""How much of a GPU its pods use.

A server of vLLM, Triton or NIM works as its state says. One of vLLM takes its share of the memory at the start and keeps it (vLLM 0.28,
`--gpu-memory-utilization`). Of what other pods do nothing is known: each that runs is taken to work all the time, and to
hold the equal share of the memory that the fit of a stack leaves it.
"""

import re
from collections.abc import Sequence

from eks_accelerators.accelerators.model_memory import usable_gib
from eks_accelerators.simulator.metrics.cluster import Object, is_running, runs
from eks_accelerators.simulator.metrics.devices import Device, Holder
from eks_accelerators.simulator.metrics.servers import ServerStates

VLLM, TRITON, NIM = "vllm", "triton", "nim"
UNDER_LOAD = (VLLM, TRITON, NIM)
"""Programs whose servers work as their state says."""
_MIB_PER_GIB = 1024
RESERVED = 0.02
"""Share of a GPU's memory that its driver keeps; believed."""


def busy(holder: Holder, servers: ServerStates) -> float:
    """Share of time in which the pod works, 0 to 1."""
    if not is_running(holder.pod):
        return 0.0
    metadata = holder.pod["metadata"]
    if not any(runs(holder.pod, each) for each in UNDER_LOAD):
        return 1.0
    state = servers.state(metadata["namespace"], metadata["name"])
    return min(1.0, max(0.0, state.busy)) if state else 0.0


def memory_mib(holder: Holder, device: Device, sharers: int) -> float:
    """What the pod holds of the device's memory."""
    if not is_running(holder.pod):
        return 0.0
    if runs(holder.pod, VLLM):
        given = argument(holder.pod, "--gpu-memory-utilization")
        if given is not None and re.fullmatch(r"0?\.\d+|1(\.0+)?", given):
            return float(given) * device.memory_mib
        sharers = 1
    return usable_gib(device.memory_mib) * _MIB_PER_GIB / max(1, sharers)


def used_mib(device: Device, holders: Sequence[Holder]) -> float:
    """What all together hold; no more than there is."""
    every = sum(memory_mib(holder, device, len(holders)) for holder in holders)
    return min(every, device.memory_mib * (1 - RESERVED))


def argument(pod: Object, name: str) -> str | None:
    """What follows an argument of a pod's containers, as `--name value` or `--name=value`."""
    for container in pod["spec"]["containers"]:
        words = [str(word) for word in [*(container.get("command") or []), *(container.get("args") or [])]]
        for at, word in enumerate(words):
            if word == name and at + 1 < len(words):
                return words[at + 1]
            if word.startswith(f"{name}="):
                return word.partition("=")[2]
    return None
