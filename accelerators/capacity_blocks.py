"""The terms of EC2 Capacity Blocks for ML.

Source: AWS EC2 User Guide `capacity-blocks-purchase`, `capacity-blocks-how` and the EKS user guide
`capacity-blocks-mng`, read 2026-11-20.
"""

from datetime import datetime, timedelta

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
