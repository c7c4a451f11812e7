"""Service quotas of EC2: all in vCPUs, by region, and 0 for accelerated types until somebody asks for more.

Source: `data/quotas.json`.
"""

from eks_accelerators.accelerators import data

SERVICE = "ec2"


def name(code: str) -> str:
    """What AWS calls the quota; the code itself where that is not known."""
    names: dict[str, str] = data.load("quotas")["names"]
    return names.get(code, code)


def codes() -> tuple[str, ...]:
    """The codes of all that are known."""
    return tuple(data.load("quotas")["names"])


def standard_on_demand() -> str:
    """Code of the quota for instances without accelerators, on demand."""
    code: str = data.load("quotas")["standard_on_demand"]
    return code


def update_surge(*, zones: int, max_unavailable: int, minimal: bool) -> int:
    """How many nodes EKS adds beyond the largest size while it replaces nodes.

    ``minimal`` is the update strategy that drains before it launches.
    """
    return 0 if minimal else max(2 * zones, max_unavailable)


def code(name: str) -> str | None:
    """The code of the quota that AWS calls ``name``; None where it is not known."""
    names: dict[str, str] = data.load("quotas")["names"]
    return next((code for code, known in names.items() if known == name), None)
