"""What is assumed of the account of a stack, where nobody says: the Capacity Blocks that the stack names, and a market of them."""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from eks_accelerators.accelerators.zones import is_zone_id
from eks_accelerators.settings.model import Settings
from eks_accelerators.settings.model.capacity_blocks import CapacityBlockSettings
from eks_accelerators.settings.model.node_groups import AcceleratorNodeGroupSettings
from eks_accelerators.simulator.aws.bounds import in_bounds
from eks_accelerators.simulator.aws.world import next_usual_start
from eks_accelerators.simulator.folder import SimulationError

_ASSUMED_LENGTH = timedelta(days=1)


def assumed_world(
    settings: Settings, now: datetime, account: Mapping[str, Any] | None = None
) -> tuple[dict[str, Any], list[str]]:
    """What the account holds before the first deployment, as `World` reads it, and what of it is assumed.

    ``account`` is what a user's account file says; it goes before what is assumed. Raises `SimulationError` for a block
    whose days are outside of what is simulated.
    """
    world = dict(account or {})
    assumptions = _assume_blocks(world, settings, now)
    enough = []
    if "quotas" not in world:
        enough.append("quotas are large enough")
    if "insufficientCapacity" not in world:
        enough.append("EC2 has capacity in every zone")
    return world, [*assumptions, ", and ".join(enough)] if enough else assumptions


def _assume_blocks(world: dict[str, Any], settings: Settings, now: datetime) -> list[str]:
    known = {block["id"] for block in world.get("capacityReservations", [])}
    offerings = [_offering(block, settings) for block in settings.capacity_blocks.values() if block.purchase]
    reservations = [
        assumed
        for group in settings.node_groups.values()
        for assumed in _reservations(group, settings, now)
        if assumed["id"] not in known
    ]
    said = [
        f"{assumed['id']} is {assumed['instanceCount']} x {assumed['instanceType']} in {assumed['zone']}, "
        f"{assumed['start']} to {assumed['end']}"
        for assumed in reservations
    ]
    if reservations:
        world["capacityReservations"] = [*world.get("capacityReservations", []), *reservations]
    if "capacityBlockOfferings" not in world:
        world["capacityBlockMarket"] = True
        world["capacityBlockOfferings"] = offerings
        said += [f"{offer['id']} is on sale for {offer['upfrontFeeUsd']} USD" for offer in offerings]
    return said


def _reservations(group: AcceleratorNodeGroupSettings, settings: Settings, now: datetime) -> Iterator[dict[str, Any]]:
    """The blocks of a node group; where nothing else is expected, each begins when the one before it ends."""
    free = next_usual_start(now)
    for name in group.blocks:
        block = settings.capacity_blocks.get(name)
        if block and block.reservation_id:
            assumed = _reservation(block, group, settings, free)
            yield assumed
            free = datetime.fromisoformat(assumed["end"])


def _reservation(
    block: CapacityBlockSettings, group: AcceleratorNodeGroupSettings, settings: Settings, free: datetime
) -> dict[str, Any]:
    expect = block.expect
    start = expect.start or (expect.end - _ASSUMED_LENGTH if expect.end else free)
    end = expect.end or start + _ASSUMED_LENGTH
    for moment in (start, end):
        try:
            in_bounds(moment)
        except ValueError as error:
            raise SimulationError(f"{block.reservation_id}: {error}; `expect` of its block says otherwise") from None
    return {
        "id": block.reservation_id,
        "instanceType": expect.instance_type or group.instance_type,
        "instanceCount": expect.instance_count or group.size.max,
        "zone": expect.zone or _zone(group, settings),
        "start": start.isoformat(),
        "end": end.isoformat(),
    }


def _offering(block: CapacityBlockSettings, settings: Settings) -> dict[str, Any]:
    purchase = block.purchase
    assert purchase is not None
    return {
        "id": purchase.offering_id,
        "instanceType": purchase.instance_type,
        "instanceCount": purchase.instance_count,
        "zone": block.expect.zone or _first_zone(settings),
        "start": purchase.start.isoformat(),
        "durationHours": purchase.duration_hours,
        "upfrontFeeUsd": str(purchase.max_upfront_fee_usd),
    }


def _zone(group: AcceleratorNodeGroupSettings, settings: Settings) -> str:
    return group.zones[0] if group.zones else _first_zone(settings)


def _first_zone(settings: Settings) -> str:
    zone = settings.network.zones[0]
    return zone if not is_zone_id(zone) else f"{settings.region}a"
