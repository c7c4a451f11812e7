"""Rules about Elastic Fabric Adapter and placement."""

from collections.abc import Iterator

from eks_accelerators.accelerators import instance_types
from eks_accelerators.accelerators.efa import Interface, InterfaceType, smallest_with_efa
from eks_accelerators.settings.model.node_groups import AcceleratorNodeGroupSettings, CapacityType, PlacementGroupChoice
from eks_accelerators.settings.problems import Severity
from eks_accelerators.settings.rules.registry import Context, RuleFinding, rule


@rule("efa-not-supported")
def efa_not_supported(context: Context) -> Iterator[RuleFinding]:
    """EFA is on only where the instance type takes it, and where its cards are known.

    Source: `EfaSupported` of DescribeInstanceTypes.
    """
    for path, group, kind in context.groups:
        if not group.efa.enabled:
            continue
        if not kind.network.supports_efa:
            larger = smallest_with_efa(kind.family, instance_types.every())
            yield RuleFinding(
                f"{path}.efa.enabled",
                f"{kind.name} has no EFA",
                "true",
                "false",
                f"use {larger.name}, the smallest {kind.family} with EFA, or turn EFA off"
                if larger
                else "turn EFA off",
            )
        elif kind.network.efa_cards is None and group.efa.interfaces is None:
            yield RuleFinding(
                f"{path}.efa.enabled",
                f"the EFA cards of {kind.name} are not known",
                "true",
                "efa.interfaces written out",
                "write the layout that AWS gave you under efa.interfaces",
            )


@rule("efa-ignored")
def efa_ignored(context: Context) -> Iterator[RuleFinding]:
    """A layout of one's own is written only where EFA is on."""
    for path, group, _ in context.groups:
        if group.efa.interfaces is not None and not group.efa.enabled:
            yield RuleFinding(
                f"{path}.efa.interfaces",
                "the layout does nothing while EFA is off",
                "enabled: false",
                "enabled: true",
                "set efa.enabled: true, or remove the layout",
            )


@rule("efa-too-many")
def efa_too_many(context: Context) -> Iterator[RuleFinding]:
    """A layout of one's own has no more EFA interfaces than the type takes.

    Source: `MaximumEfaInterfaces` of DescribeInstanceTypes.
    """
    for path, interfaces, kind in _own_layouts(context):
        limit, count = kind.network.max_efa_interfaces, sum(i.type.is_efa for i in interfaces)
        if limit is not None and count > limit:
            yield RuleFinding(
                f"{path}.efa.interfaces",
                f"{kind.name} takes {limit} EFA interfaces and {count} are configured",
                str(count),
                f"at most {limit}",
                f"remove {count - limit}, or leave efa.interfaces out",
            )


@rule("efa-card-without-efa")
def efa_card_without_efa(context: Context) -> Iterator[RuleFinding]:
    """EFA interfaces are on cards that take them; card 0 of p6-b300 is ENA only.

    Source: `InterfaceTypes` of each network card in DescribeInstanceTypes.
    """
    for path, interfaces, kind in _own_layouts(context):
        for index, interface in enumerate(interfaces):
            cards = kind.network.efa_cards
            if interface.card >= kind.network.card_count:
                yield RuleFinding(
                    f"{path}.efa.interfaces[{index}].card",
                    f"{kind.name} has no network card {interface.card}",
                    str(interface.card),
                    f"0 to {kind.network.card_count - 1}",
                    "use a card that the type has",
                )
            elif interface.type.is_efa and cards is not None and interface.card not in cards:
                yield RuleFinding(
                    f"{path}.efa.interfaces[{index}].card",
                    f"network card {interface.card} of {kind.name} has no EFA",
                    str(interface.card),
                    f"{cards[0]} to {cards[-1]}" if cards else "none",
                    "put `interface` on this card",
                )


@rule("efa-duplicate")
def efa_duplicate(context: Context) -> Iterator[RuleFinding]:
    """One EFA device on a card, and no (card, device) pair twice.

    Source: EC2 User Guide, EFA interfaces and network cards.
    """
    for path, interfaces, _ in _own_layouts(context):
        pairs: set[tuple[int, int]] = set()
        with_efa: set[int] = set()
        for index, interface in enumerate(interfaces):
            here = f"{path}.efa.interfaces[{index}]"
            if (interface.card, interface.device) in pairs:
                yield RuleFinding(
                    here,
                    f"card {interface.card}, device {interface.device} is given twice",
                    f"card {interface.card}, device {interface.device}",
                    "each pair once",
                    "change the device index",
                )
            if interface.type.is_efa and interface.card in with_efa:
                yield RuleFinding(
                    f"{here}.card",
                    f"network card {interface.card} has two EFA interfaces",
                    str(interface.card),
                    "one EFA interface a card",
                    "move it to another card",
                )
            pairs.add((interface.card, interface.device))
            if interface.type.is_efa:
                with_efa.add(interface.card)


@rule("efa-primary-interface")
def efa_primary_interface(context: Context) -> Iterator[RuleFinding]:
    """The primary interface, card 0 and device 0, is there and carries IP: never `efa-only`.

    Source: EC2 User Guide `efa-acc-inst-types`.
    """
    for path, interfaces, _ in _own_layouts(context):
        primary = next((i for i in interfaces if i.card == 0 and i.device == 0), None)
        if primary is None or primary.type is InterfaceType.EFA_ONLY:
            yield RuleFinding(
                f"{path}.efa.interfaces",
                "the primary interface cannot be efa-only or absent",
                primary.type.value if primary else "no card 0, device 0",
                "interface or efa",
                "add {card: 0, device: 0, type: interface}",
            )


@rule("placement-group-several-zones")
def placement_group_several_zones(context: Context) -> Iterator[RuleFinding]:
    """A cluster placement group has one zone.

    Source: EC2 User Guide, cluster placement groups.
    """
    for name, group in context.resolved.items():
        if group.settings.placement_group is PlacementGroupChoice.CLUSTER and len(group.zones) > 1:
            yield RuleFinding(
                f"nodeGroups.{name}.placementGroup",
                f"a cluster placement group lies in one zone; the group has {', '.join(group.zones)}",
                "cluster",
                "one zone",
                f"set zones: [{group.zones[0]}]",
            )


@rule("efa-several-zones")
def efa_several_zones(context: Context) -> Iterator[RuleFinding]:
    """A node group with EFA lies in one zone: EFA traffic does not cross zones.

    Source: EC2 User Guide, EFA limitations.
    """
    for name, group in context.resolved.items():
        if group.settings.efa.enabled and len(group.zones) > 1:
            yield RuleFinding(
                f"nodeGroups.{name}.zones",
                "EFA traffic stays in one zone",
                ", ".join(group.zones),
                "one zone",
                f"set zones: [{group.zones[0]}]",
            )


@rule("placement-group-with-reservation", Severity.WARNING)
def placement_group_with_reservation(context: Context) -> Iterator[RuleFinding]:
    """No placement group with a Capacity Block or a capacity reservation.

    Instances of a block are close together already, and a reservation made without the placement group
    answers InsufficientInstanceCapacity (terraform-aws-eks#3730).
    """
    for path, group, _ in context.groups:
        if group.placement_group is PlacementGroupChoice.CLUSTER and group.has_reserved_capacity:
            yield RuleFinding(
                f"{path}.placementGroup",
                "reserved instances are placed already; a placement group may find no capacity",
                "cluster",
                "none",
                "remove placementGroup",
            )


@rule("efa-on-spot", Severity.WARNING)
def efa_on_spot(context: Context) -> Iterator[RuleFinding]:
    """Multi-node training over EFA is not bought as Spot: one interruption stops the whole job."""
    for path, group, _ in context.groups:
        if group.efa.enabled and group.bought_as is CapacityType.SPOT:
            yield RuleFinding(
                f"{path}.capacityType",
                "one Spot interruption stops the whole training job",
                "spot",
                "onDemand or capacityBlock",
                "use on-demand or a Capacity Block",
            )


def _own_layouts(
    context: Context,
) -> Iterator[tuple[str, tuple[Interface, ...], instance_types.InstanceType]]:
    for path, group, kind in context.groups:
        if group.efa.enabled and group.efa.interfaces is not None:
            yield path, _interfaces(group), kind


def _interfaces(group: AcceleratorNodeGroupSettings) -> tuple[Interface, ...]:
    return tuple(Interface(i.card, i.device, i.type) for i in group.efa.interfaces or ())
