"""Capacity Blocks: one that was bought, named by its ID, or a purchase to be made once."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated

from pydantic import Field, StringConstraints

from eks_accelerators.settings.model.base import Model


class Expectation(Model):
    """What the reservation should be. AWS is the authority: what is written and disagrees is an error."""

    instance_type: str | None = None
    """Instance type."""
    instance_count: Annotated[int, Field(ge=1)] | None = None
    """Number of instances."""
    zone: str | None = None
    """Availability Zone, by name or by ID."""
    start: datetime | None = None
    """Start, with a time zone, in quotes."""
    end: datetime | None = None
    """End, with a time zone, in quotes."""


class Purchase(Model):
    """A block to be bought at the next deployment: paid at once, never cancelled or refunded."""

    offering_id: Annotated[str, StringConstraints(pattern=r"^cbr?-?[0-9a-zA-Z-]{8,}$")]
    """ID of the offering, literal: it must never be looked up by the program."""
    instance_type: str
    """Instance type of the offering."""
    instance_count: int
    """Number of instances of the offering."""
    duration_hours: int
    """Length of the offering in hours."""
    start: datetime
    """Start of the offering, with a time zone, in quotes."""
    max_upfront_fee_usd: Annotated[Decimal, Field(gt=0)]
    """The most that may be paid up front; a dearer offering stops the deployment."""
    confirmation: str = ""
    """The sentence that confirms the purchase, word for word."""


class CapacityBlockSettings(Model):
    """Either `reservationId` or `purchase`."""

    reservation_id: Annotated[str, StringConstraints(pattern=r"^cr-[0-9a-f]{8,17}$")] | None = None
    """ID of the reservation; its zone, type, size and window are read from AWS."""
    expect: Expectation = Expectation()
    """What the reservation should be, to be checked."""
    purchase: Purchase | None = None
    """A block to buy."""
    notification_email: Annotated[str, StringConstraints(pattern=r"^[^@\s]+@[^@\s]+\.[^@\s]+$")] | None = None
    """Address told when the block is delivered and before it ends."""


def confirmation_sentence(purchase: Purchase) -> str:
    """The words that `confirmation` must repeat for this purchase."""
    return (
        f"Buy {purchase.offering_id} for at most {purchase.max_upfront_fee_usd} USD; "
        "I know it cannot be cancelled or refunded."
    )
