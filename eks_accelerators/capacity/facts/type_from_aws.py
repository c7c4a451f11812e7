"""The row of a type that the package lacks, as AWS answers it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from eks_accelerators.capacity.facts import instance_prices, quotas, type_offerings
from eks_accelerators.capacity.facts.asker import Asker
from eks_accelerators.capacity.facts.new_types import is_served, row_of
from eks_accelerators.capacity.facts.type_descriptions import SOURCE, describe_calls


class NoSuchTypeError(Exception):
    """AWS has no such type in the region, or one that is not served; the message says which."""


class NotToldError(Exception):
    """AWS was asked for the type and did not answer; the message says why."""


@dataclass(frozen=True, slots=True)
class Added:
    """A row of the table, and what stays unknown in it, each with its reason."""

    row: Mapping[str, Any]
    unknown: tuple[str, ...]


def added(asker: Asker, name: str) -> Added:
    """Ask AWS for the type called ``name``. Raises `NoSuchTypeError` and `NotToldError`."""
    (call,) = describe_calls(asker.home, [name])
    answer = asker.answer(call)
    if answer.refusal == "InvalidInstanceType":
        raise NoSuchTypeError(f"EC2 has no {name} in {asker.home}; name a region that has it by --region")
    if answer.failure:
        raise NotToldError(answer.failure.line)
    kind = next((kind for kind in answer.value if kind.instance_type == name), None)
    if kind is None:
        raise NoSuchTypeError(f"EC2 in {asker.home} describes no {name}")
    if not is_served(kind):
        raise NoSuchTypeError(
            f"{name} has no accelerators that this package serves: NVIDIA GPUs, Trainium, Inferentia2"
        )
    row = row_of(kind, f"{SOURCE} in {asker.home}, {asker.today.isoformat()}")
    row["quota"] |= quotas.codes_of(asker, row["family"])
    unknown = [*row["notes"], *_uncounted(row), *_priced(asker, row), *_placed(asker, row)]
    return Added(row, (*unknown, *asker.unanswered))


_QUOTAS = {
    "spot_code": ("spot", "Spot Instances"),
    "capacity_block_account_code": ("capacity-block", "Capacity Blocks"),
}


def _uncounted(row: dict[str, Any]) -> list[str]:
    lacking = [
        what for key, (sold, what) in _QUOTAS.items() if sold in row["usage_classes"] and row["quota"][key] is None
    ]
    return [f"quota of {what} of {row['instance_type']}: no quota of EC2 is named after the family" for what in lacking]


def _priced(asker: Asker, row: dict[str, Any]) -> list[str]:
    name = row["instance_type"]
    listed = instance_prices.listed(asker, [name]).get(name)
    if listed is None:
        return [f"prices of {name}: the price list was not answered"]
    row["offered_regions"] = sorted(listed.regions)
    row["on_demand_usd_per_hour"] = {region: usd for region, usd in sorted(listed.usd.items()) if usd is not None}
    source = f"{instance_prices.SOURCE}, {asker.today.isoformat()}"
    row["price_source"] = dict.fromkeys(row["on_demand_usd_per_hour"], source)
    return [] if row["on_demand_usd_per_hour"] else [f"prices of {name}: the price list has none on demand"]


def _placed(asker: Asker, row: dict[str, Any]) -> list[str]:
    name, home = row["instance_type"], asker.home
    if home not in row["offered_regions"]:
        row["offered_regions_unpriced"] = [home]
    zones = type_offerings.zone_ids(asker, home)
    if zones is None:
        return [f"zones of {name} in {home}: not answered"]
    row["offered_az_ids_us"] = {home: zones[name]} if name in zones else {}
    return []
