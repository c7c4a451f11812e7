"""Launch templates: every change of their data is a new version."""

from typing import Any

from eks_accelerators.simulator.aws.model import ACCOUNT_ID
from eks_accelerators.simulator.chapters import Chapter
from eks_accelerators.simulator.providers.aws import tags
from eks_accelerators.simulator.providers.calls import Calls
from eks_accelerators.simulator.providers.kind import Created, Kind
from eks_accelerators.simulator.providers.naming import pascal
from eks_accelerators.simulator.providers.resource_facts import ONE_CALL, ResourceFacts, UsualTime

CHAPTER = Chapter(
    __doc__, source="pulumi-aws 7.51, documentation of its resources; EC2 API (botocore 1.44.5); read 2026-11-21."
)

_DATA = frozenset(
    {
        "blockDeviceMappings",
        "capacityReservationSpecification",
        "imageId",
        "instanceMarketOptions",
        "instanceType",
        "metadataOptions",
        "networkInterfaces",
        "placement",
        "tagSpecifications",
        "userData",
        "vpcSecurityGroupIds",
    }
)
_RENAMED = {"vpcSecurityGroupIds": "SecurityGroupIds"}
_INSIDE = {"SecurityGroups": "Groups"}
_FLAGS = ("Encrypted", "DeleteOnTermination", "AssociatePublicIpAddress")
"""The provider takes these as text."""


class LaunchTemplateKind(Kind):
    """`aws.ec2.LaunchTemplate`."""

    token = "aws:ec2/launchTemplate:LaunchTemplate"
    properties = _DATA | {"description", "name", "tags", "updateDefaultVersion"}
    changeable = _DATA | {"description", "tags", "updateDefaultVersion"}
    name_property = "name"
    longest_name = 128
    calls = tags.CALLS | frozenset(
        {
            "ec2.create_launch_template",
            "ec2.create_launch_template_version",
            "ec2.delete_launch_template",
            "ec2.describe_launch_template_versions",
            "ec2.describe_launch_templates",
            "ec2.describe_tags",
            "ec2.modify_launch_template",
        }
    )
    facts = ResourceFacts(
        called="node group",
        replacing=("name", "namePrefix"),
        only_here={
            "ec2.describe_tags": "the Terraform AWS provider reads the tags of a launch template with it, where moto forgets them"
        },
        durations=ONE_CALL | {"create": UsualTime(6, "otel-demo")},
    )

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        made = aws.call(
            "ec2",
            "create_launch_template",
            LaunchTemplateName=inputs["name"],
            LaunchTemplateData=_data(inputs),
            **_description(inputs),
            **tags.specification("launch-template", inputs.get("tags")),
        )["LaunchTemplate"]
        identifier = made["LaunchTemplateId"]
        arn = f"arn:aws:ec2:{aws.region}:{ACCOUNT_ID}:launch-template/{identifier}"
        return Created(identifier, {"arn": arn, "latestVersion": 1, "defaultVersion": 1})

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        found = aws.call("ec2", "describe_launch_templates", LaunchTemplateIds=[identifier])["LaunchTemplates"]
        if not found:
            return None
        latest = aws.call(
            "ec2", "describe_launch_template_versions", LaunchTemplateId=identifier, Versions=["$Latest"]
        )["LaunchTemplateVersions"][0]
        return {
            **_inputs(_without_own_tags(latest["LaunchTemplateData"])),
            "description": latest.get("VersionDescription") or None,
            "name": found[0]["LaunchTemplateName"],
            "latestVersion": found[0]["LatestVersionNumber"],
            "defaultVersion": found[0]["DefaultVersionNumber"],
            "tags": tags.of_resource(aws, identifier),
        }

    def update(self, aws: Calls, identifier: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        outputs: dict[str, Any] = {}
        if (_data(old), _description(old)) != (_data(new), _description(new)):
            made = aws.call(
                "ec2",
                "create_launch_template_version",
                LaunchTemplateId=identifier,
                LaunchTemplateData=_data(new),
                **_description(new),
            )["LaunchTemplateVersion"]
            outputs["latestVersion"] = made["VersionNumber"]
            if new.get("updateDefaultVersion"):
                aws.call(
                    "ec2",
                    "modify_launch_template",
                    LaunchTemplateId=identifier,
                    DefaultVersion=str(made["VersionNumber"]),
                )
                outputs["defaultVersion"] = made["VersionNumber"]
        tags.retag(aws, identifier, old, new)
        return outputs

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        aws.call("ec2", "delete_launch_template", LaunchTemplateId=identifier)

    def changes_with(self, changed: set[str]) -> frozenset[str]:
        versioned = changed & (_DATA | {"description"})
        return frozenset({"latestVersion", "defaultVersion"}) if versioned else frozenset()


def _description(inputs: dict[str, Any]) -> dict[str, str]:
    return {"VersionDescription": inputs["description"]} if inputs.get("description") else {}


def _data(inputs: dict[str, Any]) -> dict[str, Any]:
    """`LaunchTemplateData` of the EC2 API."""
    return {_RENAMED.get(name, pascal(name)): _shaped(inputs[name]) for name in sorted(_DATA & set(inputs))}


def _shaped(value: Any) -> Any:
    if isinstance(value, list):
        return [_shaped(item) for item in value]
    if not isinstance(value, dict):
        return value
    shaped: dict[str, Any] = {}
    for name, item in value.items():
        key = pascal(name)
        if name == "tags":
            shaped["Tags"] = tags.pairs(item)
        elif key in _FLAGS:
            shaped[key] = item in (True, "true")
        else:
            shaped[_INSIDE.get(key, key)] = _shaped(item)
    return shaped


def _without_own_tags(data: dict[str, Any]) -> dict[str, Any]:
    """Moto answers the tags of the template itself among those of what its instances have, in its first version."""
    listed = [each for each in data.get("TagSpecifications", []) if each["ResourceType"] != "launch-template"]
    rest = {key: value for key, value in data.items() if key != "TagSpecifications"}
    return {**rest, "TagSpecifications": listed} if listed else rest


def _inputs(data: dict[str, Any]) -> dict[str, Any]:
    """`LaunchTemplateData` as properties: the way back."""
    names = {_RENAMED.get(name, pascal(name)): name for name in _DATA}
    return {names[key]: _unshaped(value) for key, value in data.items() if key in names}


def _unshaped(value: Any) -> Any:
    if isinstance(value, list):
        return [_unshaped(item) for item in value]
    if not isinstance(value, dict):
        return value
    inside = {new: old for old, new in _INSIDE.items()}
    found: dict[str, Any] = {}
    for key, item in value.items():
        name = str(inside.get(key, key))
        name = f"{name[0].lower()}{name[1:]}"
        if key == "Tags":
            found[name] = tags.mapping(item)
        elif key in _FLAGS:
            found[name] = str(item).lower()
        else:
            found[name] = _unshaped(item)
    return found


KINDS: tuple[Kind, ...] = (LaunchTemplateKind(),)
