"""What instance types read and write of EBS, `data/ebs-throughput.json`."""

from collections.abc import Iterator, Mapping
from typing import Any

from eks_accelerators.capacity.facts import type_descriptions, type_offerings
from eks_accelerators.capacity.facts.asker import Asker
from eks_accelerators.capacity.facts.fact_values import FactValue


def found(asker: Asker, document: Mapping[str, Any]) -> Iterator[FactValue]:
    """Baseline and maximum of each type of the file, MB/s."""
    for name, (kind, region) in type_offerings.described(
        asker, [*document["types"]], type_offerings.offered(asker)
    ).items():
        if limits := kind.ebs_info.ebs_optimized_info:
            value = [limits.baseline_throughput_in_m_bps, limits.maximum_throughput_in_m_bps]
            yield FactValue(("types", name), value, f"{type_descriptions.SOURCE} in {region}")
