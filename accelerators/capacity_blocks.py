"""The terms of EC2 Capacity Blocks for ML.

Source: AWS EC2 User Guide `capacity-blocks-purchase`, `capacity-blocks-how` and the EKS user guide
`capacity-blocks-mng`, read 2026-11-20.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from accelerators.instance_types import every

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

    @staticmethod
    def size(reported: int | None, tags: Mapping[str, str]) -> int | None:
        """Number of instances: a scheduled block reports 0, and its tag the true size."""
        return reported or (int(tags[REQUESTED_QUANTITY_TAG]) if REQUESTED_QUANTITY_TAG in tags else None)


def reservation_problems(
    reservation: Reservation,
    *,
    instance_type: str,
    max_size: int,
    zones: Sequence[str],
    now: datetime,
    expected: Mapping[str, Any] | None = None,
) -> list[str]:
    """Why the reservation does not suit a node group of ``instance_type`` with ``max_size`` nodes in ``zones``.

    ``expected`` may state `start`, `end`, `zone` and `instance_count`. Empty where the group may be created.
    """
    cr, problems = reservation.id, []
    if reservation.reservation_type != "capacity-block":
        problems.append(f"{cr} is an on-demand reservation. Use capacityReservationId instead of a Capacity Block.")
    if reservation.state.startswith("payment-"):
        problems.append(f"{cr} is {reservation.state}: the upfront fee is not paid, so it cannot be used yet.")
    elif reservation.state not in USABLE_STATES:
        problems.append(
            f"{cr} is {reservation.state} (ended {reservation.end:%Y-%m-%d %H:%M} UTC). Name a block that is "
            f"{' or '.join(USABLE_STATES)}."
        )
    elif now >= reservation.end - DRAIN_BEFORE_END:
        problems.append(
            f"{cr} ends {reservation.end:%Y-%m-%d %H:%M} UTC and EKS drains it 40 minutes before. "
            "Extend it, or name another block."
        )
    if reservation.instance_type != instance_type:
        problems.append(f"{cr} holds {reservation.instance_type}; the node group asks for {instance_type}.")
    if reservation.instance_count is not None and max_size > reservation.instance_count:
        problems.append(f"size.max {max_size} exceeds the {reservation.instance_count} instances in {cr}.")
    if reservation.zone not in zones and reservation.zone_id not in zones:
        problems.append(
            f"{cr} is in {reservation.zone} ({reservation.zone_id}), where the network has no subnet "
            f"(it has {', '.join(zones)}). Add a subnet there."
        )
    stated = {key: value for key, value in (expected or {}).items() if value}
    problems += [
        f"{cr} has {key} {getattr(reservation, key).isoformat()}, not {stated[key]}."
        for key in ("start", "end")
        if key in stated and datetime.fromisoformat(stated[key]) != getattr(reservation, key)
    ]
    count = stated.get("instance_count")
    if count and reservation.instance_count is not None and count != reservation.instance_count:
        problems.append(f"{cr} holds {reservation.instance_count} instances, not {count}.")
    if "zone" in stated and stated["zone"] not in (reservation.zone, reservation.zone_id):
        problems.append(f"{cr} is in {reservation.zone} ({reservation.zone_id}), not {stated['zone']}.")
    return problems
