"""What is in the simulated account from the beginning, as a user may write it in an account file."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, ConfigDict, Field, StringConstraints

from eks_accelerators.settings.model.base import Model
from eks_accelerators.simulator.aws.model import CapacityBlockRecord, OfferingRecord, State

_InstanceType = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]*\.[a-z0-9-]+$")]


class _Shape(Model):
    model_config = ConfigDict(strict=False)


class ReservationOfAccount(_Shape):
    """A Capacity Block that was bought."""

    id: Annotated[str, StringConstraints(pattern=r"^cr-[0-9a-f]{8,17}$")]
    instance_type: _InstanceType
    instance_count: Annotated[int, Field(ge=1, le=64)]
    zone: str
    """Zone by name, such as `us-east-2a`."""
    start: AwareDatetime
    end: AwareDatetime
    state: Literal["payment-pending", "payment-failed", "cancelled", "failed"] | None = None
    """A state that does not follow from the clock."""


class ForSale(_Shape):
    """A Capacity Block that can be bought."""

    id: Annotated[str, StringConstraints(pattern=r"^cbr?-?[0-9a-zA-Z-]{8,}$")]
    instance_type: _InstanceType
    instance_count: Annotated[int, Field(ge=1, le=64)]
    zone: str
    start: AwareDatetime
    duration_hours: Annotated[int, Field(ge=1, le=24 * 365)]
    upfront_fee_usd: Annotated[str, StringConstraints(pattern=r"^\d+(\.\d+)?$")]


class Shortage(_Shape):
    """An instance type of which EC2 has no capacity, in one zone or in all."""

    instance_type: _InstanceType
    zone: str | None = None


class ExistingCluster(_Shape):
    """An EKS cluster that somebody made before, with a VPC of its own."""

    name: str
    kubernetes_version: Annotated[str, StringConstraints(pattern=r"^1\.\d{2}$")]
    zones: Annotated[list[str], Field(min_length=2)]
    system_instance_type: str = "m7i.large"


class World(_Shape):
    """The account before the first deployment."""

    now: AwareDatetime | None = None
    """Where the clock stands; by default the present."""
    quotas: dict[str, Annotated[int, Field(ge=0)]] = {}
    """vCPUs by quota code; a code that is left out is not limited."""
    capacity_reservations: list[ReservationOfAccount] = []
    capacity_block_offerings: list[ForSale] = []
    capacity_block_market: bool = False
    """Whether made-up Capacity Blocks are on sale beside those."""
    insufficient_capacity: list[Shortage] = []
    cluster: ExistingCluster | None = None
    kube_contexts: list[str] = []
    """Contexts of one's kubeconfig that lead to the simulated cluster."""


class _Change(World):
    sufficient_capacity: list[Shortage] = []
    """Shortages that are over: of several alike, each ends one."""


def put(state: State, world: Mapping[str, Any], zone: Callable[[str], tuple[str, str]]) -> None:
    """Put ``world``, in the shape of `World` with its camelCase keys, into the account.

    Of an account that is there it may also end shortages, by the key `sufficientCapacity`. ``zone`` gives the name and the
    ID of a zone that has either.
    """
    parsed = _Change.model_validate(world)
    written = [block.zone for block in parsed.capacity_reservations]
    written += [offer.zone for offer in parsed.capacity_block_offerings]
    zones = {each: zone(each) for each in written}
    state.contexts += parsed.kube_contexts
    state.market = parsed.capacity_block_market
    state.quotas.update(parsed.quotas)
    for over in parsed.sufficient_capacity:
        if (over.instance_type, over.zone) in state.without_capacity:
            state.without_capacity.remove((over.instance_type, over.zone))
    state.without_capacity += [(shortage.instance_type, shortage.zone) for shortage in parsed.insufficient_capacity]
    for block in parsed.capacity_reservations:
        state.blocks[block.id] = CapacityBlockRecord(
            id=block.id,
            instance_type=block.instance_type,
            instance_count=block.instance_count,
            zone=zones[block.zone][0],
            zone_id=zones[block.zone][1],
            start=block.start.astimezone(UTC),
            end=block.end.astimezone(UTC),
            state=block.state,
        )
    for offer in parsed.capacity_block_offerings:
        state.offerings[offer.id] = OfferingRecord(
            id=offer.id,
            instance_type=offer.instance_type,
            instance_count=offer.instance_count,
            zone=zones[offer.zone][0],
            start=offer.start.astimezone(UTC),
            duration_hours=offer.duration_hours,
            upfront_fee_usd=offer.upfront_fee_usd,
        )


def next_usual_start(now: datetime) -> datetime:
    """The next 11:30 UTC at least a day ahead: Capacity Blocks end, and so follow each other, at that time.

    Source: EC2 User Guide `capacity-blocks-how`, read 2026-11-20.
    """
    day = now.astimezone(UTC) + timedelta(days=1)
    start = day.replace(hour=11, minute=30, second=0, microsecond=0)
    return start if start >= day else start + timedelta(days=1)
