"""Instance types that the stack file describes, as facts."""

from types import MappingProxyType
from typing import Literal

from eks_accelerators.accelerators import family_facts
from eks_accelerators.accelerators.instance_type import Accelerator, InstanceType, NetworkCapability, Neuron, Quota
from eks_accelerators.settings.model import Settings
from eks_accelerators.settings.model.instance_types import DescribedAccelerator, DescribedInstanceType, DescribedNetwork
from eks_accelerators.settings.model.node_groups import CapacityType


def described_types(settings: Settings) -> tuple[InstanceType, ...]:
    """Instance types that the stack file describes itself, under `instanceTypes`."""
    return tuple(_type(name, described) for name, described in settings.instance_types.items())


def _type(name: str, wanted: DescribedInstanceType) -> InstanceType:
    maker = wanted.accelerator.manufacturer.value
    architecture: Literal["x86_64", "arm64"] = wanted.architecture.value
    prices = {region: float(usd) for region, usd in wanted.on_demand_usd_per_hour.items()}
    return InstanceType(
        name=name,
        family=family_facts.family(name),
        architecture=architecture,
        vcpus=wanted.vcpus,
        memory_mib=wanted.memory_mib,
        accelerator=_accelerator(wanted.accelerator),
        neuron=_neuron(wanted.accelerator),
        network=_network(wanted.network),
        local_nvme_gb=wanted.local_nvme_gb,
        sold_on_demand=CapacityType.ON_DEMAND in wanted.sold_as,
        sold_as_spot=CapacityType.SPOT in wanted.sold_as,
        sold_as_capacity_block=CapacityType.CAPACITY_BLOCK in wanted.sold_as,
        mig_capable=wanted.mig,
        ami_types=wanted.ami_types or family_facts.ami_types(maker, architecture),
        resource=family_facts.resource(maker),
        quota=Quota(
            wanted.quotas.on_demand or family_facts.on_demand_quota(name),
            wanted.quotas.spot,
            wanted.quotas.capacity_block,
        ),
        on_demand_usd_per_hour=MappingProxyType(prices),
        price_source=MappingProxyType(dict.fromkeys(prices, wanted.source)),
        offered_regions=wanted.offered_regions or tuple(sorted(prices)),
        offered_zone_ids=MappingProxyType({}),
        source=wanted.source,
        notes=(),
    )


def _accelerator(chip: DescribedAccelerator) -> Accelerator:
    return Accelerator(chip.manufacturer.value, chip.name, chip.count, chip.partition_size, chip.memory_mib)


def _neuron(chip: DescribedAccelerator) -> Neuron | None:
    return Neuron(chip.count, chip.cores_per_device) if chip.cores_per_device else None


def _network(network: DescribedNetwork) -> NetworkCapability:
    return NetworkCapability(
        card_count=network.cards,
        efa_cards=network.efa_cards,
        max_efa_interfaces=len(network.efa_cards),
        interfaces_per_card=network.interfaces_per_card,
        ipv4_per_interface=network.ipv4_per_interface,
    )
