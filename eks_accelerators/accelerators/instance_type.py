"""What is known of one accelerated EC2 instance type.

Units: memory in MiB, NVMe in GB, prices in USD per hour.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Manufacturer = Literal["NVIDIA", "AWS"]


@dataclass(frozen=True, slots=True)
class Accelerator:
    """The accelerators of one instance.

    ``count`` is what a pod can be given: a fractional GPU counts as the one partition it is (the EC2
    API reports 0 GPUs for it), with ``partition_size`` the share of the physical GPU. ``memory_mib``
    is per device and None where no source gives it.
    """

    manufacturer: Manufacturer
    name: str
    count: int
    partition_size: float
    memory_mib: int | None


@dataclass(frozen=True, slots=True)
class Neuron:
    """Neuron devices and NeuronCores of one instance."""

    device_count: int
    cores_per_device: int


@dataclass(frozen=True, slots=True)
class NetworkCapability:
    """Network cards of one instance. None where no source gives the number.

    ``efa_cards`` are the indexes of the cards that take an EFA interface. ``interfaces_per_card`` is that of
    card 0; ``ipv4_per_interface`` counts the interface's own address.
    """

    card_count: int
    efa_cards: tuple[int, ...] | None
    max_efa_interfaces: int | None
    interfaces_per_card: int | None
    ipv4_per_interface: int | None

    @property
    def supports_efa(self) -> bool:
        """Whether the type takes any EFA interface."""
        return self.max_efa_interfaces is None or self.max_efa_interfaces > 0


@dataclass(frozen=True, slots=True)
class Quota:
    """Codes in the service `ec2`, all counted in vCPUs. None where no code was found."""

    on_demand_code: str | None
    spot_code: str | None
    capacity_block_code: str | None


@dataclass(frozen=True, slots=True)
class InstanceType:
    """One accelerated EC2 instance type.

    ``offered_regions`` are those with a price for it and, less certain, those that had it without one, as where it is
    sold in Capacity Blocks only; empty where no source gives any.
    """

    name: str
    family: str
    architecture: Literal["x86_64", "arm64"]
    vcpus: int
    memory_mib: int
    accelerator: Accelerator
    neuron: Neuron | None
    network: NetworkCapability
    local_nvme_gb: int
    sold_on_demand: bool
    sold_as_spot: bool
    sold_as_capacity_block: bool
    mig_capable: bool
    ami_types: tuple[str, ...]
    resource: str
    quota: Quota
    on_demand_usd_per_hour: Mapping[str, float | None]
    price_source: Mapping[str, str]
    offered_regions: tuple[str, ...]
    offered_zone_ids: Mapping[str, tuple[str, ...]]
    source: str
    notes: tuple[str, ...]

    @property
    def has_nvidia_gpu(self) -> bool:
        """Whether the accelerators are NVIDIA GPUs; otherwise they are Neuron devices."""
        return self.accelerator.manufacturer == "NVIDIA"

    @property
    def size(self) -> str:
        """The part after the dot, such as ``48xlarge``."""
        return self.name.partition(".")[2]
