"""Whether a block suits a node group, before it is paid for: by the same judgement as a reservation at deployment."""

from datetime import datetime

from eks_accelerators.accelerators.capacity_blocks import Reservation, reservation_problems
from eks_accelerators.capacity.blocks.offering import Offering
from eks_accelerators.settings.model import Settings
from eks_accelerators.settings.model.capacity_blocks import CapacityBlockSettings
from eks_accelerators.settings.model.node_groups import AcceleratorNodeGroupSettings


def suits(
    settings: Settings,
    group: AcceleratorNodeGroupSettings,
    block: CapacityBlockSettings | None,
    offering: Offering,
    zone_id: str,
    now: datetime,
) -> list[str]:
    """Why the offering does not suit ``group``, which is to use it under the settings of ``block``. Empty where it does."""
    expect = block.expect if block else None
    stated = {
        "start": expect.start.isoformat() if expect and expect.start else None,
        "end": expect.end.isoformat() if expect and expect.end else None,
        "instance_count": expect.instance_count if expect else None,
        "zone": expect.zone if expect else None,
    }
    problems = reservation_problems(
        Reservation(
            id=offering.id,
            reservation_type="capacity-block",
            state="scheduled",
            instance_type=offering.instance_type,
            instance_count=offering.instance_count,
            zone=offering.zone,
            zone_id=zone_id,
            start=offering.start,
            end=offering.end,
        ),
        instance_type=group.instance_type,
        max_size=group.size.max,
        zones=group.zones or settings.network.zones or (offering.zone,),
        now=now,
        expected=stated,
    )
    return [str(problem) for problem in problems]
