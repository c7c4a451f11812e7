"""Kubernetes versions on Amazon EKS and the dates on which their support ends.

Source: `data/kubernetes-versions.json`. Only a snapshot: AWS knows the current list
(`aws eks describe-cluster-versions`).
"""

from dataclasses import dataclass
from datetime import date
from functools import cache

from eks_accelerators.accelerators import data


@dataclass(frozen=True, slots=True)
class KubernetesVersion:
    """A minor version; None where the date is not known."""

    name: str
    end_of_standard_support: date | None
    end_of_extended_support: date | None


@cache
def every() -> dict[str, KubernetesVersion]:
    """The known versions by name, oldest first."""
    return {
        name: KubernetesVersion(name, _date(row["end_of_standard_support"]), _date(row["end_of_extended_support"]))
        for name, row in data.load("kubernetes-versions")["versions"].items()
    }


def default() -> str:
    """The version used where the settings name none."""
    version: str = data.load("kubernetes-versions")["default"]
    return version


def at_least(version: str, minimum: str) -> bool:
    """Whether ``version`` is ``minimum`` or newer; both as `1.35`."""
    return numbers_of(version) >= numbers_of(minimum)


def numbers_of(version: str) -> tuple[int, ...]:
    """`1.35` as 1 and 35: in the order of these, and not of texts, 1.9 is older than 1.35."""
    return tuple(map(int, version.split(".")))


def _date(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None
