"""Machines with accelerators that this package does not serve: whose chips they have, and what comes nearest of those served.

Source: `data/unserved-accelerators.json`, which names the source and date of every part. Units: memory in MiB, prices in
USD per hour.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from math import log
from typing import Any

from eks_accelerators.accelerators import data
from eks_accelerators.accelerators.instance_type import InstanceType
from eks_accelerators.accelerators.suggest import closest

SERVED = "this package serves EC2 instances with NVIDIA GPUs, Trainium and Inferentia2"
_REGION = "us-east-1"
"""Where prices are compared: those of machines that are not served are known there only."""


@dataclass(frozen=True, slots=True)
class OtherMachine:
    """A machine that is not served. None where it is not known, or where the name does not say.

    ``name`` is that of the type that is meant by a family's name or by one that no type has. ``memory_mib`` is per device.
    """

    name: str
    cloud: str
    maker: str | None
    chip: str | None
    count: int | None
    memory_mib: int | None
    usd_per_hour: float | None
    why: str | None

    @property
    def total_mib(self) -> int | None:
        """MiB of memory of all its devices together; None where count or memory is not known."""
        return self.count * self.memory_mib if self.count and self.memory_mib else None

    @property
    def told(self) -> str:
        """What it is, and why it is not served."""
        where = f"is a machine of {self.cloud}" if self.cloud != "AWS" else ""
        return f"{self.name} {' '.join(filter(None, (where, self._devices)))}: {self.why or SERVED}"

    @property
    def _devices(self) -> str:
        if self.chip is None:
            return ""
        count = f"{self.count} x " if self.count else ""
        memory = f" of {_gib(self.memory_mib)}" if self.memory_mib else ""
        return f"{'has' if self.cloud == 'AWS' else 'with'} {count}{self.maker} {self.chip}{memory}"


def find(name: str) -> OtherMachine | None:
    """The machine called ``name``, which may also be a family's name or a size that does not exist; None where it is not known."""
    for row in data.load("unserved-accelerators")["families"]:
        if match := _pattern(row["pattern"]).fullmatch(name.strip()):
            return _machine(row, name.strip(), match.groupdict().get("count"))
    return None


def has_no_accelerator(name: str) -> bool:
    """Whether ``name`` is of an EC2 instance family without accelerators."""
    letters = re.match(r"([a-z]+)[^.]*\.", name.strip().lower())
    return letters is not None and letters[1] in data.load("unserved-accelerators")["without_accelerator"]


def nearest(machine: OtherMachine, served: Iterable[InstanceType]) -> str:
    """Which of ``served`` comes nearest to ``machine`` in memory, and in price where both are known, in words.

    Nearness is of ratios: half of the memory is as far as twice of it, and as far as half of the price. A type with the
    same chip goes before all others, and one with a chip of the same maker before the rest.
    """
    wanted = machine.total_mib
    if wanted is None:
        return "`accel fit` tells which EC2 instance type serves a model"
    known = [kind for kind in served if kind.accelerator.memory_mib and kind.sold_on_demand]
    alike = [kind for kind in known if kind.accelerator.manufacturer == machine.maker]
    same = [kind for kind in alike if kind.accelerator.name == machine.chip]
    best = min(same or alike or known, key=lambda kind: _distance(kind, wanted, machine.usd_per_hour))
    price, chip = best.on_demand_usd_per_hour.get(_REGION), best.accelerator
    costs = f"{_usd(price)} USD per hour in {_REGION}" if price else "a price that is not known here"
    theirs = f"{_usd(machine.usd_per_hour)} USD" if machine.usd_per_hour else "its price is not known here"
    return (
        f"nearest in memory{' and price' if price and machine.usd_per_hour else ''} is {best.name}, {chip.count} x "
        f"{chip.name} with {_gib(_total(best))} in all for {costs} ({machine.name}: {_gib(wanted)}, {theirs})"
    )


def _usd(price: float) -> str:
    return f"{price:.3f}".rstrip("0").rstrip(".")


def _gib(mib: int) -> str:
    return f"{mib / 1024:.1f}".removesuffix(".0") + " GiB"


def _distance(kind: InstanceType, memory_mib: int, usd: float | None) -> tuple[bool, float, float]:
    price = kind.on_demand_usd_per_hour.get(_REGION)
    apart = abs(log(_total(kind) / memory_mib)) + (abs(log(price / usd)) if price and usd else 0)
    return price is None, round(apart, 6), price or 0


def _total(kind: InstanceType) -> int:
    return kind.accelerator.count * (kind.accelerator.memory_mib or 0)


def _machine(row: dict[str, Any], asked: str, counted: str | None) -> OtherMachine:
    types: dict[str, list[Any]] = row["types"]
    name = asked if asked.lower() in types or not types else closest(asked, types) or next(iter(types))
    # A chip's own name, such as v5e, is one of it.
    count, usd = types.get(name.lower(), (1 if row["memory_mib"] else None, None))
    if counted:
        count = max(1, int(counted) // row.get("counts_per_chip", 1))
    return OtherMachine(
        name, row["cloud"], row["maker"], row["chip"], count, row["memory_mib"], usd, why=row.get("why")
    )


@cache
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)
