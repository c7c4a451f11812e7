"""The terms of EC2 Capacity Blocks for ML.

Source: AWS EC2 User Guide `capacity-blocks-purchase`, `capacity-blocks-how` and the EKS user guide
`capacity-blocks-mng`, read 2026-11-20.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from eks_accelerators.accelerators.instance_types import every
from eks_accelerators.accelerators.number_of import number_of

MAXIMUM_INSTANCES = 64
USUAL_INSTANCE_COUNTS = (1, 2, 4, 8, 16, 32, 64)
EARLIEST_LEAD = timedelta(minutes=0)
LATEST_LEAD = timedelta(weeks=8)
DRAIN_BEFORE_END = timedelta(minutes=40)
"""EKS scales the node group to zero this long before the end; EC2 terminates 10 minutes later."""

SCALE_DOWN_ACTION = "Amazon EKS Node Group Capacity Scaledown Before Reservation End"
"""The scheduled action that EKS itself puts on the scaling group: not to be edited or deleted."""

USABLE_STATES = ("active", "scheduled")

REQUESTED_QUANTITY_TAG = "aws:ec2capacityreservation:incrementalRequestedQuantity"
"""Carries the size of a scheduled block, whose available capacity reads 0 before the start."""

DURATION_RULE = "1 to 14 days, or whole weeks from 3 to 26, in hours"


def duration_allowed(hours: int) -> bool:
    """Whether blocks of ``hours`` are sold: 24 x 1..14 or 168 x 3..26."""
    days, rest = divmod(hours, 24)
    if rest:
        return False
    return 1 <= days <= 14 or (days % 7 == 0 and 3 <= days // 7 <= 26)


def start_allowed(start: datetime, now: datetime) -> bool:
    """Whether a block may start at ``start``: not in the past, at most eight weeks ahead."""
    return now + EARLIEST_LEAD <= start <= now + LATEST_LEAD


def sold_types() -> tuple[str, ...]:
    """Names of the instance types that are sold as Capacity Blocks."""
    return tuple(t.name for t in every() if t.sold_as_capacity_block)


def has_drained(end: datetime, now: datetime) -> bool:
    """Whether EKS has scaled the nodes of a block to zero that ends at ``end``."""
    return now >= end - DRAIN_BEFORE_END


@dataclass(frozen=True, slots=True)
class Reservation:
    """A Capacity Block as AWS describes it. ``instance_count`` is None where AWS does not say."""

    id: str
    reservation_type: str
    state: str
    instance_type: str
    instance_count: int | None
    zone: str
    zone_id: str
    start: datetime
    end: datetime

    def is_over(self, now: datetime) -> bool:
        """Whether it has ended, or EKS has drained it: it serves nobody any more."""
        return has_drained(self.end, now) or self.state == "expired"

    @staticmethod
    def size(reported: int | None, tags: Mapping[str, str]) -> int | None:
        """Number of instances: a scheduled block reports 0, and its tag the true size."""
        return reported or (int(tags[REQUESTED_QUANTITY_TAG]) if REQUESTED_QUANTITY_TAG in tags else None)


@dataclass(frozen=True, slots=True)
class Unsuitable:
    """One reason why a reservation does not suit a node group, and what to do about it."""

    found: str
    fix: str

    def __str__(self) -> str:
        return f"{self.found}. {self.fix[0].upper()}{self.fix[1:]}."


def reservation_problems(
    reservation: Reservation,
    *,
    instance_type: str,
    max_size: int,
    zones: Sequence[str],
    now: datetime,
    expected: Mapping[str, Any] | None = None,
) -> list[Unsuitable]:
    """Why the reservation does not suit a node group of ``instance_type`` with ``max_size`` nodes in ``zones``.

    ``expected`` may state `start`, `end`, `zone` and `instance_count`. Empty where the group may be created.
    """
    stated = {key: value for key, value in (expected or {}).items() if value}
    return [
        *_of_state(reservation, now),
        *_of_group(reservation, instance_type, max_size, zones),
        *_unexpected(reservation, stated),
    ]


def _of_state(reservation: Reservation, now: datetime) -> Iterator[Unsuitable]:
    """Why nobody could use it as a Capacity Block."""
    cr = reservation.id
    if reservation.reservation_type != "capacity-block":
        yield Unsuitable(f"{cr} is an on-demand reservation", "use capacityReservationId instead of a Capacity Block")
    if reservation.state.startswith("payment-"):
        found = f"{cr} is {reservation.state}: the upfront fee is not paid, so it cannot be used yet"
        yield Unsuitable(found, "wait for the payment, or name another block")
    elif reservation.state not in USABLE_STATES:
        found = f"{cr} is {reservation.state} (ended {reservation.end:%Y-%m-%d %H:%M} UTC)"
        yield Unsuitable(found, f"name a block that is {' or '.join(USABLE_STATES)}")
    elif has_drained(reservation.end, now):
        minutes = DRAIN_BEFORE_END // timedelta(minutes=1)
        found = f"{cr} ends {reservation.end:%Y-%m-%d %H:%M} UTC and EKS drains it {minutes} minutes before"
        yield Unsuitable(found, "extend it, or name another block")


def _of_group(
    reservation: Reservation, instance_type: str, max_size: int, zones: Sequence[str]
) -> Iterator[Unsuitable]:
    """Why this node group could not use it."""
    cr, count = reservation.id, reservation.instance_count
    if reservation.instance_type != instance_type:
        found = f"{cr} holds {reservation.instance_type}; the node group asks for {instance_type}"
        yield Unsuitable(found, "name another block, or change the instance type")
    if count is not None and max_size > count:
        found = f"size.max {max_size} exceeds the {number_of(count, 'instance')} in {cr}"
        yield Unsuitable(found, f"set size.max: {count}")
    if reservation.zone not in zones and reservation.zone_id not in zones:
        yield Unsuitable(
            f"{cr} is in {reservation.zone} ({reservation.zone_id}), where the network has no subnet "
            f"(it has {', '.join(zones)})",
            "add a subnet there",
        )


def _unexpected(reservation: Reservation, stated: Mapping[str, Any]) -> list[Unsuitable]:
    """What is written of a reservation, and is otherwise."""
    cr, fix = reservation.id, "correct what is expected, or name another block"
    found = [
        f"{cr} has {key} {getattr(reservation, key).isoformat()}, not {stated[key]}"
        for key in ("start", "end")
        if key in stated and datetime.fromisoformat(stated[key]) != getattr(reservation, key)
    ]
    count = stated.get("instance_count")
    if count and reservation.instance_count is not None and count != reservation.instance_count:
        found.append(f"{cr} holds {number_of(reservation.instance_count, 'instance')}, not {count}")
    if "zone" in stated and stated["zone"] not in (reservation.zone, reservation.zone_id):
        found.append(f"{cr} is in {reservation.zone} ({reservation.zone_id}), not {stated['zone']}")
    return [Unsuitable(each, fix) for each in found]
