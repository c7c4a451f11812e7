"""Names of EC2's quotas, in `data/quotas.json`."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from eks_accelerators.accelerators import quotas
from eks_accelerators.capacity.aws_calls import Call
from eks_accelerators.capacity.aws_calls.call import PascalCase
from eks_accelerators.capacity.facts.asker import Asker
from eks_accelerators.capacity.facts.fact_values import FactValue

_OF_INTEREST = re.compile(r"Concurrent (P|Trn)\S+ Capacity Blocks per account")
"""Quotas that the file gains by themselves: those of Capacity Blocks of a new family."""


class _Quota(PascalCase):
    quota_code: str
    quota_name: str


def listed(asker: Asker) -> dict[str, str] | None:
    """EC2's quotas: names by code. Source: Service Quotas ListAWSDefaultServiceQuotas (botocore 1.44.5)."""
    call = Call(
        "service-quotas",
        "list_aws_default_service_quotas",
        asker.home,
        "Quotas",
        list[_Quota],
        {"ServiceCode": quotas.SERVICE},
    )
    answer = asker.ask(call)
    return None if answer is None else {quota.quota_code: quota.quota_name for quota in answer}


def codes_of(asker: Asker, family: str) -> dict[str, str]:
    """The codes of the quotas whose names name a family: of its Spot Instances and Capacity Blocks."""
    generation = re.match(r"[a-z]+\d*", family)
    wanted = {
        f"all {generation[0] if generation else family} spot instance requests": "spot_code",
        f"concurrent {family} capacity blocks per account": "capacity_block_account_code",
    }
    names = listed(asker) or {}
    return {wanted[name.lower()]: code for code, name in names.items() if name.lower() in wanted}


def found(asker: Asker, document: Mapping[str, Any]) -> Iterator[FactValue]:
    """The name of each code of the file."""
    names = listed(asker)
    if names is None:
        return
    for code in document["names"].keys() - names.keys():
        asker.miss(f"quota {code}: {asker.home} lists none with this code")
    for code, name in sorted(names.items()):
        if code in document["names"] or _OF_INTEREST.fullmatch(name):
            yield FactValue(("names", code), name, f"Service Quotas ListAWSDefaultServiceQuotas in {asker.home}")
