"""Fleets of the type `instant`: instances that are in no scaling group, as Karpenter launches them."""

from collections.abc import Iterator
from typing import Any

from eks_accelerators.simulator.aws.backend import Backend
from eks_accelerators.simulator.aws.capacity_blocks import DRY_RUN
from eks_accelerators.simulator.aws.errors import AwsError, NotSimulatedError
from eks_accelerators.simulator.aws.launch_templates import OF_TEMPLATES, template_data
from eks_accelerators.simulator.aws.launches import check_capacity, instance_in
from eks_accelerators.simulator.aws.model import FleetInstance
from eks_accelerators.simulator.aws.operations import operations_of
from eks_accelerators.simulator.chapters import Chapter

operation = operations_of(
    Chapter(
        __doc__,
        source="EC2 API CreateFleet, TerminateInstances (botocore 1.44.5); EC2 user guide `create-fleet`, read 2026-11-22.",
    )
)

_CAPACITY_TYPES = {"on-demand": "ON_DEMAND", "spot": "SPOT"}


@operation("ec2", "create_fleet", refusals=(DRY_RUN, *OF_TEMPLATES))
def create_fleet(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """As many instances as are wanted, each of the first override of which EC2 has one: the one of the lowest price.

    Of those before it the answer says why not.
    """
    if parameters.get("Type") != "instant":
        raise NotSimulatedError(f"a fleet of the type {parameters.get('Type', 'maintain')} is not simulated")
    if parameters.get("DryRun"):
        raise DRY_RUN()
    target = parameters["TargetCapacitySpecification"]
    bought = target.get("DefaultTargetCapacityType", "on-demand")
    if bought not in _CAPACITY_TYPES:
        raise NotSimulatedError(f"a fleet of {bought} is not simulated")
    account.state.fleet_launched += 1
    number, errors, launched = account.state.fleet_launched, [], []
    choices = sorted(_choices(account, parameters), key=lambda each: float(each[1].get("Priority", 0)))
    for place in range(target["TotalTargetCapacity"]):
        for template, override in choices:
            try:
                made = _launch(account, template, override, _CAPACITY_TYPES[bought], f"fleet/{number}/{place}")
            except AwsError as error:
                errors.append({**_said(override, bought), "ErrorCode": error.code, "ErrorMessage": error.message})
                continue
            made.tags |= _tags(parameters)
            account.state.fleet.append(made)
            launched.append(
                {
                    **_said(override, bought),
                    "InstanceIds": [made.instance.id],
                    "InstanceType": made.instance.instance_type,
                }
            )
            break
    return {"FleetId": f"fleet-{number:08x}", "Instances": launched, "Errors": errors}


@operation("ec2", "terminate_instances")
def terminate_instances(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Instances of fleets are gone at once; others are moto's."""
    wanted = parameters["InstanceIds"]
    ours = [each.instance.id for each in account.state.fleet if each.instance.id in wanted]
    others = [instance for instance in wanted if instance not in ours]
    told = account.moto("ec2", "terminate_instances", {**parameters, "InstanceIds": others}) if others else {}
    account.state.fleet = [each for each in account.state.fleet if each.instance.id not in ours]
    gone = [
        {
            "InstanceId": instance,
            "CurrentState": {"Code": 32, "Name": "shutting-down"},
            "PreviousState": {"Code": 16, "Name": "running"},
        }
        for instance in ours
    ]
    return {"TerminatingInstances": [*gone, *told.get("TerminatingInstances", [])]}


def _choices(account: Backend, parameters: dict[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Every launch template with each of its overrides."""
    for config in parameters["LaunchTemplateConfigs"]:
        named = config["LaunchTemplateSpecification"]
        which = (
            {"id": named["LaunchTemplateId"]} if "LaunchTemplateId" in named else {"name": named["LaunchTemplateName"]}
        )
        template = template_data(account, {**which, "version": named.get("Version", "$Default")})
        for override in config.get("Overrides", []):
            yield template, override


def _launch(
    account: Backend, template: dict[str, Any], override: dict[str, Any], capacity_type: str, launch: str
) -> FleetInstance:
    listed = account.moto("ec2", "describe_subnets", {"SubnetIds": [override["SubnetId"]]})["Subnets"]
    check_capacity(account, override["InstanceType"], capacity_type, listed[0]["AvailabilityZone"])
    return FleetInstance(
        instance=instance_in(account, listed[0], override["InstanceType"], launch),
        capacity_type=capacity_type,
        image_id=override.get("ImageId") or template.get("ImageId", ""),
        template=template,
        tags={tag["Key"]: tag["Value"] for each in template.get("TagSpecifications", []) for tag in _of_instance(each)},
    )


def _said(override: dict[str, Any], lifecycle: str) -> dict[str, Any]:
    return {"LaunchTemplateAndOverrides": {"Overrides": override}, "Lifecycle": lifecycle}


def _tags(parameters: dict[str, Any]) -> dict[str, str]:
    given = parameters.get("TagSpecifications", [])
    return {tag["Key"]: tag["Value"] for each in given for tag in _of_instance(each)}


def _of_instance(specification: dict[str, Any]) -> list[dict[str, str]]:
    tags: list[dict[str, str]] = specification.get("Tags", [])
    return tags if specification.get("ResourceType") == "instance" else []
