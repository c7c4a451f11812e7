"""Auto Scaling groups behind node groups: scheduled actions and tags."""

import hashlib
from datetime import UTC, datetime
from typing import Any

from eks_accelerators.accelerators.capacity_blocks import SCALE_DOWN_ACTION
from eks_accelerators.simulator.aws.backend import Backend
from eks_accelerators.simulator.aws.model import ScalingGroup, ScheduledAction
from eks_accelerators.simulator.aws.operations import operations_of
from eks_accelerators.simulator.aws.refusals import ApiRefusal
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
        source=("Auto Scaling API (botocore 1.44.5); EKS user guide `capacity-blocks-mng`; read 2026-11-20."),
    )
)


MIN_ABOVE_MAX = ApiRefusal("ValidationError", "Min size must be less than or equal to max size")
DESIRED_OUTSIDE = ApiRefusal("ValidationError", "Desired capacity must be between the specified min size and max size")
OF_EKS = ApiRefusal("ValidationError", "The scheduled action '{name}' is EKS's own")
NO_SIZE = ApiRefusal("ValidationError", "At least one of MinSize, MaxSize or DesiredCapacity is needed")
NO_ACTION = ApiRefusal("ValidationError", "Scheduled action name not found: {name}")
NO_SCALING_GROUP = ApiRefusal("ValidationError", "AutoScalingGroup name not found - {name}")
NO_START = ApiRefusal("ValidationError", "StartTime or Recurrence is needed")
START_PAST = ApiRefusal("ValidationError", "Given start time is in the past")


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
    group = group_called(account, parameters["AutoScalingGroupName"])
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
    group = group_called(account, parameters["AutoScalingGroupName"])
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
    """Delete a scheduled action; the one of EKS at the end of a Capacity Block is kept."""
    group, name = group_called(account, parameters["AutoScalingGroupName"]), parameters["ScheduledActionName"]
    if name not in group.actions:
        raise NO_ACTION(name=name)
    if name == SCALE_DOWN_ACTION:
        raise OF_EKS(name=name)
    del group.actions[name]
    return {}


@operation("autoscaling", "create_or_update_tags", refusals=(NO_SCALING_GROUP,))
def create_or_update_tags(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Set tags of scaling groups."""
    for tag in parameters["Tags"]:
        group = group_called(account, tag["ResourceId"])
        group.tags[tag["Key"]] = {"value": tag["Value"], "propagate": tag.get("PropagateAtLaunch", False)}
    return {}


@operation("autoscaling", "delete_tags", refusals=(NO_SCALING_GROUP,))
def delete_tags(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Remove tags from scaling groups."""
    for tag in parameters["Tags"]:
        group_called(account, tag["ResourceId"]).tags.pop(tag["Key"], None)
    return {}


def group_called(account: Backend, name: str) -> ScalingGroup:
    """The scaling group of this name; refuses one that is not there."""
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
