"""Capacity reservations of the account, Capacity Blocks among them."""

from collections.abc import Mapping
from datetime import datetime

from pydantic import AliasChoices, Field

from eks_accelerators.accelerators.capacity_blocks import Reservation
from eks_accelerators.capacity.aws_calls import Call
from eks_accelerators.capacity.aws_calls.call import PascalCase


class TagAnswer(PascalCase):
    """A tag of a reservation, in an answer of EC2."""

    key: str
    value: str


class Reserved(PascalCase):
    """A capacity reservation as EC2 describes it. One on demand begins when it is created, and need not end."""

    capacity_reservation_id: str
    instance_type: str
    availability_zone: str
    availability_zone_id: str = ""
    state: str
    reservation_type: str = "default"
    total_instance_count: int | None = None
    available_instance_count: int | None = None
    start: datetime = Field(validation_alias=AliasChoices("StartDate", "CreateDate"))
    end: datetime | None = Field(None, validation_alias="EndDate")
    tags: list[TagAnswer] = []

    @property
    def labels(self) -> Mapping[str, str]:
        """Values of the tags by key."""
        return {tag.key: tag.value for tag in self.tags}

    @property
    def size(self) -> int | None:
        """Number of instances, also of a block that has not begun; None where AWS does not say."""
        return Reservation.size(self.total_instance_count, self.labels)

    def lies_in(self, zones: set[str]) -> bool:
        """Whether one of ``zones``, by name or by ID, is its zone."""
        return bool({self.availability_zone, self.availability_zone_id} & zones)


def every_reservation(region: str) -> Call[list[Reserved]]:
    """All reservations of the account: asked by ID, one that is not there would have the whole call refused."""
    return Call("ec2", "describe_capacity_reservations", region, "CapacityReservations", list[Reserved])
