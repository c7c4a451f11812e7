"""Capacity Blocks that a simulated EC2 sells when nobody says which: made up, and the same for the same clock.

Made up are days, sizes and prices: a type is sold in its zones on about every third day of the next eight weeks, at
11:30 UTC, for 60 to 80 % of the on-demand list price. Source of that range: p5en.48xlarge was sold for 41.61 USD an
hour in blocks and 63.296 on demand (instances.vantage.sh, read 2026-01-21; the block's price sjramblings.io, January
2026). Types without a list price are sold at the rates below, of the same time.

An offering's ID holds what is sold, so that it is found again without a record of what was shown.
"""

import hashlib
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

from eks_accelerators.accelerators import prices
from eks_accelerators.accelerators.capacity_blocks import LATEST_LEAD, MAXIMUM_INSTANCES, duration_allowed, sold_types
from eks_accelerators.accelerators.instance_types import get
from eks_accelerators.simulator.aws.backend import Backend
from eks_accelerators.simulator.aws.model import OfferingRecord

ASSUMPTION = (
    "Capacity Blocks on sale are made up: days and sizes by chance, prices 60 to 80 % of the on-demand list price"
)
MOST_OFFERINGS = 6
"""EC2 answers with so many at most. Source: EC2 User Guide `capacity-blocks-purchase`, read 2026-11-20."""

_RATES = {"p5e.48xlarge": Decimal("39.80"), "trn2.48xlarge": Decimal("35.76")}
_SIZES = (1, 2, 4, 8, 16, 32, MAXIMUM_INSTANCES)
_START = timedelta(hours=11, minutes=30)
_EPOCH = date(2026, 1, 1)
_TYPE, _ZONE, _COUNT, _DAY, _DAYS, _CHECK = 16, 4, 7, 13, 8, 20
"""Bits of an ID: 68, which are 17 hexadecimal digits."""


def offerings(account: Backend, instance_type: str, count: int, hours: int) -> list[OfferingRecord]:
    """What is on sale: of that type, size and length, the earliest first."""
    if instance_type not in sold_types() or not 1 <= count <= MAXIMUM_INSTANCES or not duration_allowed(hours):
        return []
    today = account.state.now.date()
    return [
        offer
        for ahead in range(LATEST_LEAD.days + 1)
        for zone in sorted(account.offered_zones(instance_type))
        if (offer := _offering(account, instance_type, count, hours, zone, today + timedelta(days=ahead)))
    ]


def find(account: Backend, identifier: str) -> OfferingRecord | None:
    """The offering with that ID, where it is on sale."""
    digits = identifier.removeprefix("cb-")
    if len(digits) != 17 or not set(digits) <= set("0123456789abcdef"):
        return None
    rest = int(digits, 16) >> _CHECK
    rest, days = divmod(rest, 1 << _DAYS)
    rest, day = divmod(rest, 1 << _DAY)
    rest, count = divmod(rest, 1 << _COUNT)
    kind, zone = divmod(rest, 1 << _ZONE)
    name = next((name for name in sold_types() if _draw(_TYPE, name) == kind), None)
    if name is None:
        return None
    letter = f"{account.state.region}{chr(ord('a') + zone)}"
    offer = _offering(account, name, count, days * 24, letter, _EPOCH + timedelta(days=day))
    return offer if offer and offer.id == identifier else None


def _offering(
    account: Backend, instance_type: str, count: int, hours: int, zone: str, day: date
) -> OfferingRecord | None:
    region = account.state.region
    start = datetime.combine(day, datetime.min.time(), UTC) + _START
    rate_per_hour = rate(instance_type, region)
    if rate_per_hour is None or not account.state.now < start <= account.state.now + LATEST_LEAD:
        return None
    if _draw(8, instance_type, zone, day) % 3 or count > _SIZES[_draw(16, zone, day, instance_type) % len(_SIZES)]:
        return None
    identifier = _identifier(instance_type, count, hours, zone, day)
    if any(block.offering_id == identifier for block in account.state.blocks.values()):
        return None
    share = Decimal(60 + _draw(16, day, instance_type, zone) % 21) / 100
    fee = (rate_per_hour * share * count * hours).quantize(Decimal("0.01"))
    return OfferingRecord(identifier, instance_type, count, zone, start, hours, str(fee))


def _identifier(instance_type: str, count: int, hours: int, zone: str, day: date) -> str:
    number = _draw(_TYPE, instance_type)
    for bits, value in (
        (_ZONE, ord(zone[-1]) - ord("a")),
        (_COUNT, count),
        (_DAY, (day - _EPOCH).days),
        (_DAYS, hours // 24),
        (_CHECK, _draw(_CHECK, instance_type, count, hours, zone, day)),
    ):
        number = number << bits | value % (1 << bits)
    return f"cb-{number:017x}"


def rate(instance_type: str, region: str) -> Decimal | None:
    """USD for an instance-hour: the list price, of any region where this one's is not known."""
    known = get(instance_type).on_demand_usd_per_hour
    elsewhere = (prices.on_demand(instance_type, each) for each in sorted(known))
    listed = prices.on_demand(instance_type, region) or next((price for price in elsewhere if price), None)
    return listed or _RATES.get(instance_type)


def _draw(bits: int, *of: object) -> int:
    """A number of so many bits that follows from what it is drawn for."""
    digest = hashlib.sha256("/".join(map(str, of)).encode()).digest()
    return int.from_bytes(digest[:8], "big") >> (64 - bits)
