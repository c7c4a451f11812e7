"""Auto Scaling groups behind node groups: what they are, the sizes that autoscalers set, and what became of them."""

from collections.abc import Mapping
from typing import Any

from eks_accelerators.simulator.aws.backend import Backend
from eks_accelerators.simulator.aws.errors import NotSimulatedError
from eks_accelerators.simulator.aws.launches import settle
from eks_accelerators.simulator.aws.model import ACCOUNT_ID, InstanceRecord, ScalingActivity, ScalingGroup
from eks_accelerators.simulator.aws.operations import operations_of
from eks_accelerators.simulator.aws.refusals import ApiRefusal
from eks_accelerators.simulator.aws.scaling import NO_SCALING_GROUP, group_called
from eks_accelerators.simulator.aws.scaling_activities import terminated
from eks_accelerators.simulator.chapters import Chapter

operation = operations_of(
    Chapter(
        __doc__,
        source=(
            "Auto Scaling API (botocore 1.44.5). Words of refusals: kubernetes/autoscaler 943, aws/aws-cli 47 and "
            "hashicorp/nomad-autoscaler 1290; read 2026-11-22."
        ),
    )
)

ABOVE_MAX = ApiRefusal(
    "ValidationError", "New SetDesiredCapacity value {desired} is above max value {max} for the AutoScalingGroup."
)
BELOW_MIN = ApiRefusal(
    "ValidationError", "New SetDesiredCapacity value {desired} is below min value {min} for the AutoScalingGroup."
)
AT_MIN = ApiRefusal(
    "ValidationError",
    "Currently, desiredSize equals minSize ({min}). Terminating instance without replacement will violate group's min "
    "size constraint. Either set shouldDecrementDesiredCapacity flag to false or lower group's min size.",
)
NO_MANAGED_INSTANCE = ApiRefusal(
    "ValidationError", "Instance Id not found - No managed instance found for instance ID: {instance}"
)


@operation("autoscaling", "describe_auto_scaling_groups")
def describe_auto_scaling_groups(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """The groups called so and with such tags; a name that is not there is left out, as AWS does."""
    names = parameters.get("AutoScalingGroupNames")
    groups = [group for group in account.state.scaling_groups() if not names or group.name in names]
    filters = parameters.get("Filters", [])
    found = [group for group in groups if all(_passes(group, each) for each in filters)]
    zones = _zones(account, found)
    return {"AutoScalingGroups": [_described(account, group, zones) for group in found]}


@operation("autoscaling", "set_desired_capacity", refusals=(NO_SCALING_GROUP, ABOVE_MAX, BELOW_MIN))
def set_desired_capacity(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Another desired size: instances are launched, or the newest terminated, at once, as far as EC2 has them."""
    group, desired = group_called(account, parameters["AutoScalingGroupName"]), parameters["DesiredCapacity"]
    if desired > group.max:
        raise ABOVE_MAX(desired=desired, max=group.max)
    if desired < group.min:
        raise BELOW_MIN(desired=desired, min=group.min)
    group.desired, group.failure = desired, None
    settle(account)
    return {}


@operation("autoscaling", "terminate_instance_in_auto_scaling_group", refusals=(NO_MANAGED_INSTANCE, AT_MIN))
def terminate_instance_in_auto_scaling_group(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Exactly this instance goes; another one comes unless the desired size goes down with it."""
    wanted = parameters["InstanceId"]
    for group in account.state.scaling_groups():
        if any(instance.id == wanted for instance in group.instances):
            break
    else:
        raise NO_MANAGED_INSTANCE(instance=wanted)
    if parameters["ShouldDecrementDesiredCapacity"]:
        if group.desired <= group.min:
            raise AT_MIN(min=group.min)
        group.desired -= 1
    group.instances = [instance for instance in group.instances if instance.id != wanted]
    activity = terminated(account.state, group, wanted)
    settle(account)
    return {"Activity": _activity(account, group, activity)}


@operation("autoscaling", "describe_scaling_activities", refusals=(NO_SCALING_GROUP,))
def describe_scaling_activities(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """What a group did lately, the newest first."""
    group = group_called(account, parameters["AutoScalingGroupName"])
    newest = group.activities[::-1][: parameters.get("MaxRecords", 100)]
    return {"Activities": [_activity(account, group, each) for each in newest]}


def _passes(group: ScalingGroup, wanted: Mapping[str, Any]) -> bool:
    name, values = wanted["Name"], set(wanted["Values"])
    if name == "tag-key":
        return not values.isdisjoint(group.tags)
    if name == "tag-value":
        return not values.isdisjoint(tag["value"] for tag in group.tags.values())
    if name.startswith("tag:"):
        return group.tags.get(name.removeprefix("tag:"), {}).get("value") in values
    raise NotSimulatedError(f"the filter {name} of autoscaling.describe_auto_scaling_groups is not simulated")


def _zones(account: Backend, groups: list[ScalingGroup]) -> dict[str, str]:
    """The zone of each subnet of the groups."""
    wanted = sorted({subnet for group in groups for subnet in group.subnet_ids})
    if not wanted:
        return {}
    listed = account.moto("ec2", "describe_subnets", {"SubnetIds": wanted})["Subnets"]
    return {subnet["SubnetId"]: subnet["AvailabilityZone"] for subnet in listed}


def _described(account: Backend, group: ScalingGroup, zones: Mapping[str, str]) -> dict[str, Any]:
    template = _template(group)
    return {
        "AutoScalingGroupName": group.name,
        "AutoScalingGroupARN": _arn(account, group),
        "MixedInstancesPolicy": {
            "LaunchTemplate": {
                "LaunchTemplateSpecification": template,
                "Overrides": [{"InstanceType": kind} for kind in group.instance_types],
            }
        },
        "MinSize": group.min,
        "MaxSize": group.max,
        "DesiredCapacity": group.desired,
        "AvailabilityZones": sorted({zones[subnet] for subnet in group.subnet_ids}),
        "VPCZoneIdentifier": ",".join(group.subnet_ids),
        "Tags": [
            {
                "Key": key,
                "Value": tag["value"],
                "PropagateAtLaunch": tag["propagate"],
                "ResourceId": group.name,
                "ResourceType": "auto-scaling-group",
            }
            for key, tag in group.tags.items()
        ],
        "Instances": [_instance(instance, template) for instance in group.instances],
    }


def _instance(instance: InstanceRecord, template: dict[str, str]) -> dict[str, Any]:
    return {
        "InstanceId": instance.id,
        "InstanceType": instance.instance_type,
        "AvailabilityZone": instance.zone,
        "LifecycleState": "InService",
        "HealthStatus": "Healthy",
        "LaunchTemplate": template,
        "ProtectedFromScaleIn": False,
    }


def _template(group: ScalingGroup) -> dict[str, str]:
    """EKS makes a launch template of its own for a group, from that of the user."""
    suffix = group.name.removeprefix(f"eks-{group.node_group}-")
    return {"LaunchTemplateName": f"eks-{suffix}", "Version": "1"}


def _activity(account: Backend, group: ScalingGroup, activity: ScalingActivity) -> dict[str, Any]:
    ended = {"StatusMessage": f"{activity.failure} Launching EC2 instance failed."} if activity.failure else {}
    return {
        "ActivityId": activity.id,
        "AutoScalingGroupName": group.name,
        "AutoScalingGroupARN": _arn(account, group),
        "Description": activity.description,
        "Cause": activity.cause,
        "StartTime": activity.start,
        "EndTime": activity.start,
        "StatusCode": "Failed" if activity.failure else "Successful",
        "Progress": 100,
        **ended,
    }


def _arn(account: Backend, group: ScalingGroup) -> str:
    return f"arn:aws:autoscaling:{account.state.region}:{ACCOUNT_ID}:autoScalingGroup:{group.name}"
