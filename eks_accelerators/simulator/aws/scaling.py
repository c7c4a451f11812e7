"""The Auto Scaling groups behind node groups: sizes, scheduled actions, tags, and the launch of instances."""

import hashlib
import ipaddress
from datetime import UTC, datetime
from typing import Any

from eks_accelerators.accelerators import instance_types, system_instance_types
from eks_accelerators.accelerators.capacity_blocks import SCALE_DOWN_ACTION
from eks_accelerators.simulator.aws.backend import Backend
from eks_accelerators.simulator.aws.capacity_blocks import TERMINATED_BEFORE_END, state_of
from eks_accelerators.simulator.aws.errors import AwsError
from eks_accelerators.simulator.aws.model import Instance, ScalingGroup, ScheduledAction
from eks_accelerators.simulator.aws.operations import operations_of
from eks_accelerators.simulator.aws.refusals import Refusal
from eks_accelerators.simulator.aws.schedules import (
    DEFAULT_TIME_ZONE,
    INVALID_RECURRENCE,
    INVALID_TIME_ZONE,
    check_recurrence,
    next_run,
)
from eks_accelerators.simulator.chapters import Chapter

operation = operations_of(
    Chapter(
        __doc__,
        source=(
            "Auto Scaling API (botocore 1.44.5); EC2 API error codes; EKS user guide `capacity-blocks-mng`; read "
            "2026-11-20."
        ),
    )
)

_STANDARD_QUOTA = "L-1216C47A"
"""Running On-Demand Standard instances. Source: EC2 instance types guide `ec2-instance-quotas`."""

MIN_ABOVE_MAX = Refusal("ValidationError", "Min size must be less than or equal to max size")
DESIRED_OUTSIDE = Refusal("ValidationError", "Desired capacity must be between the specified min size and max size")
OF_EKS = Refusal("ValidationError", "The scheduled action '{name}' is EKS's own")
NO_SIZE = Refusal("ValidationError", "At least one of MinSize, MaxSize or DesiredCapacity is needed")
NO_ACTION = Refusal("ValidationError", "Scheduled action name not found: {name}")
NO_CAPACITY = Refusal(
    "InsufficientInstanceCapacity",
    "We currently do not have sufficient {instance_type} capacity in the Availability Zone you requested ({zone}).",
)
OVER_QUOTA = Refusal(
    "VcpuLimitExceeded",
    "You have requested more vCPU capacity than your current vCPU limit of {limit} allows for the instance bucket that the specified instance type belongs to ({code}; {used} in use, {instance_type} needs {vcpus}).",
)
BLOCK_GONE = Refusal("InvalidCapacityReservationId.NotFound", "'{reservation}' does not exist.")
BLOCK_NOT_ACTIVE = Refusal(
    "InvalidCapacityReservationState", "The Capacity Block {reservation} is {state} (starts {start} UTC)."
)
BLOCK_ENDS = Refusal(
    "InvalidCapacityReservationState", "The Capacity Block {reservation} ends {end} UTC; EC2 terminates its instances."
)
BLOCK_ELSEWHERE = Refusal("InvalidParameterValue", "{reservation} is in {zone}, the subnet in {subnet_zone}.")
BLOCK_FULL = Refusal("ReservationCapacityExceeded", "All {count} instances of {reservation} are in use.")
NO_SCALING_GROUP = Refusal("ValidationError", "AutoScalingGroup name not found - {name}")
NO_START = Refusal("ValidationError", "StartTime or Recurrence is needed")
START_PAST = Refusal("ValidationError", "Given start time is in the past")


def settle(account: Backend) -> None:
    """Launch and terminate until every group has the instances it wants, as far as EC2 has them."""
    for group in account.state.scaling_groups():
        del group.instances[max(group.desired, 0) :]
        before, group.failure = group.failure, None
        while len(group.instances) < group.desired and not group.invalid:
            try:
                group.instances.append(_launch(account, group))
            except AwsError as error:
                group.failure = f"{error.code}: {error.message}"
                if group.failure != before:
                    account.state.happened.append(
                        (account.state.now, f"node group {group.node_group}: {group.failure}")
                    )
                break


def replace_instances(account: Backend, group: ScalingGroup) -> None:
    """Other instances in place of all that run, as a rolling update leaves them."""
    group.instances.clear()
    settle(account)


def check_desired(group: ScalingGroup, minimum: int | None, maximum: int | None, desired: int | None) -> None:
    """Refuse sizes that do not hold min <= desired <= max."""
    low = group.min if minimum is None else minimum
    high = group.max if maximum is None else maximum
    wanted = group.desired if desired is None else desired
    if not low <= high:
        raise MIN_ABOVE_MAX()
    if desired is not None and not low <= wanted <= high:
        raise DESIRED_OUTSIDE()


def resize(group: ScalingGroup, action: ScheduledAction) -> None:
    """Set the sizes of a scheduled action; a desired size that it leaves alone is kept inside the new bounds."""
    check_desired(group, action.min, action.max, action.desired)
    group.min = group.min if action.min is None else action.min
    group.max = group.max if action.max is None else action.max
    wanted = group.desired if action.desired is None else action.desired
    group.desired = min(max(wanted, group.min), group.max)


@operation(
    "autoscaling",
    "put_scheduled_update_group_action",
    refusals=(
        OF_EKS,
        NO_SIZE,
        NO_SCALING_GROUP,
        MIN_ABOVE_MAX,
        DESIRED_OUTSIDE,
        START_PAST,
        NO_START,
        INVALID_RECURRENCE,
        INVALID_TIME_ZONE,
    ),
)
def put_scheduled_update_group_action(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Make or change a scheduled action."""
    group = _group(account, parameters["AutoScalingGroupName"])
    name = parameters["ScheduledActionName"]
    if name == SCALE_DOWN_ACTION:
        raise OF_EKS(name=name)
    sizes = {key: parameters.get(key) for key in ("MinSize", "MaxSize", "DesiredCapacity")}
    if all(size is None for size in sizes.values()):
        raise NO_SIZE()
    action = ScheduledAction(
        name=name,
        start=_start(account, parameters),
        recurrence=parameters.get("Recurrence"),
        min=sizes["MinSize"],
        max=sizes["MaxSize"],
        desired=sizes["DesiredCapacity"],
        time_zone=parameters.get("TimeZone", DEFAULT_TIME_ZONE),
    )
    check_desired(group, action.min, action.max, action.desired)
    group.actions[name] = action
    return {}


@operation("autoscaling", "describe_scheduled_actions", refusals=(NO_SCALING_GROUP,))
def describe_scheduled_actions(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """The actions of a group; one that ran once is gone."""
    group = _group(account, parameters["AutoScalingGroupName"])
    wanted = parameters.get("ScheduledActionNames")
    return {
        "ScheduledUpdateGroupActions": [
            {
                "AutoScalingGroupName": group.name,
                "ScheduledActionName": action.name,
                "ScheduledActionARN": _arn(account, group, action),
                "StartTime": action.start,
                "Recurrence": action.recurrence,
                "TimeZone": action.time_zone,
                "MinSize": action.min,
                "MaxSize": action.max,
                "DesiredCapacity": action.desired,
            }
            for action in group.actions.values()
            if not wanted or action.name in wanted
        ]
    }


@operation(
    "autoscaling",
    "delete_scheduled_action",
    refusals=(
        NO_ACTION,
        OF_EKS,
        NO_SCALING_GROUP,
    ),
)
def delete_scheduled_action(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Remove a scheduled action."""
    group, name = _group(account, parameters["AutoScalingGroupName"]), parameters["ScheduledActionName"]
    if name not in group.actions:
        raise NO_ACTION(name=name)
    if name == SCALE_DOWN_ACTION:
        raise OF_EKS(name=name)
    del group.actions[name]
    return {}


@operation("autoscaling", "create_or_update_tags", refusals=(NO_SCALING_GROUP,))
def create_or_update_tags(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Tags on a group."""
    for tag in parameters["Tags"]:
        group = _group(account, tag["ResourceId"])
        group.tags[tag["Key"]] = {"value": tag["Value"], "propagate": tag.get("PropagateAtLaunch", False)}
    return {}


@operation("autoscaling", "delete_tags", refusals=(NO_SCALING_GROUP,))
def delete_tags(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Tags off a group."""
    for tag in parameters["Tags"]:
        _group(account, tag["ResourceId"]).tags.pop(tag["Key"], None)
    return {}


@operation("autoscaling", "describe_auto_scaling_groups")
def describe_auto_scaling_groups(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """The groups called so; a name that is not there is left out, as AWS does."""
    names = parameters.get("AutoScalingGroupNames")
    groups = [group for group in account.state.scaling_groups() if not names or group.name in names]
    return {
        "AutoScalingGroups": [
            {
                "AutoScalingGroupName": group.name,
                "MinSize": group.min,
                "MaxSize": group.max,
                "DesiredCapacity": group.desired,
                "Tags": [
                    {"Key": key, "Value": tag["value"], "PropagateAtLaunch": tag["propagate"], "ResourceId": group.name}
                    for key, tag in group.tags.items()
                ],
                "Instances": [{"InstanceId": instance.id} for instance in group.instances],
            }
            for group in groups
        ]
    }


def _launch(account: Backend, group: ScalingGroup) -> Instance:
    refusals: list[AwsError] = []
    subnets = account.moto("ec2", "describe_subnets", {"SubnetIds": group.subnet_ids})["Subnets"]
    by_id = {subnet["SubnetId"]: subnet for subnet in subnets}
    for kind in group.instance_types:
        for offset in range(len(group.subnet_ids)):
            subnet = by_id[group.subnet_ids[(len(group.instances) + offset) % len(group.subnet_ids)]]
            try:
                _check_capacity(account, group, kind, subnet)
            except AwsError as error:
                refusals.append(error)
                continue
            return _instance(account, group, kind, subnet)
    raise refusals[0]


def _check_capacity(account: Backend, group: ScalingGroup, kind: str, subnet: dict[str, Any]) -> None:
    if group.reservation_id and group.capacity_type == "CAPACITY_BLOCK":
        _check_block(account, group, subnet)
        return
    zone = subnet["AvailabilityZone"]
    if any(short == kind and place in (None, zone) for short, place in account.state.without_capacity):
        raise NO_CAPACITY(instance_type=kind, zone=zone)
    code, vcpus = _quota(kind, group.capacity_type)
    limit = account.state.quotas.get(code) if code else None
    if limit is None:
        return
    used = vcpus_in_use(account, code)
    if used + vcpus > limit:
        raise OVER_QUOTA(limit=limit, code=code, used=used, instance_type=kind, vcpus=vcpus)


def vcpus_in_use(account: Backend, code: str | None) -> int:
    """How many vCPUs of all running instances that count against a quota."""
    return sum(
        _quota(instance.instance_type, group.capacity_type)[1]
        for group in account.state.scaling_groups()
        for instance in group.instances
        if _quota(instance.instance_type, group.capacity_type)[0] == code
    )


def _check_block(account: Backend, group: ScalingGroup, subnet: dict[str, Any]) -> None:
    block = account.state.blocks.get(group.reservation_id or "")
    if block is None:
        raise BLOCK_GONE(reservation=group.reservation_id)
    state = state_of(block, account.state.now)
    if state != "active":
        raise BLOCK_NOT_ACTIVE(reservation=block.id, state=state, start=f"{block.start:%Y-%m-%d %H:%M}")
    if account.state.now >= block.end - TERMINATED_BEFORE_END:
        raise BLOCK_ENDS(reservation=block.id, end=f"{block.end:%Y-%m-%d %H:%M}")
    if subnet["AvailabilityZone"] != block.zone:
        raise BLOCK_ELSEWHERE(reservation=block.id, zone=block.zone, subnet_zone=subnet["AvailabilityZone"])
    used = sum(i.reservation_id == block.id for other in account.state.scaling_groups() for i in other.instances)
    if used >= block.instance_count:
        raise BLOCK_FULL(count=block.instance_count, reservation=block.id)


def _quota(kind: str, capacity_type: str) -> tuple[str | None, int]:
    """Quota code and vCPUs of an instance; the code is None where none is known."""
    found = instance_types.find(kind)
    if found is None:
        system = system_instance_types.find(kind)
        return _STANDARD_QUOTA, system.vcpus if system else 0
    quota = found.quota
    return (quota.spot_code if capacity_type == "SPOT" else quota.on_demand_code), found.vcpus


def _instance(account: Backend, group: ScalingGroup, kind: str, subnet: dict[str, Any]) -> Instance:
    group.launched += 1
    digest = hashlib.sha256(f"{group.name}/{group.launched}".encode()).hexdigest()
    taken = {
        instance.private_ip
        for other in account.state.scaling_groups()
        for instance in other.instances
        if instance.subnet_id == subnet["SubnetId"]
    }
    network = ipaddress.ip_network(subnet["CidrBlock"])
    # AWS keeps the first four addresses of a subnet and the last.
    candidates = (str(network[number]) for number in range(4, network.num_addresses - 1))
    return Instance(
        id=f"i-{digest[:17]}",
        instance_type=kind,
        subnet_id=subnet["SubnetId"],
        zone=subnet["AvailabilityZone"],
        zone_id=subnet["AvailabilityZoneId"],
        private_ip=next(address for address in candidates if address not in taken),
        launched=account.state.now,
        reservation_id=group.reservation_id,
    )


def _group(account: Backend, name: str) -> ScalingGroup:
    for group in account.state.scaling_groups():
        if group.name == name:
            return group
    raise NO_SCALING_GROUP(name=name)


def _start(account: Backend, parameters: dict[str, Any]) -> datetime:
    """When the action runs first: at the given time, or as its recurrence says."""
    recurrence, zone = parameters.get("Recurrence"), parameters.get("TimeZone", DEFAULT_TIME_ZONE)
    if recurrence:
        check_recurrence(recurrence, zone)
    if "StartTime" not in parameters:
        if recurrence is None:
            raise NO_START()
        return next_run(recurrence, zone, account.state.now)
    start = _moment(parameters["StartTime"])
    if start <= account.state.now:
        raise START_PAST()
    return start


def _arn(account: Backend, group: ScalingGroup, action: ScheduledAction) -> str:
    return (
        f"arn:aws:autoscaling:{account.state.region}:111122223333:scheduledUpdateGroupAction:"
        f"{hashlib.sha256(f'{group.name}/{action.name}'.encode()).hexdigest()[:8]}:"
        f"autoScalingGroupName/{group.name}:scheduledActionName/{action.name}"
    )


def _moment(value: Any) -> datetime:
    moment = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
