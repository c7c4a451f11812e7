"""What follows from an instance type's accelerator and family, where no source says it of the type itself."""

from eks_accelerators.accelerators import data, quotas
from eks_accelerators.accelerators.sharing import NEURON_DEVICE, NVIDIA_GPU

_RESOURCES = {"NVIDIA": NVIDIA_GPU, "AWS": NEURON_DEVICE}
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

    Source: `data/ami.json`.
    """
    return tuple(data.load("ami")["of_accelerators"][manufacturer][architecture])


def on_demand_quota(name: str) -> str | None:
    """The code of the quota that counts a type on demand, which its family's letters tell; None where they tell none."""
    letters = next((name[:index] for index, char in enumerate(name) if not char.isalpha()), name)
    return quotas.code(f"Running On-Demand {_CLASSES.get(letters, '')} instances")
