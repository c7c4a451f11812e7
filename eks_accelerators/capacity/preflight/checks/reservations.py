"""On-demand capacity reservations that node groups launch into."""

from collections.abc import Iterator

from eks_accelerators.capacity.preflight.checks.capacity_reservations import every_reservation
from eks_accelerators.capacity.preflight.inquiry import Inquiry
from eks_accelerators.capacity.preflight.registry import check
from eks_accelerators.capacity.preflight.result import CheckFinding, ok, problem, warning
from eks_accelerators.settings.model.node_groups import CapacityType


@check("capacity-reservation", "nodeGroups")
def capacity_reservation(inquiry: Inquiry) -> Iterator[CheckFinding]:
    """An on-demand reservation that a group names is active, holds its type in one of its zones, and enough of it.

    Source: DescribeCapacityReservations.
    """
    users = [
        group
        for group in inquiry.groups.values()
        if group.settings.bought_as is CapacityType.ON_DEMAND and group.settings.capacity_reservation_id
    ]
    if not users:
        return
    answer = inquiry.aws.ask(every_reservation(inquiry.region))
    there = {each.capacity_reservation_id: each for each in answer.value}
    for group in users:
        identifier, path = group.settings.capacity_reservation_id, f"nodeGroups.{group.name}.capacityReservationId"
        found = there.get(str(identifier))
        if found is None:
            missing = f"this account has no reservation {identifier} in {inquiry.region}"
            yield problem(path, missing, "name a reservation of this account and region", answer)
            continue
        zones = {*group.zones, *inquiry.zone_ids(group.zones)}
        wrong = [
            (found.reservation_type == "capacity-block", "is a Capacity Block", "name it under capacityBlocks"),
            (found.state != "active", f"is {found.state}", "name a reservation that is active"),
            (found.instance_type != group.type.name, f"holds {found.instance_type}", f"name one of {group.type.name}"),
            (not found.lies_in(zones), f"is in {found.availability_zone}", "add that zone to the group"),
        ]
        for is_wrong, text, fix in wrong:
            if is_wrong:
                yield problem(path, f"{identifier} {text}", fix, answer)
        if any(is_wrong for is_wrong, _, _ in wrong):
            continue
        text = f"{identifier} holds {found.total_instance_count} x {found.instance_type}, {found.available_instance_count} free"
        if found.total_instance_count is not None and group.settings.size.max > found.total_instance_count:
            more = f"{text}; the group grows to {group.settings.size.max}"
            yield warning(path, more, "the rest is bought on demand, if EC2 has it: lower size.max", answer)
        else:
            yield ok(path, text, answer)
