"""Instance types as EC2 describes them, and the columns of the tables that come from that.

Source: EC2 DescribeInstanceTypes (botocore 1.44.5). Units: memory in MiB, disks in GB.
"""

from collections.abc import Iterator
from typing import Any

from eks_accelerators.capacity.aws_calls import Call
from eks_accelerators.capacity.aws_calls.call import PascalCase
from eks_accelerators.settings.paths import Part

SOURCE = "EC2 DescribeInstanceTypes"
_AT_ONCE = 100
"""Names in one question. Source: EC2 API reference DescribeInstanceTypes."""


class _Memory(PascalCase):
    size_in_mi_b: int


class Gpu(PascalCase):
    """GPUs of one kind. ``count`` is 0 for a part of one, which ``logical_gpu_count`` counts."""

    name: str
    manufacturer: str
    count: int
    logical_gpu_count: int | None = None
    gpu_partition_size: float | None = None
    memory_info: _Memory


class _Gpus(PascalCase):
    gpus: list[Gpu]
    total_gpu_memory_in_mi_b: int


class _Core(PascalCase):
    count: int
    version: int


class NeuronDevice(PascalCase):
    """Neuron devices of one kind, as `NeuronInfo.NeuronDevices` of `DescribeInstanceTypes` has them."""

    name: str
    count: int
    core_info: _Core
    memory_info: _Memory


class _Neuron(PascalCase):
    neuron_devices: list[NeuronDevice]


class _Card(PascalCase):
    network_card_index: int
    maximum_network_interfaces: int
    interface_types: list[str] = []


class _Efa(PascalCase):
    maximum_efa_interfaces: int = 0


class _Network(PascalCase):
    network_performance: str
    maximum_network_cards: int
    maximum_network_interfaces: int
    ipv4_addresses_per_interface: int
    efa_supported: bool = False
    efa_info: _Efa = _Efa(MaximumEfaInterfaces=0)
    network_cards: list[_Card]


class _Disk(PascalCase):
    count: int
    size_in_g_b: int


class _Storage(PascalCase):
    total_size_in_g_b: int = 0
    disks: list[_Disk] = []


class _EbsLimits(PascalCase):
    baseline_throughput_in_m_bps: float
    maximum_throughput_in_m_bps: float


class _Ebs(PascalCase):
    ebs_optimized_info: _EbsLimits | None = None


class _Cpu(PascalCase):
    default_v_cpus: int


class _Processor(PascalCase):
    supported_architectures: list[str]


class _Placement(PascalCase):
    supported_strategies: list[str]


class Described(PascalCase):
    """One instance type in an answer of DescribeInstanceTypes."""

    instance_type: str
    supported_usage_classes: list[str]
    processor_info: _Processor
    v_cpu_info: _Cpu
    memory_info: _Memory
    gpu_info: _Gpus | None = None
    neuron_info: _Neuron | None = None
    network_info: _Network
    instance_storage_info: _Storage = _Storage(TotalSizeInGB=0)
    ebs_info: _Ebs = _Ebs()
    placement_group_info: _Placement

    @property
    def architecture(self) -> str:
        """The 64-bit one of those that it supports."""
        return next(name for name in self.processor_info.supported_architectures if name in ("x86_64", "arm64"))

    @property
    def gpu(self) -> Gpu | None:
        """Its NVIDIA GPUs; None where it has none, or others beside them."""
        gpus = self.gpu_info.gpus if self.gpu_info else []
        return gpus[0] if len(gpus) == 1 and gpus[0].manufacturer == "NVIDIA" else None

    @property
    def neuron(self) -> NeuronDevice | None:
        """Its kind of Neuron device; None where it has none, or several kinds."""
        devices = self.neuron_info.neuron_devices if self.neuron_info else []
        return devices[0] if len(devices) == 1 else None


def describe_calls(region: str, names: list[str]) -> list[Call[list[Described]]]:
    """The types called ``names``, all of which ``region`` must have."""
    parts = [names[start : start + _AT_ONCE] for start in range(0, len(names), _AT_ONCE)]
    return [
        Call("ec2", "describe_instance_types", region, "InstanceTypes", list[Described], {"InstanceTypes": part})
        for part in parts
    ]


def columns(kind: Described) -> Iterator[tuple[tuple[Part, ...], Any]]:
    """The columns of an accelerated type's row that EC2 answers: path and value."""
    yield ("architecture",), kind.architecture
    yield ("vcpus",), kind.v_cpu_info.default_v_cpus
    yield ("memory_mib",), kind.memory_info.size_in_mi_b
    yield from (((part, name), value) for part in ("accelerator",) for name, value in accelerator(kind).items())
    if device := kind.neuron:
        yield ("neuron", "device_count"), device.count
        yield ("neuron", "cores_per_device"), device.core_info.count
        yield ("neuron", "total_cores"), device.count * device.core_info.count
        yield ("neuron", "core_version"), device.core_info.version
    yield from ((("network", name), value) for name, value in network(kind).items())
    yield ("local_nvme_gb",), kind.instance_storage_info.total_size_in_g_b
    yield ("local_nvme_disks",), [[disk.count, disk.size_in_g_b] for disk in kind.instance_storage_info.disks]
    yield ("usage_classes",), sorted(kind.supported_usage_classes)
    yield ("capacity_block_capable",), "capacity-block" in kind.supported_usage_classes
    yield ("placement_strategies",), kind.placement_group_info.supported_strategies


def accelerator(kind: Described) -> dict[str, Any]:
    """Its accelerators; empty where EC2 describes none that is served."""
    if gpu := kind.gpu:
        assert kind.gpu_info
        return {
            "manufacturer": gpu.manufacturer,
            "name": gpu.name,
            "count": gpu.count,
            "logical_count": gpu.logical_gpu_count if gpu.logical_gpu_count is not None else gpu.count,
            "partition_size": 1.0 if gpu.gpu_partition_size is None else gpu.gpu_partition_size,
            "memory_mib": gpu.memory_info.size_in_mi_b,
            "total_memory_mib": kind.gpu_info.total_gpu_memory_in_mi_b,
        }
    if device := kind.neuron:
        memory = device.memory_info.size_in_mi_b
        return {
            "manufacturer": "AWS",
            "name": device.name,
            "count": device.count,
            "logical_count": device.count,
            "partition_size": 1.0,
            "memory_mib": memory,
            "total_memory_mib": memory * device.count,
            "api_memory_mib": memory,
        }
    return {}


def network(kind: Described) -> dict[str, Any]:
    """Network of a type as the data file writes it: cards, interfaces, addresses and EFA."""
    found, first = kind.network_info, kind.network_info.network_cards[0]
    with_efa = [
        card.network_card_index for card in found.network_cards if {"efa", "efa-only"} & set(card.interface_types)
    ]
    return {
        "performance": found.network_performance,
        "max_network_cards": found.maximum_network_cards,
        "max_enis": found.maximum_network_interfaces,
        "enis_per_card": first.maximum_network_interfaces,
        "ipv4_per_eni": found.ipv4_addresses_per_interface,
        "efa_supported": found.efa_supported,
        "max_efa_interfaces": found.efa_info.maximum_efa_interfaces,
        "efa_card_indexes": with_efa,
        "card0_supports_efa": "efa" in first.interface_types,
    }
