"""Which EKS AMI types fit an instance type, and which AMI releases must not be used.

Sources: `amiType` of the EKS API (botocore 1.44.5), the EKS user guide `ml-eks-optimized-ami` and the
amazon-eks-ami release notes v20260930, v20261003 and v20261012; read 2026-11-20.
"""

from functools import cache
from typing import Any

from eks_accelerators.accelerators import data, kubernetes_versions, system_instance_types
from eks_accelerators.accelerators.instance_types import InstanceType


@cache
def _facts() -> dict[str, Any]:
    facts: dict[str, Any] = data.load("ami")
    return facts


@cache
def known_types() -> tuple[str, ...]:
    """Every `amiType` that the EKS API takes and that AWS still publishes images for."""
    return tuple(_facts()["types"])


def is_amazon_linux_2(ami_type: str) -> bool:
    """Whether AWS has stopped publishing the AMI type: all of Amazon Linux 2 since 2025-11-26."""
    return ami_type.startswith("AL2_")


def is_bottlerocket(ami_type: str) -> bool:
    """Whether the AMI type is a Bottlerocket one, whose user data is TOML."""
    return ami_type.startswith("BOTTLEROCKET_")


def architecture(ami_type: str) -> str:
    """The processor architecture, as the EC2 API spells it."""
    return "arm64" if "ARM_64" in ami_type else "x86_64"


def carries_nvidia_driver(ami_type: str) -> bool:
    """Whether the image contains the NVIDIA driver and container toolkit."""
    return "NVIDIA" in ami_type


def runs_nvidia_device_plugin(ami_type: str) -> bool:
    """Whether the image runs the NVIDIA device plugin itself, so that the chart must stay off it."""
    return is_bottlerocket(ami_type) and carries_nvidia_driver(ami_type)


def fitting_types(instance_type: InstanceType, kubernetes_version: str) -> tuple[str, ...]:
    """AMI types with the right driver for ``instance_type``, the default first.

    ``CUSTOM`` alone means that no published EKS AMI carries a driver new enough (g7), or that the
    Kubernetes version is too old for the instance type's only image.
    """
    minimum = _facts()["minimum_kubernetes_version"].get(instance_type.family)
    if minimum and not kubernetes_versions.at_least(kubernetes_version, minimum):
        return ("CUSTOM",)
    return instance_type.ami_types


def default_type(instance_type: InstanceType, kubernetes_version: str) -> str:
    """The AMI type used where the settings name none."""
    return fitting_types(instance_type, kubernetes_version)[0]


def bad_release(release_version: str, kubernetes_version: str) -> str | None:
    """Why the AMI release must not be used on that Kubernetes version, or None.

    ``release_version`` is the EKS form, such as ``1.35.1-20261012``.
    """
    date = release_version.rpartition("-")[2].removeprefix("v")
    for entry in _facts()["bad_releases"]:
        if date == entry["date"] and kubernetes_version in entry["kubernetes_versions"]:
            return f"{entry['reason']}; fixed in {entry['fixed_in']}"
    return None


def system_type(instance_type: str) -> str:
    """The AMI type of nodes without accelerators."""
    arm = system_instance_types.architecture(instance_type) == "arm64"
    return "AL2023_ARM_64_STANDARD" if arm else "AL2023_x86_64_STANDARD"
