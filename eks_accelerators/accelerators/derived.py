"""What follows from an instance type's accelerator and family, where no source says it of the type itself."""

from eks_accelerators.accelerators import quotas

_RESOURCES = {"NVIDIA": "nvidia.com/gpu", "AWS": "aws.amazon.com/neuron"}
_AMI_TYPES = {
    ("NVIDIA", "x86_64"): ("AL2023_x86_64_NVIDIA", "BOTTLEROCKET_x86_64_NVIDIA"),
    ("NVIDIA", "arm64"): ("AL2023_ARM_64_NVIDIA", "BOTTLEROCKET_ARM_64_NVIDIA"),
    ("AWS", "x86_64"): ("AL2023_x86_64_NEURON", "BOTTLEROCKET_x86_64"),
    ("AWS", "arm64"): ("CUSTOM",),
}
_CLASSES = {"g": "G and VT", "gr": "G and VT", "p": "P", "trn": "Trn", "inf": "Inf"}
"""Letters of a family, and the class under which EC2 counts it. Source: EC2 user guide `ec2-instance-quotas`."""


def family(name: str) -> str:
    """The part of a type's name before the dot."""
    return name.partition(".")[0]


def resource(manufacturer: str) -> str:
    """The extended resource that the maker's device plugin advertises."""
    return _RESOURCES[manufacturer]


def ami_types(manufacturer: str, architecture: str) -> tuple[str, ...]:
    """EKS's image types for the maker's accelerators; which accelerators their driver knows is another matter.

    Source: EKS user guide `eks-optimized-amis`, as `data/ami.json`.
    """
    return _AMI_TYPES[manufacturer, architecture]


def on_demand_quota(name: str) -> str | None:
    """The code of the quota that counts a type on demand, which its family's letters tell; None where they tell none."""
    letters = next((name[:index] for index, char in enumerate(name) if not char.isalpha()), name)
    return quotas.code(f"Running On-Demand {_CLASSES.get(letters, '')} instances")
