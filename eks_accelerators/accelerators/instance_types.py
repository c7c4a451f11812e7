"""The accelerated EC2 instance types: typed, immutable, looked up by name.

Source: `data/instance-types.json`, which names the source and date of every column. A stack can have types beside those of
the table, which its file or its own facts describe: they are known while the stack is the one that was loaded last. Units:
memory in MiB, local NVMe in GB, prices in USD per hour.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from eks_accelerators.accelerators import data, other_accelerators
from eks_accelerators.accelerators.instance_type import Accelerator, InstanceType, NetworkCapability, Neuron, Quota
from eks_accelerators.accelerators.suggest import closest

__all__ = [
    "InstanceType",
    "UnknownInstanceTypeError",
    "begin",
    "every",
    "find",
    "get",
    "is_shipped",
    "know",
    "names",
    "parse",
    "regions",
]


_NAME = re.compile(r"[a-z]+\d+[a-z0-9-]*\.(\d*xlarge|large|metal)")
"""What AWS calls instance types, those with accelerators at least."""


class UnknownInstanceTypeError(ValueError):
    """The name is not in the table of accelerated instance types.

    ``message`` says what it is instead, where that is known: a machine whose accelerators are not served, of whichever
    cloud, or one without accelerators. ``fix`` says what to use; ``suggestion`` is the nearest spelling of a name of the
    table, or None. ``allowed`` are names beside those of the types, such as families'.
    """

    def __init__(self, name: str, allowed: Iterable[str] = ()) -> None:
        self.name = name
        self.suggestion: str | None = None
        if other := other_accelerators.find(name):
            self.message, self.fix = other.told, other_accelerators.nearest(other, every())
        elif other_accelerators.has_no_accelerator(name):
            self.message = f"{name} has no accelerator"
            self.fix = "use an accelerated instance type; nodes without accelerators are the system node group's"
        else:
            self.suggestion = closest(name, (*names(), *allowed))
            self.message = f"unknown accelerated instance type {name or repr(name)}"
            self.fix = (
                f"did you mean {self.suggestion}?"
                if self.suggestion
                else "use an accelerated instance type, such as g6.xlarge"
            )
            if _NAME.fullmatch(name) and name.partition(".")[0] not in {each.family for each in every()}:
                end = "" if self.suggestion else "."
                self.fix += f"{end} If it is newer than this package: `accel facts add {name}`"
        super().__init__(f"{self.message}. {self.fix[0].upper()}{self.fix[1:]}")


def names() -> tuple[str, ...]:
    """The names of all accelerated instance types, in table order."""
    return tuple(_known())


def get(name: str) -> InstanceType:
    """The type called ``name``; raises `UnknownInstanceTypeError` with a suggestion."""
    if kind := find(name):
        return kind
    raise UnknownInstanceTypeError(name)


def find(name: str) -> InstanceType | None:
    """The type called ``name``, or None."""
    return _shipped().get(name) or _beside.get(name)


def every() -> tuple[InstanceType, ...]:
    """All accelerated instance types, in table order."""
    return tuple(_known().values())


def regions() -> tuple[str, ...]:
    """Regions in which any accelerated type was offered."""
    return tuple(sorted({region for kind in every() for region in kind.offered_regions}))


def is_shipped(name: str) -> bool:
    """Whether the table has the type."""
    return name in _shipped()


_beside: Mapping[str, InstanceType] = MappingProxyType({})


def begin(types: Iterable[InstanceType] = ()) -> None:
    """Know the types of the table and ``types``, and no others: those that were known for another stack are forgotten."""
    global _beside  # noqa: PLW0603  (as the clock: in every thread, as programs under an engine run on threads of their own)
    _beside = MappingProxyType({})
    know(types)


def know(types: Iterable[InstanceType]) -> None:
    """Know ``types`` as well. A type that the table has is as the table has it."""
    global _beside  # noqa: PLW0603
    _beside = MappingProxyType({**_beside, **{kind.name: kind for kind in types if not is_shipped(kind.name)}})


def _known() -> Mapping[str, InstanceType]:
    return {**_shipped(), **_beside} if _beside else _shipped()


@cache
def _shipped() -> Mapping[str, InstanceType]:
    rows = data.load("instance-types")["instance_types"]
    return MappingProxyType({row["instance_type"]: parse(row) for row in rows})


def parse(row: Mapping[str, Any]) -> InstanceType:
    """The type that a row of the table describes."""
    chip, net, quota = row["accelerator"], row["network"], row["quota"]
    neuron = row["neuron"]
    cards = net["efa_card_indexes"]
    return InstanceType(
        name=row["instance_type"],
        family=row["family"],
        architecture=row["architecture"],
        vcpus=row["vcpus"],
        memory_mib=row["memory_mib"],
        accelerator=Accelerator(
            manufacturer=chip["manufacturer"],
            name=chip["name"],
            count=chip["logical_count"],
            partition_size=chip["partition_size"],
            memory_mib=chip["memory_mib"],
        ),
        neuron=Neuron(neuron["device_count"], neuron["cores_per_device"]) if neuron else None,
        network=NetworkCapability(
            card_count=net["max_network_cards"],
            efa_cards=None if cards is None else tuple(cards),
            max_efa_interfaces=net["max_efa_interfaces"],
            interfaces_per_card=net["enis_per_card"],
            ipv4_per_interface=net["ipv4_per_eni"],
        ),
        local_nvme_gb=row["local_nvme_gb"],
        sold_on_demand="on-demand" in row["usage_classes"],
        sold_as_spot="spot" in row["usage_classes"],
        sold_as_capacity_block=row["capacity_block_capable"],
        mig_capable=row["mig_capable"],
        ami_types=tuple(row["eks_ami_types"]),
        resource=row["k8s_resource"],
        quota=Quota(quota["on_demand_code"], quota["spot_code"], quota["capacity_block_account_code"]),
        on_demand_usd_per_hour=MappingProxyType(row["on_demand_usd_per_hour"]),
        price_source=MappingProxyType(row["price_source"]),
        offered_regions=tuple(sorted({*row["offered_regions"], *row["offered_regions_unpriced"]})),
        offered_zone_ids=MappingProxyType({k: tuple(v) for k, v in row["offered_az_ids_us"].items()}),
        source=row["source"],
        notes=tuple(row["notes"]),
    )
