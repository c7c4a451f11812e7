"""What the storage of a stack costs, and what becomes of it when the stack goes."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from eks_accelerators.accelerators import storage_prices
from eks_accelerators.accelerators.prices import HOURS_PER_MONTH
from eks_accelerators.settings.model import Settings
from eks_accelerators.settings.model.storage import (
    Efs,
    FsxLustre,
    LustreDeployment,
    NodeCache,
    OnDestroy,
    S3Bucket,
    S3Files,
    Storage,
)

FATES = {
    OnDestroy.PROTECT: "destroy refuses to delete it",
    OnDestroy.DELETE: "destroy deletes it and its data",
    OnDestroy.KEEP: "stays, and costs, after destroy",
}
"""What becomes of a file system with the stack, in a few words."""

_BUCKET_STAYS = "the bucket is yours, and stays"


@dataclass(frozen=True, slots=True)
class StorageCost:
    """What one storage is, its USD per hour (None where unknown), and what there is to say of it."""

    name: str
    usd: Decimal | None
    note: str


def storage_costs(settings: Settings) -> Iterator[StorageCost]:
    """One for each storage that costs; disks inside an instance are paid for with it."""
    for name, storage in settings.storage.items():
        for _, kind in storage.each():
            if not isinstance(kind, NodeCache):
                what, usd, note = _cost(kind, settings.region)
                yield StorageCost(f"storage {name}: {what}", usd, "; ".join([note, *_caches_on(settings, name)]))


def _caches_on(settings: Settings, storage: str) -> Iterator[str]:
    """What is said of the servers that keep their cache there, if any."""
    servers = [
        name
        for _, name, workload in settings.workloads.each()
        if storage in {cache.storage for cache in workload.caches.values()}
    ]
    if servers:
        yield f"cache of {', '.join(servers)}"


def _cost(storage: Storage, region: str) -> tuple[str, Decimal | None, str]:
    """What it is, USD per hour, and a note."""
    if isinstance(storage, FsxLustre):
        price = storage_prices.monthly(f"{_lustre_tier(storage)}_gib_month", region)
        what = f"FSx for Lustre, {storage.capacity_gib} GiB"
        return what, _hourly(price, storage.capacity_gib), FATES[storage.fate]
    if isinstance(storage, Efs):
        price = storage_prices.monthly("efs_one_zone_gib_month" if storage.zone else "efs_gib_month", region)
        usd = _sum(_hourly(price, storage.expected_gib), _provisioned(storage, region))
        return _grown("EFS", storage.expected_gib), usd, _noted(FATES[storage.fate], price, storage.expected_gib)
    if isinstance(storage, S3Files):
        return _grown("S3 Files", storage.expected_gib), None, f"{FATES[storage.fate]}; {_BUCKET_STAYS}"
    assert isinstance(storage, S3Bucket)
    price = storage_prices.monthly("s3_gib_month", region)
    usd = _hourly(price, storage.expected_gib)
    return _grown("S3", storage.expected_gib), usd, _noted(_BUCKET_STAYS, price, storage.expected_gib)


def _lustre_tier(storage: FsxLustre) -> str:
    if storage.deployment_type is LustreDeployment.SCRATCH_2:
        return "fsx_scratch_2"
    return f"fsx_persistent_2_{storage.throughput_mibps_per_tib}"


def _provisioned(storage: Efs, region: str) -> Decimal | None:
    if storage.provisioned_mibps is None:
        return Decimal(0)
    return _hourly(storage_prices.monthly("efs_provisioned_mibps_month", region), storage.provisioned_mibps)


def _hourly(price: Decimal | None, quantity: int | None) -> Decimal | None:
    return None if price is None or quantity is None else price * quantity / HOURS_PER_MONTH


def _sum(one: Decimal | None, other: Decimal | None) -> Decimal | None:
    return None if one is None or other is None else one + other


def _grown(what: str, expected_gib: int | None) -> str:
    return f"{what}, {expected_gib} GiB" if expected_gib else what


def _noted(note: str, price: Decimal | None, expected_gib: int | None) -> str:
    """``note``, with the rate where nobody says how much there will be."""
    if expected_gib is not None or price is None:
        return note
    return f"{price} USD per GiB and month; {note}"
