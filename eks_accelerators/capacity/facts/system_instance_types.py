"""The table of instance types without accelerators, `data/system-instance-types.json`."""

from collections.abc import Iterator, Mapping
from typing import Any

from eks_accelerators.capacity.facts import instance_prices, type_descriptions, type_offerings
from eks_accelerators.capacity.facts.asker import Asker
from eks_accelerators.capacity.facts.fact_values import FactValue

_TABLE = "instance_types"


def found(asker: Asker, document: Mapping[str, Any]) -> Iterator[FactValue]:
    """Architecture, vCPUs, memory and prices of each type of the table."""
    names = [row[0] for row in document[_TABLE]]
    regions = sorted({region for row in document[_TABLE] for region in row[4]})
    for name, (kind, region) in type_offerings.described(asker, names, type_offerings.offered(asker)).items():
        values = (kind.architecture, kind.v_cpu_info.default_v_cpus, kind.memory_info.size_in_mi_b)
        for index, value in enumerate(values, start=1):
            yield FactValue((_TABLE, name, index), value, f"{type_descriptions.SOURCE} in {region}")
    for name, prices in instance_prices.listed(asker, names).items():
        for region in regions:
            if (usd := prices.usd.get(region)) is not None:
                yield FactValue((_TABLE, name, 4, region), usd, instance_prices.SOURCE)
