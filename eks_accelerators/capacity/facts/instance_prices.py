"""Prices of instance types by region, from one question a type."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from eks_accelerators.capacity.facts.asker import Asker
from eks_accelerators.capacity.price_list import attributes_of, instance_call, on_demand_usd

SOURCE = "AWS price list AmazonEC2"


@dataclass(frozen=True, slots=True)
class ListedPrice:
    """A type on the price list. ``usd`` is per hour, and None where a region lists the type without one price."""

    usd: Mapping[str, float | None]

    @property
    def regions(self) -> set[str]:
        """The regions whose price list has the type."""
        return set(self.usd)


def listed(asker: Asker, names: Iterable[str]) -> dict[str, ListedPrice]:
    """What the price list says of each type; a type whose question was not answered is left out."""
    wanted = list(names)
    answers = asker.ask_all(instance_call(name, locationType="AWS Region") for name in wanted)
    return {name: _listed(answer) for name, answer in zip(wanted, answers, strict=True) if answer is not None}


def _listed(products: list[str]) -> ListedPrice:
    by_region: dict[str, list[str]] = {}
    for product in products:
        by_region.setdefault(attributes_of(product)["regionCode"], []).append(product)
    prices = {region: on_demand_usd(found) for region, found in by_region.items()}
    return ListedPrice({region: None if usd is None else float(usd) for region, usd in prices.items()})
