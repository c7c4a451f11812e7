"""The ways in which servers can share the GPUs of an instance type.

Sources: k8s-device-plugin v0.20.0 (README; `cmd/mps-control-daemon/mps`: a client of an MPS server gets an equal part of
memory and threads, and 48 clients are the most, 16 before compute capability 7.5), NVIDIA Multi-Instance GPU user guide
(instances have memory, compute and fault isolation of their own), NVIDIA MPS documentation (limited error containment:
a fatal fault of one client ends all), Amazon EC2 G6f (a fixed part of a GPU), from general knowledge, 2026-11-21.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from eks_accelerators.accelerators import gpus, mig
from eks_accelerators.accelerators.instance_types import InstanceType
from eks_accelerators.accelerators.sharing import device_memory_mib

Kind = Literal["exclusive", "fractional", "mig", "mps", "neuron", "timeSlicing"]

MOST_SHARES = gpus.most_mps_clients(None)
"""Shares of a GPU that are considered. Of MPS it is the most; time-slicing has no bound of its own."""


@dataclass(frozen=True, slots=True)
class Isolation:
    """What keeps servers apart, in words for people: `memory`, `compute`, and what one's `fault` does to others."""

    memory: str
    compute: str
    fault: str


ISOLATION: dict[Kind, Isolation] = {
    "exclusive": Isolation("own GPU", "own GPU", "own"),
    "fractional": Isolation("own part", "own part", "own"),
    "mig": Isolation("hardware", "hardware", "own"),
    "mps": Isolation("limit", "limit", "shared"),
    "neuron": Isolation("own device", "own device", "own"),
    "timeSlicing": Isolation("none", "turns", "shared"),
}
"""Whether a server can take what is another's."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way to share: ``shares`` servers on a GPU, or one server on ``gpus_per_server`` whole GPUs or Neuron devices.

    ``memory_mib`` is what ``servers_on_memory`` of them divide: a GPU's, or that of the MIG instance of ``profile``.
    ``stops`` says what forbids another share: `gpus`, `devices`, `instances` or `replicas`; None where another may be written.
    """

    kind: Kind
    shares: int
    gpus_per_server: int
    memory_mib: int
    servers_on_memory: int
    profile: str | None = None
    stops: Literal["gpus", "devices", "instances", "replicas"] | None = None

    @property
    def isolation(self) -> Isolation:
        """What separates servers that share a GPU in this way: memory, compute and faults."""
        return ISOLATION[self.kind]


def ways(kind: InstanceType) -> Iterator[Way]:
    """Every way to share the GPUs of ``kind``; none where their memory is not known, or where they are no GPUs."""
    chip = kind.accelerator
    memory = device_memory_mib(kind)
    if memory is None or not kind.has_nvidia_gpu:
        return
    if chip.partition_size < 1:
        yield Way("fractional", 1, 1, memory, 1, stops="gpus")
        return
    for count in range(1, chip.count + 1):
        yield Way("exclusive", 1, count, memory, 1, stops="gpus")
    yield from _shared("timeSlicing", memory, MOST_SHARES)
    yield from _shared("mps", memory, gpus.most_mps_clients(chip.name))
    yield from _divided(kind)


def _shared(kind: Kind, memory: int, most: int) -> Iterator[Way]:
    for shares in range(2, most + 1):
        yield Way(kind, shares, 1, memory, shares, stops="replicas" if shares == most else None)


def _divided(kind: InstanceType) -> Iterator[Way]:
    """Layouts of one profile, as often as it fits the GPU."""
    gpu = mig.gpu_of(kind)
    for profile in gpu.profiles.values() if gpu else ():
        own = mig.instance_memory_mib(gpu, profile.name, kind.accelerator.memory_mib or 0) if gpu else 0
        yield Way("mig", profile.maximum, 1, own, 1, profile.name, "instances")
