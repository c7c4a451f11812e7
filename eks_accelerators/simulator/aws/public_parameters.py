"""The public parameters of SSM that name the newest EKS images, and those images."""

import hashlib
import re
from functools import cache
from typing import Any

from eks_accelerators.accelerators import ami, kubernetes_versions
from eks_accelerators.simulator.aws.backend import Backend
from eks_accelerators.simulator.aws.operations import operations_of
from eks_accelerators.simulator.aws.refusals import ApiRefusal
from eks_accelerators.simulator.chapters import Chapter

operation = operations_of(Chapter(__doc__, source="EKS user guide `retrieve-ami-id`, read 2026-11-20."))

_EKS = re.compile(
    r"/aws/service/(eks/optimized-ami/(?P<version>[\d.]+)/.+|bottlerocket/aws-k8s-(?P<other>[\d.]+).*)/(?P<what>\w+)"
)


NO_PARAMETER = ApiRefusal("ParameterNotFound", "The parameter {name} does not exist.")

_AL2023 = {
    ("x86_64", "standard"): "AL2023_x86_64_STANDARD",
    ("x86_64", "nvidia"): "AL2023_x86_64_NVIDIA",
    ("x86_64", "neuron"): "AL2023_x86_64_NEURON",
    ("arm64", "standard"): "AL2023_ARM_64_STANDARD",
    ("arm64", "nvidia"): "AL2023_ARM_64_NVIDIA",
}
_PUBLISHED = "2026-10-12T00:00:00.000Z"
"""When all of them were made: they are models of an image of that day."""


@cache
def ami_types_by_image() -> dict[str, str]:
    """The AMI type of each image of Amazon Linux 2023 that a parameter names, by its ID."""
    return {
        _image(
            f"/aws/service/eks/optimized-ami/{version}/amazon-linux-2023/{arch}/{variant}/recommended/image_id"
        ): kind
        for version in kubernetes_versions.every()
        for (arch, variant), kind in _AL2023.items()
    }


@operation("ec2", "describe_images")
def describe_images(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """EKS's images of Amazon Linux 2023 by ID; all others are moto's."""
    filters = parameters.get("Filters", [])
    wanted = {value for each in filters if each["Name"] == "image-id" for value in each["Values"]}
    wanted |= set(parameters.get("ImageIds", []))
    known = ami_types_by_image()
    if not wanted or not wanted <= set(known):
        return account.moto("ec2", "describe_images", parameters)
    return {"Images": [_described(image, known[image]) for image in sorted(wanted)]}


@operation("ssm", "get_parameter", refusals=(NO_PARAMETER,))
def get_parameter(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """The value of one of them, or of a parameter that somebody made."""
    name = parameters["Name"]
    match = _EKS.fullmatch(name)
    if match:
        return {"Parameter": {"Name": name, "Type": "String", "Value": _value(match)}}
    if name.startswith("/aws/service/"):
        raise NO_PARAMETER(name=name)
    return account.moto("ssm", "get_parameter", parameters)


@operation("ssm", "get_parameters")
def get_parameters(_: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Values of those of the parameters that there are; every AMI type has an image."""
    found = {name: match for name in parameters["Names"] if (match := _EKS.fullmatch(name))}
    return {
        "Parameters": [{"Name": name, "Type": "String", "Value": _value(match)} for name, match in found.items()],
        "InvalidParameters": [name for name in parameters["Names"] if name not in found],
    }


def _value(match: re.Match[str]) -> str:
    if match["what"] == "image_id":
        return _image(match.string)
    return f"{match['version'] or match['other']}-simulated-latest"


def _image(parameter: str) -> str:
    return f"ami-{hashlib.sha256(parameter.encode()).hexdigest()[:17]}"


def _described(image: str, ami_type: str) -> dict[str, Any]:
    return {
        "ImageId": image,
        "Name": f"amazon-eks-node-{ami_type.lower().replace('_', '-')}-simulated",
        "Architecture": ami.architecture(ami_type),
        "CreationDate": _PUBLISHED,
        "State": "available",
        "Public": True,
        "VirtualizationType": "hvm",
        "RootDeviceName": "/dev/xvda",
    }
