"""Reservations that the account has in a region, as AWS says now."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from pydantic import AwareDatetime

from eks_accelerators.accelerators.capacity_blocks import Reservation
from eks_accelerators.capacity.aws_calls import Aws, Call
from eks_accelerators.capacity.aws_calls.call import PascalCase

OVER = ("expired", "cancelled", "cancelling", "failed", "payment-failed", "unsupported")
"""States in which a reservation holds nothing, and will not."""


class _Tag(PascalCase):
    key: str
    value: str = ""


class _ReservationAnswer(PascalCase):
    capacity_reservation_id: str
    capacity_block_id: str | None = None
    reservation_type: str = "default"
    state: str
    instance_type: str
    total_instance_count: int | None = None
    available_instance_count: int | None = None
    availability_zone: str = ""
    availability_zone_id: str = ""
    start_date: AwareDatetime | None = None
    end_date: AwareDatetime | None = None
    tags: list[_Tag] = []


class _BlockAnswer(PascalCase):
    capacity_block_id: str
    capacity_reservation_ids: list[str] = []
    tags: list[_Tag] = []


@dataclass(frozen=True, slots=True)
class AccountReservation:
    """A Capacity Block that was bought. ``count`` and ``available`` are None where AWS does not say."""

    id: str
    block_id: str | None
    region: str
    state: str
    instance_type: str
    count: int | None
    available: int | None
    zone: str
    zone_id: str
    start: datetime
    end: datetime
    tags: Mapping[str, str]

    @property
    def is_over(self) -> bool:
        """Whether it holds nothing any more."""
        return self.state in OVER

    def overlaps(self, start: datetime, end: datetime) -> bool:
        """Whether it and the time from ``start`` to ``end`` have a moment in common."""
        return self.start < end and start < self.end


def reservations_call(region: str) -> Call[list[_ReservationAnswer]]:
    """All reservations, expired ones included; not by a filter: which tags AWS filters by is not documented."""
    return Call("ec2", "describe_capacity_reservations", region, "CapacityReservations", list[_ReservationAnswer])


def blocks_call(region: str) -> Call[list[_BlockAnswer]]:
    """All Capacity Blocks, which may have the tags in place of their reservations."""
    return Call("ec2", "describe_capacity_blocks", region, "CapacityBlocks", list[_BlockAnswer])


def held(aws: Aws, region: str) -> list[AccountReservation]:
    """The Capacity Blocks in ``region`` now, the earliest first. Raises `UnansweredError` where AWS does not say."""
    answers = aws.ask_anew(reservations_call(region)).value
    by_reservation = {
        reservation: block
        for block in aws.ask_anew(blocks_call(region)).value
        for reservation in block.capacity_reservation_ids
    }
    found = []
    for each in answers:
        if each.reservation_type != "capacity-block" or each.start_date is None or each.end_date is None:
            continue
        block = by_reservation.get(each.capacity_reservation_id)
        tags = {tag.key: tag.value for tag in [*(block.tags if block else []), *each.tags]}
        found.append(
            AccountReservation(
                id=each.capacity_reservation_id,
                block_id=block.capacity_block_id if block else each.capacity_block_id,
                region=region,
                state=each.state,
                instance_type=each.instance_type,
                count=Reservation.size(each.total_instance_count, tags),
                available=each.available_instance_count,
                zone=each.availability_zone,
                zone_id=each.availability_zone_id,
                start=each.start_date,
                end=each.end_date,
                tags=tags,
            )
        )
    return sorted(found, key=lambda block: (block.start, block.id))
