"""Regions of Amazon Managed Service for Prometheus, in `data/amp-regions.json`."""

from collections.abc import Iterator, Mapping
from typing import Any

from eks_accelerators.accelerators.partitions import partition_of
from eks_accelerators.capacity.aws_calls.public_parameters import parameters_below
from eks_accelerators.capacity.facts.asker import Asker
from eks_accelerators.capacity.facts.fact_values import FactValue

PATH = "/aws/service/global-infrastructure/services/aps/regions"
_PARTITIONS = ("aws", "aws-cn", "aws-us-gov")
"""Those whose regions are below that path; the others stay as they are."""


def found(asker: Asker, document: Mapping[str, Any]) -> Iterator[FactValue]:
    """The regions, by SSM's public parameters of the global infrastructure.

    Source: Systems Manager user guide, `parameter-store-public-parameters-global-infrastructure`: the path is answered in the larger
    regions of the partition `aws` alone, us-east-1 among them.
    """
    answer = asker.ask(parameters_below(asker.home, PATH))
    if answer is None:
        return
    if not answer:
        asker.miss(f"regions of Amazon Managed Service for Prometheus: {asker.home} has nothing at {PATH}")
        return
    others = {region for region in document["regions"] if partition_of(region) not in _PARTITIONS}
    regions = sorted(others | {each.value for each in answer})
    yield FactValue(("regions",), regions, f"SSM GetParametersByPath {PATH} in {asker.home}")
