"""The table of instance types without accelerators, `data/system-instance-types.json`."""

from collections.abc import Iterator, Mapping
from typing import Any

from eks_accelerators.capacity.facts import described, instance_prices, offered
from eks_accelerators.capacity.facts.asker import Asker
from eks_accelerators.capacity.facts.found import Found

_TABLE = "instance_types"


def found(asker: Asker, document: Mapping[str, Any]) -> Iterator[Found]:
    """Architecture, vCPUs, memory and prices of each type of the table."""
    names = [row[0] for row in document[_TABLE]]
    regions = sorted({region for row in document[_TABLE] for region in row[4]})
    for name, (kind, region) in offered.described(asker, names, offered.offered(asker)).items():
        values = (kind.architecture, kind.v_cpu_info.default_v_cpus, kind.memory_info.size_in_mi_b)
        for index, value in enumerate(values, start=1):
            yield Found((_TABLE, name, index), value, f"{described.SOURCE} in {region}")
    for name, prices in instance_prices.listed(asker, names).items():
        for region in regions:
            if (usd := prices.usd.get(region)) is not None:
                yield Found((_TABLE, name, 4, region), usd, instance_prices.SOURCE)
