"""EC2 instances: those that scaling groups launched, besides moto's."""

from collections.abc import Iterator
from typing import Any

from eks_accelerators.simulator.aws.backend import Backend
from eks_accelerators.simulator.aws.errors import NotSimulatedError
from eks_accelerators.simulator.aws.model import InstanceRecord, ScalingGroup
from eks_accelerators.simulator.aws.operations import operations_of
from eks_accelerators.simulator.chapters import Chapter

operation = operations_of(Chapter(__doc__, source="EC2 API DescribeInstances (botocore 1.44.5)."))


@operation("ec2", "describe_instances")
def describe_instances(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Every instance that passes the filters; ours run as long as they are there."""
    listed = account.moto("ec2", "describe_instances", parameters)["Reservations"]
    ours = [
        {"ReservationId": f"r-{instance.id.removeprefix('i-')}", "Instances": [_described(group, instance)]}
        for group in account.state.scaling_groups()
        for instance in group.instances
        if "InstanceIds" not in parameters or instance.id in parameters["InstanceIds"]
        if all(_passes(group, instance, each) for each in parameters.get("Filters", []))
    ]
    return {"Reservations": [*listed, *ours]}


def _described(group: ScalingGroup, instance: InstanceRecord) -> dict[str, Any]:
    bought = {"SPOT": {"InstanceLifecycle": "spot"}, "CAPACITY_BLOCK": {"InstanceLifecycle": "capacity-block"}}
    return {
        "InstanceId": instance.id,
        "InstanceType": instance.instance_type,
        "State": {"Code": 16, "Name": "running"},
        "SubnetId": instance.subnet_id,
        "PrivateIpAddress": instance.private_ip,
        "LaunchTime": instance.launched,
        "Tags": [{"Key": key, "Value": value} for key, value in _tags(group)],
        **bought.get(group.capacity_type, {}),
        **({"CapacityReservationId": instance.reservation_id} if instance.reservation_id else {}),
    }


def _tags(group: ScalingGroup) -> Iterator[tuple[str, str]]:
    for specification in group.template.get("TagSpecifications", []):
        if specification.get("ResourceType") == "instance":
            yield from ((tag["Key"], tag["Value"]) for tag in specification["Tags"])


def _passes(group: ScalingGroup, instance: InstanceRecord, wanted: dict[str, Any]) -> bool:
    name, values = wanted["Name"], set(wanted["Values"])
    if name.startswith("tag:"):
        return dict(_tags(group)).get(name.removeprefix("tag:")) in values
    if name == "instance-state-name":
        return "running" in values
    if name == "instance-type":
        return instance.instance_type in values
    raise NotSimulatedError(f"the filter {name} of ec2.describe_instances is not simulated")
