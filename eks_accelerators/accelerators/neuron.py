"""Neuron devices as programs see them: logical cores, the memory of one, and the program that serves models on them.

Source: `data/neuron.json`, which names where each figure is from.
"""

from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Any

from eks_accelerators.accelerators import data
from eks_accelerators.accelerators.instance_type import InstanceType
from eks_accelerators.accelerators.model_memory import ModelShape

LOGICAL_CORE_VARIABLE = "NEURON_LOGICAL_NC_CONFIG"
"""What the runtime and a node's file call the number of physical cores in a logical one."""


class NeuronPlugin(StrEnum):
    """The plugin by which vLLM serves on Neuron devices. Each has its own image and its own keys."""

    VLLM_NEURON = "vllm-neuron"
    """That of Trainium2 and later, which is developed."""
    NXD_INFERENCE = "nxd-inference"
    """That of Trainium1 and Inferentia2, of which no image comes any more."""


@dataclass(frozen=True, slots=True)
class NeuronFamily:
    """What is the same for all sizes of a family.

    ``logical_core_sizes`` are the physical cores that a logical core may have, the usual number first; ``target`` is what
    the compiler calls the hardware.
    """

    plugin: NeuronPlugin
    logical_core_sizes: tuple[int, ...]
    target: str


def family_of(kind: InstanceType) -> NeuronFamily | None:
    """What is known of the family of ``kind``; None where it has no Neuron devices, or the family is not known."""
    row: dict[str, Any] | None = data.load("neuron")["families"].get(kind.family)
    if row is None or kind.neuron is None:
        return None
    return NeuronFamily(NeuronPlugin(row["plugin"]), tuple(row["logical_core_sizes"]), row["target"])


@dataclass(frozen=True, slots=True)
class DeviceSpeed:
    """What one Neuron device does at most: bytes of its memory a second, and dense 16-bit tensor operations a second."""

    bytes_per_second: float
    operations_per_second: float


def speed(kind: InstanceType) -> DeviceSpeed | None:
    """How fast a device of ``kind`` is; None where no source was found."""
    row: dict[str, float] | None = data.load("neuron")["speed"].get(kind.family)
    return DeviceSpeed(row["gb_per_second"] * 1e9, row["tflops"] * 1e12) if row else None


def logical_core_size(kind: InstanceType, chosen: int | None = None) -> int:
    """Physical cores of one logical core: as ``chosen`` for the node, or the usual number of the family."""
    family = family_of(kind)
    return chosen or (family.logical_core_sizes[0] if family else 1)


def logical_cores_per_device(kind: InstanceType, chosen: int | None = None) -> int:
    """Logical cores of one device; 0 where there is none."""
    return kind.neuron.cores_per_device // logical_core_size(kind, chosen) if kind.neuron else 0


def gib_per_logical_core(kind: InstanceType, chosen: int | None = None) -> float | None:
    """GiB of memory for one logical core, an equal part of its device's; None where that is not known."""
    memory, cores = kind.accelerator.memory_mib, logical_cores_per_device(kind, chosen)
    return memory / 1024 / cores if memory and cores else None


def lists(plugin: NeuronPlugin, model: str) -> bool:
    """Whether the documentation of ``plugin`` says that it serves ``model``."""
    patterns: list[str] = data.load("neuron")["models"][plugin]
    return any(fnmatchcase(model, pattern) for pattern in patterns)


def most_cores(shape: ModelShape | None, cores: int) -> int:
    """The most of ``cores`` among which the heads of the model can be divided; all where nobody knows the model."""
    if shape is None:
        return max(1, cores)
    return next((size for size in range(cores, 1, -1) if shape.splits_over(size)), 1)


def is_contiguous(devices: int, kind: InstanceType) -> bool:
    """Whether a pod finds so many devices of a node next to each other without help: one, or all that there are."""
    return devices in (1, kind.accelerator.count)
