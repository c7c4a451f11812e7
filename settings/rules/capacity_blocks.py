"""Rules about Capacity Blocks that need no answer from AWS."""

from collections.abc import Iterator
from datetime import datetime

from accelerators import capacity_blocks as terms
from accelerators import instance_types
from accelerators.suggest import closest
from accelerators.zones import is_zone_id
from settings.model.capacity_blocks import confirmation_sentence
from settings.model.node_groups import CapacityType
from settings.problems import Severity
from settings.rules.registry import Context, Finding, rule


@rule("capacity-type-exclusive")
def capacity_type_exclusive(context: Context) -> Iterator[Finding]:
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
            yield Finding(
                f"{path}.capacityType",
                f"spot excludes {' and '.join(named)}",
                "spot",
                "spot, or capacityBlock, or onDemand with capacityReservationId",
                f"remove {' and '.join(named)}, or capacityType",
            )
        elif group.capacity_type is CapacityType.ON_DEMAND and group.capacity_block:
            yield Finding(
                f"{path}.capacityType",
                "onDemand excludes capacityBlock",
                "onDemand",
                "capacityBlock",
                "remove capacityType",
            )
        elif len(named) == 2:
            yield Finding(
                f"{path}.capacityReservationId",
                "a Capacity Block excludes an on-demand reservation",
                str(group.capacity_reservation_id),
                "one of the two",
                "remove one of the two",
            )


@rule("capacity-block-not-named")
def capacity_block_not_named(context: Context) -> Iterator[Finding]:
    """A group bought as a Capacity Block names one of `capacityBlocks`.

    EKS refuses CAPACITY_BLOCK without the market type, the reservation's ID and one instance type in
    the launch template (EKS user guide `capacity-blocks-mng`); all three follow from the block named.
    """
    known = list(context.settings.capacity_blocks)
    for path, group, _ in context.groups:
        name = group.capacity_block
        if group.capacity_type is CapacityType.CAPACITY_BLOCK and name is None:
            yield Finding(
                f"{path}.capacityBlock",
                "CAPACITY_BLOCK needs a reservation",
                "no capacityBlock",
                ", ".join(known) or "an entry of capacityBlocks",
                "name one of capacityBlocks",
            )
        elif name is not None and name not in context.settings.capacity_blocks:
            guess = closest(name, known)
            yield Finding(
                f"{path}.capacityBlock",
                f"there is no Capacity Block called {name}",
                name,
                ", ".join(known) or "none is defined",
                f"did you mean {guess}?" if guess else f"add capacityBlocks.{name}.reservationId",
            )


@rule("capacity-block-one-source")
def capacity_block_one_source(context: Context) -> Iterator[Finding]:
    """A Capacity Block has either the ID of a reservation or a purchase."""
    for name, block in context.settings.capacity_blocks.items():
        if (block.reservation_id is None) == (block.purchase is None):
            yield Finding(
                f"capacityBlocks.{name}",
                "a Capacity Block has either reservationId or purchase",
                "both" if block.purchase else "neither",
                "one of the two",
                "after a purchase, write the reservation's ID and remove purchase"
                if block.purchase
                else "add reservationId: cr-...",
            )


@rule("capacity-block-shared")
def capacity_block_shared(context: Context) -> Iterator[Finding]:
    """One node group uses a Capacity Block: two groups would each count on all of it."""
    users: dict[str, str] = {}
    for path, group, _ in context.groups:
        if group.capacity_block and users.setdefault(group.capacity_block, path) != path:
            yield Finding(
                f"{path}.capacityBlock",
                f"{users[group.capacity_block]} uses this Capacity Block already",
                group.capacity_block,
                "a block of its own",
                "join the two groups, or name another block",
            )


@rule("capacity-block-type-not-sold")
def capacity_block_type_not_sold(context: Context) -> Iterator[Finding]:
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
            yield Finding(
                path,
                f"{kind.name} is not sold as Capacity Blocks",
                kind.name,
                ", ".join(terms.sold_types()),
                "use one of these types, or buy on demand",
            )


@rule("capacity-block-type-differs")
def capacity_block_type_differs(context: Context) -> Iterator[Finding]:
    """What a block is expected to hold, or is bought as, is what its node group asks for.

    Whether the reservation itself holds it is checked at deployment, where AWS can be asked.
    """
    for path, group, kind in context.groups:
        block = context.settings.capacity_blocks.get(group.capacity_block or "")
        if block is None:
            continue
        source = "purchase" if block.purchase else "expect"
        stated = block.purchase or block.expect
        if stated.instance_type and stated.instance_type != kind.name:
            yield Finding(
                f"{path}.instanceType",
                f"the Capacity Block {group.capacity_block} holds {stated.instance_type}; the node group asks for {kind.name}",
                kind.name,
                stated.instance_type,
                f"change one of the two (capacityBlocks.{group.capacity_block}.{source}.instanceType)",
            )
        if stated.instance_count and group.size.max > stated.instance_count:
            yield Finding(
                f"{path}.size.max",
                f"{group.size.max} nodes exceed the {stated.instance_count} instances of {group.capacity_block}",
                str(group.size.max),
                f"at most {stated.instance_count}",
                f"set size.max: {stated.instance_count}",
            )


@rule("capacity-block-zone")
def capacity_block_zone(context: Context) -> Iterator[Finding]:
    """A zone that is written for a Capacity Block is one of the network's.

    Zone names and zone IDs cannot be compared without AWS; the deployment compares what the reservation says.
    """
    zones = context.settings.network.zones
    for name, block in context.settings.capacity_blocks.items():
        zone = block.expect.zone
        comparable = zone and zones and is_zone_id(zone) == is_zone_id(zones[0])
        if zone and comparable and zone not in zones:
            yield Finding(
                f"capacityBlocks.{name}.expect.zone",
                f"the network has no subnet in {zone}",
                zone,
                ", ".join(zones),
                f"add {zone} to the network's zones",
            )


@rule("capacity-block-duration")
def capacity_block_duration(context: Context) -> Iterator[Finding]:
    """Blocks last 1 to 14 days, or whole weeks from 3 to 26.

    Source: EC2 User Guide `capacity-blocks-purchase`.
    """
    for path, hours in _durations(context):
        if not terms.duration_allowed(hours):
            yield Finding(
                path,
                f"no Capacity Block lasts {hours} hours",
                str(hours),
                terms.DURATION_RULE,
                "use 24 x days (1 to 14) or 168 x weeks (3 to 26)",
            )


@rule("capacity-block-start")
def capacity_block_start(context: Context) -> Iterator[Finding]:
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
            yield Finding(
                f"capacityBlocks.{name}.purchase.start",
                "Capacity Blocks start at most 8 weeks ahead, and not in the past",
                block.purchase.start.isoformat(),
                f"{_day(context.now)} to {_day(latest)}",
                "choose a current offering; a block that was bought is named by reservationId",
            )


@rule("capacity-block-time-zone")
def capacity_block_time_zone(context: Context) -> Iterator[Finding]:
    """Times of a block name their time zone; AWS answers in UTC."""
    for name, block in context.settings.capacity_blocks.items():
        times = {"expect.start": block.expect.start, "expect.end": block.expect.end}
        if block.purchase:
            times["purchase.start"] = block.purchase.start
        for key, value in times.items():
            if value and value.tzinfo is None:
                yield Finding(
                    f"capacityBlocks.{name}.{key}",
                    "the time has no time zone",
                    value.isoformat(),
                    "a time in UTC",
                    f"write {value.isoformat()}Z",
                )


@rule("capacity-block-expired")
def capacity_block_expired(context: Context) -> Iterator[Finding]:
    """A block that is expected to have ended serves no node group.

    Source: EKS user guide `capacity-blocks-mng`: EKS drains 40 minutes before the end.
    """
    for name, block in context.settings.capacity_blocks.items():
        end = block.expect.end
        if end and end.tzinfo and end - context.now <= terms.DRAIN_BEFORE_END:
            yield Finding(
                f"capacityBlocks.{name}.expect.end",
                f"the Capacity Block ended, or drains 40 minutes before {end.isoformat()}",
                end.isoformat(),
                f"after {_day(context.now)}",
                "name the next block, or remove the node group",
            )


@rule("capacity-block-size")
def capacity_block_size(context: Context) -> Iterator[Finding]:
    """A Capacity Block holds 1 to 64 instances.

    Source: EC2 User Guide `capacity-blocks-how`.
    """
    for path, count in _sizes(context):
        if not 1 <= count <= terms.MAXIMUM_INSTANCES:
            yield Finding(
                path,
                f"a Capacity Block holds at most {terms.MAXIMUM_INSTANCES} instances",
                str(count),
                f"1 to {terms.MAXIMUM_INSTANCES}",
                "split it over several blocks and node groups",
            )


@rule("capacity-block-unusual-size", Severity.WARNING)
def capacity_block_unusual_size(context: Context) -> Iterator[Finding]:
    """Sizes other than 1, 2, 4, 8, 16, 32 and 64 were not sold in the past.

    Source: an older edition of the EC2 User Guide; the current one names only the maximum.
    """
    for path, count in _sizes(context):
        if 1 <= count <= terms.MAXIMUM_INSTANCES and count not in terms.USUAL_INSTANCE_COUNTS:
            yield Finding(
                path,
                f"blocks of {count} instances may not be offered",
                str(count),
                ", ".join(map(str, terms.USUAL_INSTANCE_COUNTS)),
                "check the offering",
            )


@rule("capacity-block-desired-at-creation")
def capacity_block_desired_at_creation(context: Context) -> Iterator[Finding]:
    """A group on a Capacity Block starts with no node; a scheduled action scales it up at the start.

    Source: EKS user guide `capacity-blocks-mng`: other sizes end in launch errors until the block is active.
    """
    for path, group, _ in context.groups:
        if group.bought_as is CapacityType.CAPACITY_BLOCK:
            for key, count in (("min", group.size.min), ("desired", group.size.desired)):
                if count:
                    yield Finding(
                        f"{path}.size.{key}",
                        "launches fail until the Capacity Block starts",
                        str(count),
                        "0",
                        f"set size.{key}: 0; the group scales to size.max when the block starts",
                    )


@rule("capacity-block-confirmation")
def capacity_block_confirmation(context: Context) -> Iterator[Finding]:
    """A purchase is confirmed by a sentence that names the offering and the price ceiling, word for word."""
    for name, block in context.settings.capacity_blocks.items():
        if block.purchase and block.purchase.confirmation != confirmation_sentence(block.purchase):
            sentence = confirmation_sentence(block.purchase)
            yield Finding(
                f"capacityBlocks.{name}.purchase.confirmation",
                "the purchase is not confirmed",
                block.purchase.confirmation or "nothing",
                sentence,
                f"if you mean it, write confirmation: {sentence!r}",
            )


@rule("capacity-block-unused", Severity.WARNING)
def capacity_block_unused(context: Context) -> Iterator[Finding]:
    """A Capacity Block that is paid for is used by a node group."""
    used = {group.capacity_block for group in context.settings.node_groups.values()}
    for name in context.settings.capacity_blocks:
        if name not in used:
            yield Finding(
                f"capacityBlocks.{name}",
                "no node group uses this Capacity Block",
                name,
                "a node group with capacityBlock",
                f"set capacityBlock: {name} on a node group, or remove it",
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
