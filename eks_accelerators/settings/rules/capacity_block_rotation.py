"""Rules about rotation of Capacity Blocks: those of one node group, of which each takes over from the one before."""

from collections.abc import Iterator
from itertools import pairwise

from eks_accelerators.accelerators.zones import is_zone_id
from eks_accelerators.settings.problems import Severity
from eks_accelerators.settings.rules.registry import Context, RuleFinding, rule


@rule("capacity-block-rotation")
def capacity_block_rotation(context: Context) -> Iterator[RuleFinding]:
    """Blocks that take over follow one that is there, each is named once, and each was bought.

    A purchase in the stack file is made at the next deployment, however far its turn is: so it is made with
    `accel blocks buy`, and named by its ID.
    """
    for path, group, _ in context.groups:
        if group.next_capacity_blocks and not group.capacity_block:
            yield RuleFinding(
                f"{path}.nextCapacityBlocks",
                "there is no block to take over from",
                "no capacityBlock",
                "capacityBlock, and those that follow it",
                f"set capacityBlock: {group.next_capacity_blocks[0]}, and leave it out here",
            )
        for index, name in enumerate(group.next_capacity_blocks):
            where = f"{path}.nextCapacityBlocks[{index}]"
            block = context.settings.capacity_blocks.get(name)
            if name in group.blocks[: index + 1] and group.capacity_block:
                yield RuleFinding(where, "a block takes over from itself", name, "each block once", "remove it here")
            if block and block.purchase:
                yield RuleFinding(
                    where,
                    f"{name} is not bought yet, and its turn is later",
                    f"capacityBlocks.{name}.purchase",
                    "a block with reservationId",
                    "buy it with `accel blocks buy`, and name it by its ID",
                )


@rule("capacity-block-overlap")
def capacity_block_overlap(context: Context) -> Iterator[RuleFinding]:
    """Blocks of a group that follow each other are expected in the order of their times, and do not overlap.

    What the reservations say is compared by `accel preflight`.
    """
    for path, group, _ in context.groups:
        expected = [
            context.settings.capacity_blocks[name].expect
            for name in group.blocks
            if name in context.settings.capacity_blocks
        ]
        names = [name for name in group.blocks if name in context.settings.capacity_blocks]
        for index, (before, after) in enumerate(pairwise(expected)):
            end, start = before.end, after.start
            if end and start and end.tzinfo and start.tzinfo and start < end:
                yield RuleFinding(
                    f"{path}.nextCapacityBlocks[{index}]",
                    f"{names[index + 1]} begins before {names[index]} ends",
                    start.isoformat(),
                    f"from {end.isoformat()} on",
                    "put the blocks in the order of their times; two at once are for two node groups",
                )


@rule("capacity-block-rotation-zone", Severity.WARNING)
def capacity_block_rotation_zone(context: Context) -> Iterator[RuleFinding]:
    """Blocks of a group are expected in one zone: the subnets of a node group cannot change, so another zone replaces it.

    Source: EKS API UpdateNodegroupConfig, which has no subnets.
    """
    for path, group, _ in context.groups:
        first = context.settings.capacity_blocks.get(group.capacity_block or "")
        zone = first.expect.zone if first else None
        for index, name in enumerate(group.next_capacity_blocks):
            block = context.settings.capacity_blocks.get(name)
            other = block.expect.zone if block else None
            if zone and other and is_zone_id(zone) == is_zone_id(other) and zone != other:
                yield RuleFinding(
                    f"{path}.nextCapacityBlocks[{index}]",
                    f"{name} is in another zone than {group.capacity_block}: taking over replaces the node group",
                    other,
                    zone,
                    "buy blocks in one zone, or expect a new node group",
                )
