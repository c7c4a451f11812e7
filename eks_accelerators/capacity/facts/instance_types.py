"""The table of accelerated instance types, `data/instance-types.json`."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from eks_accelerators.accelerators import other_accelerators
from eks_accelerators.accelerators.partitions import partition_of
from eks_accelerators.capacity.facts import instance_prices, type_descriptions, type_offerings
from eks_accelerators.capacity.facts.asker import Asker
from eks_accelerators.capacity.facts.fact_values import FactValue
from eks_accelerators.capacity.facts.instance_prices import ListedPrice
from eks_accelerators.capacity.facts.new_types import is_served, row_of
from eks_accelerators.capacity.facts.type_descriptions import Described, columns

_TABLE = "instance_types"


def found(asker: Asker, document: Mapping[str, Any]) -> Iterator[FactValue]:
    """Every column that AWS answers, of each type of the table; and rows of the types that it lacks."""
    rows = {row["instance_type"]: row for row in document[_TABLE]}
    where = type_offerings.offered(asker)
    kinds = type_offerings.described(asker, [*rows, *sorted(_strangers(where.types, rows))], where)
    new = {name: row_of(kind, _dated(asker, region)) for name, (kind, region) in kinds.items() if _is_new(kind, rows)}
    for name, row in new.items():
        yield FactValue((_TABLE, name), row, type_descriptions.SOURCE)
    for name in rows.keys() - kinds.keys() if where.by_region else ():
        asker.miss(f"{name}: no region of this account offers it")
    prices = instance_prices.listed(asker, [*rows, *new])
    regions = sorted({region for row in rows.values() for region in row["on_demand_usd_per_hour"]})
    zones = _zones(asker, sorted({region for row in rows.values() for region in row["offered_az_ids_us"]}))
    for name, row in {**rows, **new}.items():
        if name in kinds and name in rows:
            yield from _of_row(name, kinds[name][0], f"{type_descriptions.SOURCE} in {kinds[name][1]}")
        yield from _places(name, row, where.by_region, prices.get(name), zones)
        if name in prices:
            yield from _prices(name, prices[name], regions)


def _dated(asker: Asker, region: str) -> str:
    return f"{type_descriptions.SOURCE} in {region}, {asker.today.isoformat()}"


def _strangers(types: Iterable[str], rows: Mapping[str, Any]) -> set[str]:
    """Types that the package knows nothing of: not in the table, of no family without accelerators, none that is not served."""
    unknown = {name for name in types if name not in rows and not other_accelerators.has_no_accelerator(name)}
    return {name for name in unknown if other_accelerators.find(name) is None}


def _is_new(kind: Described, rows: Mapping[str, Any]) -> bool:
    return kind.instance_type not in rows and is_served(kind)


def _of_row(name: str, kind: Described, source: str) -> Iterator[FactValue]:
    for path, value in columns(kind):
        yield FactValue((_TABLE, name, *path), value, source)
    yield FactValue((_TABLE, name, "quota", "vcpus_needed_per_instance"), kind.v_cpu_info.default_v_cpus, source)


def _prices(name: str, prices: ListedPrice, regions: Iterable[str]) -> Iterator[FactValue]:
    for region in regions:
        path = (_TABLE, name, "on_demand_usd_per_hour", region)
        at = (_TABLE, name, "price_source", region)
        yield FactValue(path, prices.usd.get(region), instance_prices.SOURCE, source_at=at)


def _places(
    name: str,
    row: Mapping[str, Any],
    offers: Mapping[str, frozenset[str]],
    prices: ListedPrice | None,
    zones: Mapping[str, Mapping[str, list[str]]],
) -> Iterator[FactValue]:
    """Regions and zones. Of a region that was not asked, the table keeps what it has."""
    path: tuple[str, ...] = (_TABLE, name)
    if prices:
        elsewhere = {region for region in row["offered_regions"] if not _priced_here(region)}
        priced = prices.regions | elsewhere
        yield FactValue((*path, "offered_regions"), sorted(priced), instance_prices.SOURCE)
    else:
        priced = set(row["offered_regions"])
    asked = {region for region, types in offers.items() if name in types}
    not_asked = {region for region in row["offered_regions_unpriced"] if region not in offers}
    if offers:
        yield FactValue(
            (*path, "offered_regions_unpriced"), sorted((asked | not_asked) - priced), type_offerings.SOURCE
        )
    if zones:
        known = {region: ids for region, ids in row["offered_az_ids_us"].items() if region not in zones}
        told = {region: found[name] for region, found in zones.items() if name in found}
        yield FactValue((*path, "offered_az_ids_us"), dict(sorted({**known, **told}.items())), type_offerings.SOURCE)


def _priced_here(region: str) -> bool:
    """Whether the price list that is asked has the region: China has a list of its own."""
    return partition_of(region) in ("aws", "aws-us-gov")


def _zones(asker: Asker, regions: Iterable[str]) -> dict[str, Mapping[str, list[str]]]:
    answers = {region: type_offerings.zone_ids(asker, region) for region in regions if region in asker.regions}
    return {region: answer for region, answer in answers.items() if answer is not None}
