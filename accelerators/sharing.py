"""Which resources a node advertises to Kubernetes, and how many, under a given sharing.

Sources: NVIDIA k8s-device-plugin v0.20.0 (README, `internal/rm`), Neuron device plugin docs (SDK 2.32),
read 2026-11-20. `aws.amazon.com/neuroncore` counts logical NeuronCores; that trn2 joins two physical
cores into one by default (LNC=2) is general knowledge.
"""

from dataclasses import dataclass
from math import floor
from typing import Literal

from accelerators.instance_types import InstanceType

NVIDIA_GPU = "nvidia.com/gpu"
NVIDIA_SHARED_GPU = "nvidia.com/gpu.shared"
NEURON_DEVICE = "aws.amazon.com/neuron"
NEURON_CORE = "aws.amazon.com/neuroncore"
EFA_DEVICE = "vpc.amazonaws.com/efa"

MINIMUM_REPLICAS = 2
"""The device plugin refuses fewer: no sharing is written by leaving the section out."""

_PHYSICAL_PER_LOGICAL_CORE = {"trn2": 2, "trn2u": 2}


@dataclass(frozen=True, slots=True)
class Sharing:
    """How the pods of a node share its accelerators.

    ``replicas`` is how many pods share one accelerator, 1 without sharing. ``renamed`` advertises the
    shares as `nvidia.com/gpu.shared`, so that a pod can tell them from whole GPUs.
    ``fail_requests_greater_than_one`` refuses a pod that asks for two shares, which would give it no
    more GPU. ``allocation_policy`` is `distributed` or `packed`, None for the plugin's default.
    """

    strategy: Literal["exclusive", "timeSlicing", "mps"] = "exclusive"
    replicas: int = 1
    renamed: bool = False
    fail_requests_greater_than_one: bool = True
    allocation_policy: str | None = None


EXCLUSIVE = Sharing()


def replicas_of_memory(memory_mib: int, wanted_gib: float) -> int:
    """How many pods may share a device of ``memory_mib`` so that each has at least ``wanted_gib``; 0 where none may."""
    return floor(memory_mib / 1024 / wanted_gib)


def resource_name(instance_type: InstanceType, sharing: Sharing = EXCLUSIVE) -> str:
    """The resource that a pod asks for to get one accelerator, or one share of one."""
    if sharing.renamed:
        return NVIDIA_SHARED_GPU
    return instance_type.resource


def advertised(instance_type: InstanceType, sharing: Sharing = EXCLUSIVE, efa_interfaces: int = 0) -> dict[str, int]:
    """Every extended resource of one node and its count, as `status.allocatable` shows it."""
    resources = {resource_name(instance_type, sharing): instance_type.accelerator.count * sharing.replicas}
    if instance_type.neuron:
        cores = instance_type.neuron.device_count * instance_type.neuron.cores_per_device
        resources[NEURON_CORE] = cores // _PHYSICAL_PER_LOGICAL_CORE.get(instance_type.family, 1)
    if efa_interfaces:
        resources[EFA_DEVICE] = efa_interfaces
    return resources
