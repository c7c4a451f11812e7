"""How blocks that are active do: their interconnect, and how many instances they have left."""

from eks_accelerators.capacity.aws_calls import Aws, Call
from eks_accelerators.capacity.aws_calls.call import PascalCase


class _ReservationStatus(PascalCase):
    capacity_reservation_id: str


class BlockStatus(PascalCase):
    """The status of a block as EC2 answers it: instances in all, those free for launches, those that are not usable."""

    capacity_block_id: str
    interconnect_status: str | None = None
    total_capacity: int | None = None
    total_available_capacity: int | None = None
    total_unavailable_capacity: int | None = None
    capacity_reservation_statuses: list[_ReservationStatus] = []

    @property
    def reservations(self) -> tuple[str, ...]:
        """IDs of its reservations."""
        return tuple(each.capacity_reservation_id for each in self.capacity_reservation_statuses)


def statuses(aws: Aws, region: str) -> list[BlockStatus]:
    """The status of every active block in ``region``. Raises `UnansweredError`."""
    call = Call("ec2", "describe_capacity_block_status", region, "CapacityBlockStatuses", list[BlockStatus])
    return aws.ask_anew(call).value
