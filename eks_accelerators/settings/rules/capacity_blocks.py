"""Rules about Capacity Blocks that need no answer from AWS."""

from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise

from eks_accelerators.accelerators import capacity_blocks as terms
from eks_accelerators.accelerators import instance_types
from eks_accelerators.accelerators.number_of import number_of
from eks_accelerators.accelerators.suggest import closest
from eks_accelerators.accelerators.zones import is_zone_id
from eks_accelerators.settings.model.capacity_blocks import confirmation_sentence
from eks_accelerators.settings.model.node_groups import CapacityType
from eks_accelerators.settings.problems import Severity
from eks_accelerators.settings.rules.registry import Context, RuleFinding, rule


@rule("capacity-type-exclusive")
def capacity_type_exclusive(context: Context) -> Iterator[RuleFinding]:
    """Nodes are bought in one way: Spot, on demand (with or without a reservation), or a Capacity Block.

    Source: EKS API `capacityType`; EC2 launch template market options.
    """
    for path, group, _ in context.groups:
        named = [
            key
            for key, value in (
                ("capacityBlock", group.capacity_block),
                ("capacityReservationId", group.capacity_reservation_id),
            )
            if value
        ]
        if group.bought_as is CapacityType.SPOT and named:
            yield RuleFinding(
                f"{path}.capacityType",
                f"spot excludes {' and '.join(named)}",
                "spot",
                "spot, or capacityBlock, or onDemand with capacityReservationId",
                f"remove {' and '.join(named)}, or capacityType",
            )
        elif group.capacity_type is CapacityType.ON_DEMAND and group.capacity_block:
            yield RuleFinding(
                f"{path}.capacityType",
                "onDemand excludes capacityBlock",
                "onDemand",
                "capacityBlock",
                "remove capacityType",
            )
        elif len(named) == 2:
            yield RuleFinding(
                f"{path}.capacityReservationId",
                "a Capacity Block excludes an on-demand reservation",
                str(group.capacity_reservation_id),
                "one of the two",
                "remove one of the two",
            )


@rule("capacity-block-not-named")
def capacity_block_not_named(context: Context) -> Iterator[RuleFinding]:
    """A group bought as a Capacity Block names one of `capacityBlocks`.

    EKS refuses CAPACITY_BLOCK without the market type, the reservation's ID and one instance type in
    the launch template (EKS user guide `capacity-blocks-mng`); all three follow from the block named.
    """
    known = list(context.settings.capacity_blocks)
    for path, group, _ in context.groups:
        name = group.capacity_block
        if group.capacity_type is CapacityType.CAPACITY_BLOCK and name is None:
            yield RuleFinding(
                f"{path}.capacityBlock",
                "CAPACITY_BLOCK needs a reservation",
                "no capacityBlock",
                ", ".join(known) or "an entry of capacityBlocks",
                "name one of capacityBlocks",
            )
        named = [(f"{path}.capacityBlock", name)] if name else []
        named += [(f"{path}.nextCapacityBlocks[{i}]", each) for i, each in enumerate(group.next_capacity_blocks)]
        for where, each in named:
            if each not in context.settings.capacity_blocks:
                guess = closest(each, known)
                yield RuleFinding(
                    where,
                    f"there is no Capacity Block called {each}",
                    each,
                    ", ".join(known) or "none is defined",
                    f"did you mean {guess}?" if guess else f"add capacityBlocks.{each}.reservationId",
                )


@rule("capacity-block-one-source")
def capacity_block_one_source(context: Context) -> Iterator[RuleFinding]:
    """A Capacity Block has either the ID of a reservation or a purchase."""
    for name, block in context.settings.capacity_blocks.items():
        if (block.reservation_id is None) == (block.purchase is None):
            yield RuleFinding(
                f"capacityBlocks.{name}",
                "a Capacity Block has either reservationId or purchase",
                "both" if block.purchase else "neither",
                "one of the two",
                "after a purchase, write the reservation's ID and remove purchase"
                if block.purchase
                else "add reservationId: cr-...",
            )


@rule("capacity-block-shared")
def capacity_block_shared(context: Context) -> Iterator[RuleFinding]:
    """One node group uses a Capacity Block: two groups would each count on all of it."""
    users: dict[str, str] = {}
    for path, group, _ in context.groups:
        for block in dict.fromkeys(group.blocks):
            if users.setdefault(block, path) != path:
                key = "capacityBlock" if block == group.capacity_block else "nextCapacityBlocks"
                yield RuleFinding(
                    f"{path}.{key}",
                    f"{users[block]} uses the Capacity Block {block} already",
                    block,
                    "a block of its own",
                    "join the two groups, or name another block",
                )


@rule("capacity-block-type-not-sold")
def capacity_block_type_not_sold(context: Context) -> Iterator[RuleFinding]:
    """The instance type is sold as Capacity Blocks.

    Source: `SupportedUsageClasses` of DescribeInstanceTypes.
    """
    wanted = [
        (f"{path}.instanceType", kind)
        for path, group, kind in context.groups
        if group.bought_as is CapacityType.CAPACITY_BLOCK
    ]
    for name, block in context.settings.capacity_blocks.items():
        if block.purchase and (kind := instance_types.find(block.purchase.instance_type)):
            wanted.append((f"capacityBlocks.{name}.purchase.instanceType", kind))
    for path, kind in wanted:
        if not kind.sold_as_capacity_block:
            yield RuleFinding(
                path,
                f"{kind.name} is not sold as Capacity Blocks",
                kind.name,
                ", ".join(terms.sold_types()),
                "use one of these types, or buy on demand",
            )


@rule("capacity-block-type-differs")
def capacity_block_type_differs(context: Context) -> Iterator[RuleFinding]:
    """What a block is expected to hold, or is bought as, is what its node group asks for.

    Whether the reservation itself holds it is checked at deployment, where AWS can be asked.
    """
    for path, group, kind in context.groups:
        for name in dict.fromkeys(group.blocks):
            block = context.settings.capacity_blocks.get(name)
            if block is None:
                continue
            source = "purchase" if block.purchase else "expect"
            stated = block.purchase or block.expect
            if stated.instance_type and stated.instance_type != kind.name:
                yield RuleFinding(
                    f"{path}.instanceType",
                    f"the Capacity Block {name} holds {stated.instance_type}; the node group asks for {kind.name}",
                    kind.name,
                    stated.instance_type,
                    f"change one of the two (capacityBlocks.{name}.{source}.instanceType)",
                )
            if stated.instance_count and group.size.max > stated.instance_count:
                yield RuleFinding(
                    f"{path}.size.max",
                    f"{group.size.max} nodes exceed the {number_of(stated.instance_count, 'instance')} of {name}",
                    str(group.size.max),
                    f"at most {stated.instance_count}",
                    f"set size.max: {stated.instance_count}",
                )


@rule("capacity-block-zone")
def capacity_block_zone(context: Context) -> Iterator[RuleFinding]:
    """A zone that is written for a Capacity Block is one of the network's.

    Zone names and zone IDs cannot be compared without AWS; the deployment compares what the reservation says.
    """
    zones = context.settings.network.zones
    for name, block in context.settings.capacity_blocks.items():
        zone = block.expect.zone
        comparable = zone and zones and is_zone_id(zone) == is_zone_id(zones[0])
        if zone and comparable and zone not in zones:
            yield RuleFinding(
                f"capacityBlocks.{name}.expect.zone",
                f"the network has no subnet in {zone}",
                zone,
                ", ".join(zones),
                f"add {zone} to the network's zones",
            )


@rule("capacity-block-duration")
def capacity_block_duration(context: Context) -> Iterator[RuleFinding]:
    """Blocks last 1 to 14 days, or whole weeks from 3 to 26.

    Source: EC2 User Guide `capacity-blocks-purchase`.
    """
    for path, hours in _durations(context):
        if not terms.duration_allowed(hours):
            yield RuleFinding(
                path,
                f"no Capacity Block lasts {hours} hours",
                str(hours),
                terms.DURATION_RULE,
                "use 24 x days (1 to 14) or 168 x weeks (3 to 26)",
            )


@rule("capacity-block-start")
def capacity_block_start(context: Context) -> Iterator[RuleFinding]:
    """A purchase starts between now and eight weeks from now.

    Source: EC2 User Guide `capacity-blocks-purchase`.
    """
    for name, block in context.settings.capacity_blocks.items():
        if (
            block.purchase
            and block.purchase.start.tzinfo
            and not terms.start_allowed(block.purchase.start, context.now)
        ):
            latest = context.now + terms.LATEST_LEAD
            yield RuleFinding(
                f"capacityBlocks.{name}.purchase.start",
                "Capacity Blocks start at most 8 weeks ahead, and not in the past",
                block.purchase.start.isoformat(),
                f"{_day(context.now)} to {_day(latest)}",
                "choose a current offering; a block that was bought is named by reservationId",
            )


@rule("capacity-block-time-zone")
def capacity_block_time_zone(context: Context) -> Iterator[RuleFinding]:
    """Times of a block name their time zone; AWS answers in UTC."""
    for name, block in context.settings.capacity_blocks.items():
        times = {"expect.start": block.expect.start, "expect.end": block.expect.end}
        if block.purchase:
            times["purchase.start"] = block.purchase.start
        for key, value in times.items():
            if value and value.tzinfo is None:
                yield RuleFinding(
                    f"capacityBlocks.{name}.{key}",
                    "the time has no time zone",
                    value.isoformat(),
                    "a time in UTC",
                    f"write {value.isoformat()}Z",
                )


@rule("capacity-block-expired")
def capacity_block_expired(context: Context) -> Iterator[RuleFinding]:
    """A block that is expected to have ended serves no node group, unless another takes over from it.

    Source: EKS user guide `capacity-blocks-mng`: EKS drains 40 minutes before the end.
    """
    succeeded = {name for group in context.settings.node_groups.values() for name in group.blocks[:-1]}
    for name, block in context.settings.capacity_blocks.items():
        end = block.expect.end
        if name not in succeeded and end and end.tzinfo and end - context.now <= terms.DRAIN_BEFORE_END:
            yield RuleFinding(
                f"capacityBlocks.{name}.expect.end",
                f"the Capacity Block ended, or drains 40 minutes before {end.isoformat()}",
                end.isoformat(),
                f"after {_day(context.now)}",
                "name the next block, or remove the node group",
            )


@rule("capacity-block-size")
def capacity_block_size(context: Context) -> Iterator[RuleFinding]:
    """A Capacity Block holds 1 to 64 instances.

    Source: EC2 User Guide `capacity-blocks-how`.
    """
    for path, count in _sizes(context):
        if not 1 <= count <= terms.MAXIMUM_INSTANCES:
            yield RuleFinding(
                path,
                f"a Capacity Block holds at most {terms.MAXIMUM_INSTANCES} instances",
                str(count),
                f"1 to {terms.MAXIMUM_INSTANCES}",
                "split it over several blocks and node groups",
            )


@rule("capacity-block-unusual-size", Severity.WARNING)
def capacity_block_unusual_size(context: Context) -> Iterator[RuleFinding]:
    """Sizes other than 1, 2, 4, 8, 16, 32 and 64 were not sold in the past.

    Source: an older edition of the EC2 User Guide; the current one names only the maximum.
    """
    for path, count in _sizes(context):
        if 1 <= count <= terms.MAXIMUM_INSTANCES and count not in terms.USUAL_INSTANCE_COUNTS:
            yield RuleFinding(
                path,
                f"blocks of {number_of(count, 'instance')} may not be offered",
                str(count),
                ", ".join(map(str, terms.USUAL_INSTANCE_COUNTS)),
                "check the offering",
            )


@rule("capacity-block-desired-at-creation")
def capacity_block_desired_at_creation(context: Context) -> Iterator[RuleFinding]:
    """A group on a Capacity Block starts with no node; a scheduled action scales it up at the start.

    Source: EKS user guide `capacity-blocks-mng`: other sizes end in launch errors until the block is active.
    """
    for path, group, _ in context.groups:
        if group.bought_as is CapacityType.CAPACITY_BLOCK:
            for key, count in (("min", group.size.min), ("desired", group.size.desired)):
                if count:
                    yield RuleFinding(
                        f"{path}.size.{key}",
                        "launches fail until the Capacity Block starts",
                        str(count),
                        "0",
                        f"set size.{key}: 0; the group scales to size.max when the block starts",
                    )


@rule("capacity-block-confirmation")
def capacity_block_confirmation(context: Context) -> Iterator[RuleFinding]:
    """A purchase is confirmed by a sentence that names the offering and the price ceiling, word for word."""
    for name, block in context.settings.capacity_blocks.items():
        if block.purchase and block.purchase.confirmation != confirmation_sentence(block.purchase):
            sentence = confirmation_sentence(block.purchase)
            yield RuleFinding(
                f"capacityBlocks.{name}.purchase.confirmation",
                "the purchase is not confirmed",
                block.purchase.confirmation or "nothing",
                sentence,
                f"if you mean it, write confirmation: {sentence!r}",
            )


@rule("capacity-block-unused", Severity.WARNING)
def capacity_block_unused(context: Context) -> Iterator[RuleFinding]:
    """A Capacity Block that is paid for is used by a node group."""
    used = {name for group in context.settings.node_groups.values() for name in group.blocks}
    for name in context.settings.capacity_blocks:
        if name not in used:
            yield RuleFinding(
                f"capacityBlocks.{name}",
                "no node group uses this Capacity Block",
                name,
                "a node group with capacityBlock",
                f"set capacityBlock: {name} on a node group, or remove it",
            )


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


def _durations(context: Context) -> Iterator[tuple[str, int]]:
    for name, block in context.settings.capacity_blocks.items():
        if block.purchase:
            yield f"capacityBlocks.{name}.purchase.durationHours", block.purchase.duration_hours


def _sizes(context: Context) -> Iterator[tuple[str, int]]:
    for name, block in context.settings.capacity_blocks.items():
        if block.purchase:
            yield f"capacityBlocks.{name}.purchase.instanceCount", block.purchase.instance_count
        if block.expect.instance_count:
            yield f"capacityBlocks.{name}.expect.instanceCount", block.expect.instance_count


def _day(time: datetime) -> str:
    return time.date().isoformat()
