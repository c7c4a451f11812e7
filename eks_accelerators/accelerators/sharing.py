"""Which resources a node advertises to Kubernetes, and how many, under a given sharing.

Sources: NVIDIA k8s-device-plugin v0.20.0 (README, `internal/rm`), Neuron device plugin docs (SDK 2.32),
read 2026-11-20. `aws.amazon.com/neuroncore` counts logical NeuronCores.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import floor
from typing import Literal

from eks_accelerators.accelerators import gpus, mig, neuron
from eks_accelerators.accelerators.instance_types import InstanceType
from eks_accelerators.accelerators.mig.layouts import Layout, by_size

NVIDIA_GPU = "nvidia.com/gpu"
NVIDIA_SHARED_GPU = "nvidia.com/gpu.shared"
NEURON_DEVICE = "aws.amazon.com/neuron"
NEURON_CORE = "aws.amazon.com/neuroncore"
EFA_DEVICE = "vpc.amazonaws.com/efa"

NVIDIA_GPU_DEVICE_CLASS = "gpu.nvidia.com"
"""The DeviceClass of whole GPUs under Dynamic Resource Allocation. Source: NVIDIA DRA driver 0.4.1, read 2026-11-21."""

MINIMUM_REPLICAS = 2
"""The device plugin refuses fewer: no sharing is written by leaving the section out."""

Strategy = Literal["exclusive", "timeSlicing", "mps", "mig"]


@dataclass(frozen=True, slots=True)
class Partitioning:
    """How MIG divides the GPUs of a node.

    ``layouts`` has one entry for all GPUs, or one for each. An entry has profiles and how many of each, and none for a
    GPU that stays whole. ``strategy`` is the plugin's: `single` calls everything `nvidia.com/gpu`, `mixed` names profiles.
    """

    strategy: Literal["single", "mixed"]
    layouts: tuple[tuple[tuple[str, int], ...], ...]

    @classmethod
    def of(cls, strategy: Literal["single", "mixed"], layouts: Iterable[Layout]) -> "Partitioning":
        """From layouts as they are written."""
        return cls(strategy, tuple(tuple(sorted(layout.items())) for layout in layouts))

    def each(self, gpus: int) -> tuple[Layout, ...]:
        """The layout of each of ``gpus``; empty for a whole one."""
        return tuple(dict(layout) for layout in self.layouts * (gpus if len(self.layouts) == 1 else 1))

    @property
    def as_written(self) -> tuple[Layout, ...]:
        """One layout for all GPUs, or one for each; empty for a whole one."""
        return tuple(dict(layout) for layout in self.layouts)

    @property
    def profiles(self) -> tuple[str, ...]:
        """Every profile of any GPU, large ones first."""
        return tuple(sorted({name for layout in self.layouts for name, _ in layout}, key=by_size))


@dataclass(frozen=True, slots=True)
class Sharing:
    """How the pods of a node share its accelerators.

    ``replicas`` is how many pods share one accelerator, or one MIG instance, 1 without sharing. ``renamed`` advertises
    the shares as `nvidia.com/gpu.shared`, so that a pod can tell them from whole GPUs.
    ``fail_requests_greater_than_one`` refuses a pod that asks for two shares, which would give it no
    more GPU. ``allocation_policy`` is `distributed` or `packed`, None for the plugin's default. ``mig`` is there with
    the strategy `mig` and no other.
    """

    strategy: Strategy = "exclusive"
    replicas: int = 1
    renamed: bool = False
    fail_requests_greater_than_one: bool = True
    allocation_policy: str | None = None
    mig: Partitioning | None = None


@dataclass(frozen=True, slots=True)
class Share:
    """One kind of thing that a pod can ask a node for.

    ``count`` is that of a node. ``sharers`` pods draw on the ``memory_mib`` of one ``device``; None where unknown.
    ``profile`` is that of a MIG instance, None of a whole accelerator.
    """

    resource: str
    count: int
    device: str
    memory_mib: int | None
    sharers: int
    profile: str | None = None

    @property
    def device_gib(self) -> float | None:
        """Memory of the device in GiB, None where unknown."""
        return None if self.memory_mib is None else self.memory_mib / 1024

    @property
    def gib(self) -> float | None:
        """Memory of one share in GiB, None where unknown."""
        return None if self.device_gib is None else self.device_gib / self.sharers


EXCLUSIVE = Sharing()


def device_memory_mib(instance_type: InstanceType) -> int | None:
    """The MiB of one whole device that pods can count on, None where unknown."""
    chip = instance_type.accelerator
    return gpus.least_memory_mib(chip.name, chip.memory_mib)


def replicas_of_memory(memory_mib: int, wanted_gib: float) -> int:
    """How many pods may share a device of ``memory_mib`` so that each has at least ``wanted_gib``; 0 where none may."""
    return floor(memory_mib / 1024 / wanted_gib)


def rounded_down(gib: float) -> str:
    """GiB with two digits, so that whoever asks for what is written gets it."""
    return f"{floor(gib * 100) / 100:.2f}"


def shares(instance_type: InstanceType, sharing: Sharing = EXCLUSIVE) -> tuple[Share, ...]:
    """What pods can ask a node for, whole accelerators first and then large instances before small ones."""
    chip = instance_type.accelerator
    memory = device_memory_mib(instance_type)
    if sharing.mig is None:
        name = NVIDIA_SHARED_GPU if sharing.renamed else instance_type.resource
        return (Share(name, chip.count * sharing.replicas, chip.name, memory, sharing.replicas),)
    counted = Counter[str]()
    layouts = sharing.mig.each(chip.count)
    for layout in layouts:
        counted.update(layout)
    instances = [
        Share(
            f"{mig.resource_of(profile)}{'.shared' if sharing.renamed else ''}",
            counted[profile] * sharing.replicas,
            f"{profile} of {chip.name}",
            _instance_memory_mib(instance_type, profile),
            sharing.replicas,
            profile,
        )
        for profile in sharing.mig.profiles
    ]
    if sharing.mig.strategy == "single":
        name = NVIDIA_SHARED_GPU if sharing.renamed else NVIDIA_GPU
        return (replace(instances[-1], resource=name, count=counted.total() * sharing.replicas),)
    whole = sum(not layout for layout in layouts)
    return (*([Share(NVIDIA_GPU, whole, chip.name, memory, 1)] if whole else []), *instances)


def _instance_memory_mib(instance_type: InstanceType, profile: str) -> int | None:
    gpu, memory = mig.gpu_of(instance_type), instance_type.accelerator.memory_mib
    if gpu is None or memory is None or profile not in gpu.profiles:
        return None
    return mig.instance_memory_mib(gpu, profile, memory)


def resource_name(instance_type: InstanceType, sharing: Sharing = EXCLUSIVE) -> str:
    """The resource that a pod asks for to get one accelerator, or one share of one; the first where there are several."""
    return shares(instance_type, sharing)[0].resource


def advertised(
    instance_type: InstanceType,
    sharing: Sharing = EXCLUSIVE,
    efa_interfaces: int = 0,
    logical_core_size: int | None = None,
) -> dict[str, int]:
    """Every extended resource of one node and its count, as `status.allocatable` shows it.

    ``logical_core_size`` is how many physical NeuronCores are one; None for the usual number.
    """
    resources = {share.resource: share.count for share in shares(instance_type, sharing)}
    if instance_type.neuron:
        cores = neuron.logical_cores_per_device(instance_type, logical_core_size)
        resources[NEURON_CORE] = instance_type.neuron.device_count * cores
    if efa_interfaces:
        resources[EFA_DEVICE] = efa_interfaces
    return resources
