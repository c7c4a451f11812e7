"""Instance types without accelerators that are common for a system node group.

Source: `data/system-instance-types.json`. A type outside this table is allowed, but its vCPUs and
price are unknown.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from eks_accelerators.accelerators import data
from eks_accelerators.accelerators.family_facts import family


@dataclass(frozen=True, slots=True)
class SystemInstanceType:
    """A general-purpose type; memory in MiB, prices in USD per hour by region."""

    name: str
    architecture: str
    vcpus: int
    memory_mib: int
    on_demand_usd_per_hour: Mapping[str, float]


@cache
def _table() -> dict[str, SystemInstanceType]:
    return {
        name: SystemInstanceType(name, architecture, vcpus, memory, MappingProxyType(prices))
        for name, architecture, vcpus, memory, prices in data.load("system-instance-types")["instance_types"]
    }


def architecture(name: str) -> str:
    """The processor architecture of any instance type without accelerators, as the EC2 API spells it.

    AWS marks its own ARM processors by a `g` after the generation (`m7g`, `c7gn`, `m7gd`); `a1` is older.
    Source: EC2 instance type naming conventions.
    """
    letters = family(name)
    return "arm64" if letters == "a1" or re.fullmatch(r"[a-z]+\d+g[a-z]*", letters) else "x86_64"


def names() -> tuple[str, ...]:
    """Instance types that the system node group may have."""
    return tuple(_table())


def find(name: str) -> SystemInstanceType | None:
    """The type called ``name``, or None where the table does not have it."""
    return _table().get(name)
