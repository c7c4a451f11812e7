"""Prices beside those of instances, `data/prices.json`.

Source: the price lists AmazonEKS, AmazonEC2 and AmazonVPC of September 2026, by usage type; a usage type begins with a code of
its region in most regions.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from eks_accelerators.capacity.facts.asker import Asker
from eks_accelerators.capacity.facts.fact_values import FactValue
from eks_accelerators.capacity.price_list import attributes_of, on_demand_usd, products_call


@dataclass(frozen=True, slots=True)
class UsagePrice:
    """Where a price is on the price list: the sum of ``usages``, each ``per_unit`` of AWS's unit.

    ``beside`` are attributes that keep the answer short.
    """

    service: str
    usages: tuple[str, ...]
    beside: tuple[tuple[str, str], ...] = ()
    per_unit: int = 1


_GP3 = (("volumeApiName", "gp3"),)
_CLUSTER = "AmazonEKS-Hours:perCluster"
PRICES = {
    "eks_cluster_hour": UsagePrice("AmazonEKS", (_CLUSTER,)),
    # The price list has what extended support adds, and the file what a cluster costs with it.
    "eks_cluster_extended_support_hour": UsagePrice("AmazonEKS", (_CLUSTER, "AmazonEKS-Hours:extendedSupport")),
    "nat_gateway_hour": UsagePrice("AmazonEC2", ("NatGateway-Hours",), (("productFamily", "NAT Gateway"),)),
    "public_ipv4_hour": UsagePrice("AmazonVPC", ("PublicIPv4:InUseAddress",)),
    "interface_endpoint_zone_hour": UsagePrice("AmazonVPC", ("VpcEndpoint-Hours",)),
    "ebs_gp3_gib_month": UsagePrice("AmazonEC2", ("EBS:VolumeUsage.gp3",), _GP3),
    "ebs_gp3_iops_month": UsagePrice("AmazonEC2", ("EBS:VolumeP-IOPS.gp3",), _GP3),
    # AWS counts GiB/s, the file MiB/s.
    "ebs_gp3_throughput_mibps_month": UsagePrice("AmazonEC2", ("EBS:VolumeP-Throughput.gp3",), _GP3, per_unit=1024),
}
"""How each price of the file is found."""


def found(asker: Asker, document: Mapping[str, Any]) -> Iterator[FactValue]:
    """Each price in each region that the file has it of."""
    return found_of(asker, document, PRICES)


def found_of(
    asker: Asker, document: Mapping[str, Any], prices: Mapping[str, UsagePrice], regions: Sequence[str] = ()
) -> Iterator[FactValue]:
    """Each of ``prices`` in each region that the file has it of, and in ``regions``, where AWS may have none."""
    rows = document["prices"]
    wanted = [(name, region) for name, row in rows.items() for region in dict.fromkeys((*row["usd"], *regions))]
    calls = [
        products_call(prices[name].service, {"regionCode": region, **dict(prices[name].beside)})
        for name, region in wanted
    ]
    answers = asker.ask_all(calls)
    for (name, region), products in zip(wanted, answers, strict=True):
        if products is None:
            continue
        usd = _usd(prices[name], products)
        if usd is None:
            if region in rows[name]["usd"]:
                asker.miss(f"{name} in {region}: the price list {prices[name].service} has no single price of it")
            continue
        path = ("prices", name)
        source = f"AWS price list {prices[name].service}"
        yield FactValue((*path, "usd", region), float(usd), source, source_at=(*path, "source", region))


def _usd(price: UsagePrice, products: list[str]) -> Decimal | None:
    parts = [on_demand_usd(product for product in products if _is_of(product, usage)) for usage in price.usages]
    known = [part for part in parts if part is not None]
    return sum(known, Decimal(0)) / price.per_unit if len(known) == len(parts) else None


def _is_of(product: str, usage: str) -> bool:
    return re.fullmatch(rf"([A-Z0-9]+-)?{re.escape(usage)}", attributes_of(product).get("usagetype", "")) is not None
