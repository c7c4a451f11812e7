"""Blocks over time: lanes of bars, and the gaps between them. Pure: what is shown, and not how."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby

from eks_accelerators.capacity.blocks.account_reservations import AccountReservation


@dataclass(frozen=True, slots=True)
class Gap:
    """A time without a block, between two blocks of a lane."""

    start: datetime
    end: datetime

    @property
    def length(self) -> timedelta:
        """How long it is."""
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Lane:
    """Blocks that follow each other, the earliest first, and the gaps between them."""

    name: str
    blocks: tuple[AccountReservation, ...]
    gaps: tuple[Gap, ...]


def lanes(blocks: Iterable[AccountReservation], users: Mapping[str, str]) -> list[Lane]:
    """A lane for each node group, then one for each type that no group uses. ``users``: node groups by reservation ID."""

    def name(block: AccountReservation) -> tuple[bool, str]:
        return block.id not in users, users.get(block.id, block.instance_type)

    ordered = sorted(blocks, key=lambda block: (name(block), block.start, block.id))
    return [_lane(key[1], tuple(found)) for key, found in groupby(ordered, key=name)]


def span(found: Sequence[Lane], now: datetime) -> tuple[datetime, datetime]:
    """From the first start to the last end, the present included; whole days in UTC."""
    moments = [now, *(moment for lane in found for block in lane.blocks for moment in (block.start, block.end))]
    first = min(moments).replace(hour=0, minute=0, second=0, microsecond=0)
    last = max(moments).replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    return first, last


def _lane(name: str, blocks: tuple[AccountReservation, ...]) -> Lane:
    gaps, until = [], blocks[0].end
    for block in blocks[1:]:
        if block.start > until:
            gaps.append(Gap(until, block.start))
        until = max(until, block.end)
    return Lane(name, blocks, tuple(gaps))
