"""Rules about Capacity Blocks that need no answer from AWS."""

from collections.abc import Iterator

from eks_accelerators.accelerators import capacity_blocks as terms
from eks_accelerators.accelerators import instance_types
from eks_accelerators.accelerators.number_of import number_of
from eks_accelerators.accelerators.suggest import closest
from eks_accelerators.accelerators.zones import is_zone_id
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


@rule("capacity-type-not-sold")
def capacity_type_not_sold(context: Context) -> Iterator[RuleFinding]:
    """A group is bought in a way in which EC2 sells its instance type: some are never Spot, some come in Capacity Blocks alone.

    Source: EC2 API `InstanceTypeInfo.supportedUsageClasses`.
    """
    for path, group, kind in context.groups:
        sold = [
            way.value
            for way, is_sold in (
                (CapacityType.ON_DEMAND, kind.sold_on_demand),
                (CapacityType.SPOT, kind.sold_as_spot),
                (CapacityType.CAPACITY_BLOCK, kind.sold_as_capacity_block),
            )
            if is_sold
        ]
        way = group.bought_as
        if way is not CapacityType.CAPACITY_BLOCK and way.value not in sold:  # of blocks: capacity-block-type-not-sold
            words = " or ".join(sold) or "another instance type"
            yield RuleFinding(
                f"{path}.capacityType",
                f"EC2 does not sell {kind.name} so",
                way.value,
                words,
                f"use {words}",
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
                else "add reservationId: cr-..., which `accel blocks buy` writes",
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
                f"after {context.now.date()}",
                "name the next block, or remove the node group",
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
