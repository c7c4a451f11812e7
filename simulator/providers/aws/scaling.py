"""Scheduled actions and tags of Auto Scaling groups."""

from typing import Any

from simulator.aws.account import Account
from simulator.aws.errors import AwsError
from simulator.providers.kind import Created, Kind

_SIZES = {"minSize": "MinSize", "maxSize": "MaxSize", "desiredCapacity": "DesiredCapacity"}
_TIMES = {"startTime": "StartTime", "endTime": "EndTime", "recurrence": "Recurrence", "timeZone": "TimeZone"}
_UNCHANGED = -1


class Schedule(Kind):
    """`aws.autoscaling.Schedule`, whose ID is the action's name. An action that ran once is gone."""

    token = "aws:autoscaling/schedule:Schedule"
    properties = frozenset(
        {"autoscalingGroupName", "scheduledActionName", *_SIZES, "recurrence", "startTime", "timeZone"}
    )
    changeable = frozenset({*_SIZES, "recurrence", "startTime", "timeZone"})

    def create(self, aws: Account, inputs: dict[str, Any]) -> Created:
        self._put(aws, inputs)
        found = self._found(aws, inputs)
        return Created(inputs["scheduledActionName"], {"arn": found["ScheduledActionARN"] if found else None})

    def read(self, aws: Account, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        try:
            found = self._found(aws, state)
        except AwsError:
            return None  # its scaling group is gone
        if found is None:
            return None
        sizes = {name: found.get(key) for name, key in _SIZES.items()}
        return {name: _UNCHANGED if size is None else size for name, size in sizes.items()}

    def update(self, aws: Account, identifier: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        self._put(aws, new)
        return {}

    def delete(self, aws: Account, identifier: str, state: dict[str, Any]) -> None:
        try:
            aws.call("autoscaling", "delete_scheduled_action", **_action(state))
        except AwsError as error:
            if "not found" not in error.message:
                raise

    @staticmethod
    def _put(aws: Account, inputs: dict[str, Any]) -> None:
        sizes = {key: inputs[name] for name, key in _SIZES.items() if inputs.get(name, _UNCHANGED) != _UNCHANGED}
        times = {key: inputs[name] for name, key in _TIMES.items() if name in inputs}
        aws.call("autoscaling", "put_scheduled_update_group_action", **_action(inputs), **sizes, **times)

    @staticmethod
    def _found(aws: Account, properties: dict[str, Any]) -> dict[str, Any] | None:
        found = aws.call(
            "autoscaling",
            "describe_scheduled_actions",
            AutoScalingGroupName=properties["autoscalingGroupName"],
            ScheduledActionNames=[properties["scheduledActionName"]],
        )["ScheduledUpdateGroupActions"]
        return found[0] if found else None


class Tag(Kind):
    """`aws.autoscaling.Tag`, one tag on one group."""

    token = "aws:autoscaling/tag:Tag"
    properties = frozenset({"autoscalingGroupName", "tag"})
    changeable = frozenset({"tag"})

    def create(self, aws: Account, inputs: dict[str, Any]) -> Created:
        aws.call("autoscaling", "create_or_update_tags", Tags=[_tag(inputs)])
        return Created(f"{inputs['autoscalingGroupName']},{inputs['tag']['key']}")

    def read(self, aws: Account, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        groups = aws.call(
            "autoscaling", "describe_auto_scaling_groups", AutoScalingGroupNames=[state["autoscalingGroupName"]]
        )["AutoScalingGroups"]
        for tag in groups[0]["Tags"] if groups else []:
            if tag["Key"] == state["tag"]["key"]:
                return {"tag": {**state["tag"], "value": tag["Value"]}}
        return None

    def update(self, aws: Account, identifier: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        aws.call("autoscaling", "create_or_update_tags", Tags=[_tag(new)])
        return {}

    def delete(self, aws: Account, identifier: str, state: dict[str, Any]) -> None:
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


KINDS: tuple[Kind, ...] = (Schedule(), Tag())
