"""Instance types, where EC2 has them."""

from collections.abc import Iterator

from eks_accelerators.capacity.aws_calls import Call
from eks_accelerators.capacity.aws_calls.call import PascalCase
from eks_accelerators.capacity.preflight.inquiry import Inquiry
from eks_accelerators.capacity.preflight.registry import check
from eks_accelerators.capacity.preflight.result import CheckFinding, ok, problem, warning


class TypeOffering(PascalCase):
    """An instance type in a zone, by the zone's ID."""

    instance_type: str
    location: str


def _offerings(region: str, types: list[str]) -> Call[list[TypeOffering]]:
    parameters = {"LocationType": "availability-zone-id", "Filters": [{"Name": "instance-type", "Values": types}]}
    return Call(
        "ec2",
        "describe_instance_type_offerings",
        region,
        "InstanceTypeOfferings",
        list[TypeOffering],
        parameters,
    )


@check("instance-type-offered", "nodeGroups")
def instance_type_offered(inquiry: Inquiry) -> Iterator[CheckFinding]:
    """EC2 offers every instance type in the region, and in the zones of its node group, compared by zone ID.

    Source: DescribeInstanceTypeOfferings.
    """
    system = inquiry.settings.system_node_group.instance_types
    types = sorted({*system, *(group.type.name for group in inquiry.groups.values())})
    answer, there = inquiry.aws.ask(_offerings(inquiry.region, types)), inquiry.zones()
    offered: dict[str, set[str]] = {}
    for offer in answer.value:
        offered.setdefault(offer.instance_type, set()).add(offer.location)
    names = {zone.zone_id: zone.zone_name for zone in there.value}
    network = inquiry.settings.network.zones
    wanted = [
        (f"systemNodeGroup.instanceTypes[{index}]", "systemNodeGroup", kind, network)
        for index, kind in enumerate(system)
    ]
    wanted += [
        (f"nodeGroups.{group.name}.instanceType", f"nodeGroups.{group.name}.zones", group.type.name, group.zones)
        for group in inquiry.groups.values()
    ]
    for path, zones_path, kind, zones in wanted:
        have = offered.get(kind, set())
        in_zones = ", ".join(f"{names.get(zone, zone)} ({zone})" for zone in sorted(have))
        lacking = [zone for zone in inquiry.zone_ids(zones) if zone not in have]
        if not have:
            yield problem(path, f"{kind} is not offered in {inquiry.region}", "use another type or region", answer)
        elif zones and len(lacking) == len(zones):
            found = f"{kind} is in none of {', '.join(zones)}; in {inquiry.region} it is in {in_zones}"
            yield problem(zones_path, found, "use a zone that has the type", answer, there)
        elif lacking:
            found = f"{kind} is not in {', '.join(names.get(zone, zone) for zone in lacking)}, only in {in_zones}"
            yield warning(zones_path, found, "leave those zones out of the group", answer, there)
        else:
            yield ok(path, f"{kind} is in {in_zones}", answer, there)
