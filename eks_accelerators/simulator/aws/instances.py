"""EC2 instances: those that scaling groups and fleets launched, besides moto's."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from eks_accelerators.simulator.aws.backend import Backend
from eks_accelerators.simulator.aws.errors import NotSimulatedError
from eks_accelerators.simulator.aws.model import InstanceRecord, State
from eks_accelerators.simulator.aws.operations import operations_of
from eks_accelerators.simulator.chapters import Chapter

operation = operations_of(Chapter(__doc__, source="EC2 API DescribeInstances (botocore 1.44.5)."))


@dataclass(frozen=True)
class _Ours:
    """An instance with what was asked for with it."""

    instance: InstanceRecord
    capacity_type: str
    image_id: str
    template: Mapping[str, Any]
    tags: Mapping[str, str]


@operation("ec2", "describe_instances")
def describe_instances(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Every instance that passes the filters; ours run as long as they are there."""
    wanted = parameters.get("InstanceIds")
    ours = [each for each in _ours(account.state) if wanted is None or each.instance.id in wanted]
    known = {each.instance.id for each in ours}
    others = None if wanted is None else [instance for instance in wanted if instance not in known]
    listed: list[dict[str, Any]] = []
    if others is None or others:
        asked = {**parameters, "InstanceIds": others} if others else parameters
        listed = account.moto("ec2", "describe_instances", asked)["Reservations"]
    passing = [each for each in ours if all(_passes(each, one) for one in parameters.get("Filters", []))]
    found = [
        {"ReservationId": f"r-{each.instance.id.removeprefix('i-')}", "Instances": [_described(each)]}
        for each in passing
    ]
    return {"Reservations": [*listed, *found]}


def _ours(state: State) -> Iterator[_Ours]:
    for group in state.scaling_groups():
        specifications = group.template.get("TagSpecifications", [])
        given = [each["Tags"] for each in specifications if each.get("ResourceType") == "instance"]
        tags = {tag["Key"]: tag["Value"] for listed in given for tag in listed}
        for instance in group.instances:
            yield _Ours(instance, group.capacity_type, group.template.get("ImageId", ""), group.template, tags)
    for each in state.fleet:
        yield _Ours(each.instance, each.capacity_type, each.image_id, each.template, each.tags)


def _described(ours: _Ours) -> dict[str, Any]:
    instance = ours.instance
    bought = {
        "SPOT": {"InstanceLifecycle": "spot", "SpotInstanceRequestId": f"sir-{instance.id.removeprefix('i-')[:8]}"},
        "CAPACITY_BLOCK": {"InstanceLifecycle": "capacity-block"},
    }
    interfaces = [each.get("InterfaceType", "interface") for each in ours.template.get("NetworkInterfaces", [])]
    return {
        "InstanceId": instance.id,
        "InstanceType": instance.instance_type,
        "State": {"Code": 16, "Name": "running"},
        "SubnetId": instance.subnet_id,
        "PrivateIpAddress": instance.private_ip,
        "Placement": {"AvailabilityZone": instance.zone, "AvailabilityZoneId": instance.zone_id},
        "SecurityGroups": [{"GroupId": group} for group in _security_groups(ours.template)],
        "NetworkInterfaces": [{"InterfaceType": kind} for kind in interfaces],
        "LaunchTime": instance.launched,
        "Tags": [{"Key": key, "Value": value} for key, value in ours.tags.items()],
        **({"ImageId": ours.image_id} if ours.image_id else {}),
        **bought.get(ours.capacity_type, {}),
        **({"CapacityReservationId": instance.reservation_id} if instance.reservation_id else {}),
    }


def _security_groups(template: Mapping[str, Any]) -> list[str]:
    of_interfaces = [group for each in template.get("NetworkInterfaces", []) for group in each.get("Groups", [])]
    return list(dict.fromkeys([*template.get("SecurityGroupIds", []), *of_interfaces]))


def _passes(ours: _Ours, wanted: dict[str, Any]) -> bool:
    name, values = wanted["Name"], set(wanted["Values"])
    if name.startswith("tag:"):
        return ours.tags.get(name.removeprefix("tag:")) in values
    if name == "tag-key":
        return not values.isdisjoint(ours.tags)
    if name == "instance-state-name":
        return "running" in values
    if name == "instance-type":
        return ours.instance.instance_type in values
    raise NotSimulatedError(f"the filter {name} of ec2.describe_instances is not simulated")
