"""Prices of EC2's types whose accelerators are not served, in `data/unserved-accelerators.json`."""

from collections.abc import Iterator, Mapping
from typing import Any

from eks_accelerators.capacity.facts import instance_prices
from eks_accelerators.capacity.facts.asker import Asker
from eks_accelerators.capacity.facts.fact_values import FactValue
from eks_accelerators.capacity.price_list import HOME


def found(asker: Asker, document: Mapping[str, Any]) -> Iterator[FactValue]:
    """The price of each type of EC2, where it is compared; what carries which devices is by hand."""
    families = [family for family in document["families"] if family["cloud"] == "AWS"]
    prices = instance_prices.listed(asker, (name for family in families for name in family["types"]))
    for family in families:
        for name in family["types"]:
            usd = prices[name].usd.get(HOME) if name in prices else None
            if usd is not None:
                yield FactValue(("families", family["pattern"], "types", name, 1), usd, instance_prices.SOURCE)
