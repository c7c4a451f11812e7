"""Scheduled actions and tags of Auto Scaling groups."""

from datetime import datetime
from typing import Any

from eks_accelerators.simulator.aws.errors import AwsError
from eks_accelerators.simulator.chapters import Chapter
from eks_accelerators.simulator.providers.calls import Calls
from eks_accelerators.simulator.providers.kind import Created, Kind
from eks_accelerators.simulator.providers.resource_facts import ONE_CALL, Permissions, ResourceFacts, UsualTime

CHAPTER = Chapter(
    __doc__,
    source=(
        "terraform-provider-aws `internal/service/autoscaling/schedule.go`, read 2026-11-21: a size that is not "
        "given is 0, and -1 is no size; what AWS computed, such as the next start of a recurring action, is sent "
        "again with the next change, and refused once it has passed (issue 38983, pulumi-aws 2473)."
    ),
)

_SIZES = {"minSize": "MinSize", "maxSize": "MaxSize", "desiredCapacity": "DesiredCapacity"}
_TIMES = {"startTime": "StartTime", "endTime": "EndTime", "recurrence": "Recurrence", "timeZone": "TimeZone"}
_UNCHANGED = -1
_TIME_FORMAT = "%Y-%m-%dT%H:%M:%SZ"


class ScheduleKind(Kind):
    """`aws.autoscaling.Schedule`, whose ID is the action's name. An action that ran once is gone."""

    token = "aws:autoscaling/schedule:Schedule"
    properties = frozenset(
        {"autoscalingGroupName", "scheduledActionName", *_SIZES, "recurrence", "startTime", "timeZone"}
    )
    changeable = frozenset({*_SIZES, "recurrence", "startTime", "timeZone"})
    kept = changeable
    calls = frozenset(
        {
            "autoscaling.delete_scheduled_action",
            "autoscaling.describe_scheduled_actions",
            "autoscaling.put_scheduled_update_group_action",
        }
    )
    facts = ResourceFacts(
        called="scaling",
        replacing=("autoscalingGroupName", "scheduledActionName"),
        scope="scaling-groups",
        permissions=(
            Permissions("any", ("autoscaling:DescribeScheduledActions", "autoscaling:DescribeAutoScalingGroups")),
        ),
        durations=ONE_CALL,
    )

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        return Created(inputs["scheduledActionName"], self._put(aws, inputs))

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        try:
            found = self._found(aws, state)
        except AwsError:
            return None  # its scaling group is gone
        return None if found is None else _observed(found)

    def update(self, aws: Calls, identifier: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        return self._put(aws, new)

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        try:
            aws.call("autoscaling", "delete_scheduled_action", **_action(state))
        except AwsError as error:
            if "not found" not in error.message:
                raise

    @classmethod
    def _put(cls, aws: Calls, inputs: dict[str, Any]) -> dict[str, Any]:
        sizes = {key: size for name, key in _SIZES.items() if (size := inputs.get(name, 0)) != _UNCHANGED}
        times = {key: inputs[name] for name, key in _TIMES.items() if inputs.get(name)}
        aws.call("autoscaling", "put_scheduled_update_group_action", **_action(inputs), **sizes, **times)
        found = cls._found(aws, inputs)
        return _observed(found) if found else {}

    @staticmethod
    def _found(aws: Calls, properties: dict[str, Any]) -> dict[str, Any] | None:
        found = aws.call(
            "autoscaling",
            "describe_scheduled_actions",
            AutoScalingGroupName=properties["autoscalingGroupName"],
            ScheduledActionNames=[properties["scheduledActionName"]],
        )["ScheduledUpdateGroupActions"]
        return found[0] if found else None


def _observed(found: dict[str, Any]) -> dict[str, Any]:
    start: datetime = found["StartTime"]
    return {
        "arn": found["ScheduledActionARN"],
        **{name: _UNCHANGED if found[key] is None else found[key] for name, key in _SIZES.items()},
        "startTime": start.strftime(_TIME_FORMAT),
        "recurrence": found["Recurrence"],
        "timeZone": found["TimeZone"],
    }


class TagKind(Kind):
    """`aws.autoscaling.Tag`, one tag on one group."""

    token = "aws:autoscaling/tag:Tag"
    properties = frozenset({"autoscalingGroupName", "tag"})
    inside = {"tag": frozenset({"key", "propagateAtLaunch", "value"})}
    changeable = frozenset({"tag"})
    calls = frozenset(
        {"autoscaling.create_or_update_tags", "autoscaling.delete_tags", "autoscaling.describe_auto_scaling_groups"}
    )
    facts = ResourceFacts(
        called="scaling",
        replacing=("autoscalingGroupName", "tag.key"),
        scope="scaling-groups",
        permissions=(Permissions("any", ("autoscaling:DescribeTags",)),),
        only_here={"autoscaling.describe_auto_scaling_groups": "the provider asks with DescribeTags"},
        durations=ONE_CALL | {"create": UsualTime(1, "devopsart-eks")},
    )

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        aws.call("autoscaling", "create_or_update_tags", Tags=[_tag(inputs)])
        return Created(f"{inputs['autoscalingGroupName']},{inputs['tag']['key']}")

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        groups = aws.call(
            "autoscaling", "describe_auto_scaling_groups", AutoScalingGroupNames=[state["autoscalingGroupName"]]
        )["AutoScalingGroups"]
        for tag in groups[0]["Tags"] if groups else []:
            if tag["Key"] == state["tag"]["key"]:
                return {"tag": {**state["tag"], "value": tag["Value"], "propagateAtLaunch": tag["PropagateAtLaunch"]}}
        return None

    def update(self, aws: Calls, identifier: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        aws.call("autoscaling", "create_or_update_tags", Tags=[_tag(new)])
        return {}

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        aws.call(
            "autoscaling",
            "delete_tags",
            Tags=[{key: _tag(state)[key] for key in ("ResourceId", "ResourceType", "Key")}],
        )


def _action(properties: dict[str, Any]) -> dict[str, str]:
    return {
        "AutoScalingGroupName": properties["autoscalingGroupName"],
        "ScheduledActionName": properties["scheduledActionName"],
    }


def _tag(properties: dict[str, Any]) -> dict[str, Any]:
    tag = properties["tag"]
    return {
        "ResourceId": properties["autoscalingGroupName"],
        "ResourceType": "auto-scaling-group",
        "Key": tag["key"],
        "Value": tag["value"],
        "PropagateAtLaunch": tag["propagateAtLaunch"],
    }


KINDS: tuple[Kind, ...] = (ScheduleKind(), TagKind())
