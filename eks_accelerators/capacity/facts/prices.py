"""Prices beside those of instances, `data/prices.json`.

Source: the price lists AmazonEKS, AmazonEC2 and AmazonVPC of September 2026, by usage type; a usage type begins with a code of
its region in most regions.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from eks_accelerators.capacity.facts.asker import Asker
from eks_accelerators.capacity.facts.found import Found
from eks_accelerators.capacity.price_list import attributes_of, on_demand_usd, products_call


@dataclass(frozen=True, slots=True)
class _Price:
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
    "eks_cluster_hour": _Price("AmazonEKS", (_CLUSTER,)),
    # The price list has what extended support adds, and the file what a cluster costs with it.
    "eks_cluster_extended_support_hour": _Price("AmazonEKS", (_CLUSTER, "AmazonEKS-Hours:extendedSupport")),
    "nat_gateway_hour": _Price("AmazonEC2", ("NatGateway-Hours",), (("productFamily", "NAT Gateway"),)),
    "public_ipv4_hour": _Price("AmazonVPC", ("PublicIPv4:InUseAddress",)),
    "interface_endpoint_zone_hour": _Price("AmazonVPC", ("VpcEndpoint-Hours",)),
    "ebs_gp3_gib_month": _Price("AmazonEC2", ("EBS:VolumeUsage.gp3",), _GP3),
    "ebs_gp3_iops_month": _Price("AmazonEC2", ("EBS:VolumeP-IOPS.gp3",), _GP3),
    # AWS counts GiB/s, the file MiB/s.
    "ebs_gp3_throughput_mibps_month": _Price("AmazonEC2", ("EBS:VolumeP-Throughput.gp3",), _GP3, per_unit=1024),
}
"""How each price of the file is found."""


def found(asker: Asker, document: Mapping[str, Any]) -> Iterator[Found]:
    """Each price in each region that the file has it of."""
    wanted = [(name, region) for name, row in document["prices"].items() for region in row["usd"]]
    calls = [
        products_call(PRICES[name].service, {"regionCode": region, **dict(PRICES[name].beside)})
        for name, region in wanted
    ]
    answers = asker.ask_all(calls)
    for (name, region), products in zip(wanted, answers, strict=True):
        if products is None:
            continue
        usd = _usd(PRICES[name], products)
        if usd is None:
            asker.miss(f"{name} in {region}: the price list {PRICES[name].service} has no single price of it")
            continue
        path = ("prices", name)
        source = f"AWS price list {PRICES[name].service}"
        yield Found((*path, "usd", region), float(usd), source, source_at=(*path, "source", region))


def _usd(price: _Price, products: list[str]) -> Decimal | None:
    parts = [on_demand_usd(product for product in products if _is_of(product, usage)) for usage in price.usages]
    known = [part for part in parts if part is not None]
    return sum(known, Decimal(0)) / price.per_unit if len(known) == len(parts) else None


def _is_of(product: str, usage: str) -> bool:
    return re.fullmatch(rf"([A-Z0-9]+-)?{re.escape(usage)}", attributes_of(product).get("usagetype", "")) is not None
