"""Accelerated instance types that the package lacks, described by the user."""

from decimal import Decimal
from enum import StrEnum
from typing import Annotated

from pydantic import Field, StringConstraints

from eks_accelerators.settings.model.base import Model
from eks_accelerators.settings.model.node_groups import CapacityType

InstanceTypeName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]*\.[a-z0-9-]+$")]
Region = Annotated[str, StringConstraints(pattern=r"^[a-z]{2}(-[a-z]+)+-\d$")]


class Manufacturer(StrEnum):
    """Who makes the accelerators: `AWS` makes Trainium and Inferentia."""

    NVIDIA = "NVIDIA"
    AWS = "AWS"


class Architecture(StrEnum):
    """Architectures of processors, as EC2 names them."""

    X86_64 = "x86_64"
    ARM64 = "arm64"


class DescribedAccelerator(Model):
    """The accelerators of one instance, all alike."""

    manufacturer: Manufacturer = Manufacturer.NVIDIA
    """Who makes them."""
    name: Annotated[str, StringConstraints(min_length=1, max_length=64)]
    """As EC2 calls it, such as `H200` or `Trainium2`."""
    count: Annotated[int, Field(ge=1, le=256)]
    """How many; a part of a GPU counts as one."""
    memory_mib: Annotated[int, Field(ge=1)] | None = None
    """Memory of each in MiB. Without it no workload can be judged by its memory."""
    partition_size: Annotated[float, Field(gt=0, le=1)] = 1.0
    """Share of the physical GPU."""
    cores_per_device: Annotated[int, Field(ge=1)] | None = None
    """NeuronCores of each device; of Neuron devices only."""


class DescribedNetwork(Model):
    """Network cards of one instance."""

    cards: Annotated[int, Field(ge=1, le=64)] = 1
    """How many."""
    efa_cards: tuple[Annotated[int, Field(ge=0, le=63)], ...] = ()
    """Indexes of the cards that take an EFA interface; empty where the type has no EFA."""
    interfaces_per_card: Annotated[int, Field(ge=1)] | None = None
    """Network interfaces of card 0. Without it the number of pods of a node is unknown."""
    ipv4_per_interface: Annotated[int, Field(ge=1)] | None = None
    """IPv4 addresses of an interface, its own among them."""


class DescribedQuotas(Model):
    """Codes of EC2's quotas that count the type, such as `L-417A185B`."""

    on_demand: str | None = None
    """Running on demand; by default that of the family's letters."""
    spot: str | None = None
    """Spot Instance requests."""
    capacity_block: str | None = None
    """Concurrent Capacity Blocks of an account."""


class DescribedInstanceType(Model):
    """An accelerated EC2 instance type that the package has no facts of."""

    source: Annotated[str, StringConstraints(min_length=10)]
    """Where the facts are from, and of when."""
    architecture: Architecture = Architecture.X86_64
    """Of the processor."""
    vcpus: Annotated[int, Field(ge=1)]
    """Number of vCPUs."""
    memory_mib: Annotated[int, Field(ge=1)]
    """Memory in MiB."""
    accelerator: DescribedAccelerator
    """Its accelerators."""
    network: DescribedNetwork = DescribedNetwork()
    """Its network cards."""
    local_nvme_gb: Annotated[int, Field(ge=0)] = 0
    """Local disks in GB, all together."""
    sold_as: Annotated[tuple[CapacityType, ...], Field(min_length=1)] = (CapacityType.ON_DEMAND,)
    """How it can be bought."""
    mig: bool = False
    """Whether MIG divides its GPUs."""
    ami_types: tuple[str, ...] = ()
    """EKS image types whose driver knows the accelerator, the best first; by default those of maker and architecture."""
    quotas: DescribedQuotas = DescribedQuotas()
    """Quotas that count it."""
    on_demand_usd_per_hour: dict[Region, Annotated[Decimal, Field(gt=0)]] = {}
    """Price of Linux on demand by region; a region left out is unknown."""
    offered_regions: tuple[Region, ...] = ()
    """Regions that have it; by default those with a price."""
