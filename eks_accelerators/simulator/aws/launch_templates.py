"""The data of a launch template's version, as a node group reads it, and what it makes of an instance."""

import base64
from typing import Any

from eks_accelerators.simulator.aws.backend import Backend
from eks_accelerators.simulator.aws.errors import AwsError
from eks_accelerators.simulator.aws.refusals import ApiRefusal

TEMPLATE_OF_EC2 = ApiRefusal("InvalidParameterException", "{words_of_ec2}")
NO_TEMPLATE_VERSION = ApiRefusal("InvalidParameterException", "Launch template version {version} does not exist")
OF_TEMPLATES = (TEMPLATE_OF_EC2, NO_TEMPLATE_VERSION)


def template_data(account: Backend, reference: dict[str, Any]) -> dict[str, Any]:
    """What the version says; ``reference`` has `id` or `name`, and `version`. Refuses one that is not there."""
    which = {"LaunchTemplateId": reference["id"]} if "id" in reference else {"LaunchTemplateName": reference["name"]}
    version = str(reference.get("version", "$Default"))
    try:
        found = account.moto("ec2", "describe_launch_template_versions", {**which, "Versions": [version]})
    except AwsError as error:
        raise TEMPLATE_OF_EC2(words_of_ec2=error.message) from None
    versions = found["LaunchTemplateVersions"]
    if not versions:
        raise NO_TEMPLATE_VERSION(version=version)
    data: dict[str, Any] = versions[0]["LaunchTemplateData"]
    return data


def efa_interfaces(template: dict[str, Any]) -> int:
    """Number of EFA interfaces that an instance gets."""
    return sum(each.get("InterfaceType") in ("efa", "efa-only") for each in template.get("NetworkInterfaces", []))


def data_volume_gib(template: dict[str, Any]) -> int:
    """Size of the volume that images and pods are on: the last, as Bottlerocket has its system on the first.

    20 GiB where the template says nothing. Source: EKS API, `diskSize`.
    """
    sizes = [each.get("Ebs", {}).get("VolumeSize") for each in template.get("BlockDeviceMappings", [])]
    known = [size for size in sizes if size]
    return int(known[-1]) if known else 20


def user_data(template: dict[str, Any]) -> str:
    """The user data as text; empty where there is none."""
    return base64.b64decode(template["UserData"]).decode() if "UserData" in template else ""
