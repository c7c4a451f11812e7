"""Builds of EKS's managed add-ons, by Kubernetes version: those that are known, of which AWS has more.

Source: `data/addon-versions.json`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from eks_accelerators.accelerators import data


@dataclass(frozen=True, slots=True)
class AddonVersion:
    """A build of an add-on, the Kubernetes versions that it runs on, and those of which it is the default."""

    name: str
    kubernetes_versions: tuple[str, ...]
    default_of: tuple[str, ...]


@cache
def every() -> Mapping[str, tuple[AddonVersion, ...]]:
    """The builds by the name of the add-on, the newest first."""
    rows = data.load("addon-versions")["versions"].items()
    return MappingProxyType(
        {addon: tuple(AddonVersion(name, tuple(on), tuple(of)) for name, on, of in builds) for addon, builds in rows}
    )


def default(addon: str, kubernetes_version: str) -> str | None:
    """The build that EKS takes where none is named; None where it is not known."""
    return next((each.name for each in every().get(addon, ()) if kubernetes_version in each.default_of), None)
