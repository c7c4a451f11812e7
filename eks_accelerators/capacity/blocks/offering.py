"""An offering of a Capacity Block: what it is, and what it comes to by the hour."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import cached_property
from typing import Annotated, Any

from pydantic import AwareDatetime, Field

from eks_accelerators.accelerators import instance_types, prices
from eks_accelerators.capacity.aws_calls.call import PascalCase

Fee = Annotated[Decimal, Field(ge=0, allow_inf_nan=False)]
"""USD. AWS writes fees as text, without limits."""


class OfferingAnswer(PascalCase):
    """An offering as EC2 answers it."""

    capacity_block_offering_id: str
    instance_type: str
    instance_count: int
    availability_zone: str
    start_date: AwareDatetime
    end_date: AwareDatetime
    upfront_fee: Fee
    currency_code: str
    capacity_block_offering_segments: list[Any] = []


@dataclass(frozen=True)
class Offering:
    """A Capacity Block on sale. ``asked_hours`` is the length by which it was found; its own may differ a little.

    ``fee`` is paid at the purchase, in ``currency``. Times are in UTC.
    """

    id: str
    region: str
    instance_type: str
    instance_count: int
    zone: str
    start: datetime
    end: datetime
    asked_hours: int
    fee: Decimal
    currency: str
    segments: int = 1

    @property
    def hours(self) -> Decimal:
        """Length in hours."""
        return Decimal((self.end - self.start).total_seconds()) / 3600

    @cached_property
    def per_instance_hour(self) -> Decimal:
        """The fee by instance and hour."""
        return self.fee / (self.instance_count * self.hours)

    @property
    def per_accelerator_hour(self) -> Decimal | None:
        """The fee by accelerator and hour; None for a type that is not in the table."""
        kind = instance_types.find(self.instance_type)
        return self.per_instance_hour / kind.accelerator.count if kind else None

    @property
    def on_demand(self) -> Decimal | None:
        """The on-demand list price of an instance-hour in USD, None where unknown."""
        return prices.on_demand(self.instance_type, self.region)

    @property
    def of_on_demand(self) -> Decimal | None:
        """The fee as a part of the on-demand list price, None where that is unknown or in another currency."""
        return self.per_instance_hour / self.on_demand if self.on_demand and self.currency == "USD" else None


def offering_of(answer: OfferingAnswer, region: str, asked_hours: int) -> Offering:
    """The offering that ``region`` answered when asked for so many hours."""
    return Offering(
        id=answer.capacity_block_offering_id,
        region=region,
        instance_type=answer.instance_type,
        instance_count=answer.instance_count,
        zone=answer.availability_zone,
        start=answer.start_date,
        end=answer.end_date,
        asked_hours=asked_hours,
        fee=answer.upfront_fee,
        currency=answer.currency_code,
        segments=max(1, len(answer.capacity_block_offering_segments)),
    )
