"""Where AWS publishes the images of an EKS AMI type: names of images, and of the parameters that hold the newest release.

Sources: EKS user guide `retrieve-ami-id` and `retrieve-ami-id-bottlerocket`, and the release notes of amazon-eks-ami and
bottlerocket, read 2026-11-20. The name of an AL2023 NVIDIA image has carried the driver's version at times.
"""

from eks_accelerators.accelerators.ami import architecture, is_bottlerocket


def newest_release_parameter(ami_type: str, kubernetes_version: str) -> str | None:
    """The public SSM parameter that holds the newest release; None where AWS publishes none, as for a custom image."""
    if is_bottlerocket(ami_type):
        machine = architecture(ami_type)
        return f"/aws/service/bottlerocket/{_bottlerocket(ami_type, kubernetes_version)}/{machine}/latest/image_version"
    if ami_type.startswith("AL2023_"):
        machine, variant = architecture(ami_type), _variant(ami_type)
        return (
            f"/aws/service/eks/optimized-ami/{kubernetes_version}/amazon-linux-2023/{machine}/{variant}"
            "/recommended/release_version"
        )
    return None


def newest_image_parameter(ami_type: str, kubernetes_version: str) -> str | None:
    """The public SSM parameter that holds the ID of the newest image."""
    release = newest_release_parameter(ami_type, kubernetes_version)
    return f"{release.rpartition('/')[0]}/image_id" if release else None


def image_name(ami_type: str, kubernetes_version: str, release_version: str) -> str | None:
    """The name, with `*` as in a filter, of the image of a release such as `1.35.1-20261012`."""
    if is_bottlerocket(ami_type):
        release = release_version.removeprefix("v")
        return f"bottlerocket-{_bottlerocket(ami_type, kubernetes_version)}-{architecture(ami_type)}-v{release}*"
    if ami_type.startswith("AL2023_"):
        machine, variant = architecture(ami_type), _variant(ami_type)
        date = release_version.rpartition("-")[2].removeprefix("v")
        return f"amazon-eks-node-al2023-{machine}-{variant}*-{kubernetes_version}-v{date}"
    return None


def _variant(ami_type: str) -> str:
    return ami_type.rpartition("_")[2].lower()


def _bottlerocket(ami_type: str, kubernetes_version: str) -> str:
    parts = ["aws-k8s", kubernetes_version]
    parts += [name for name in ("nvidia", "fips") if name.upper() in ami_type.split("_")]
    return "-".join(parts)
