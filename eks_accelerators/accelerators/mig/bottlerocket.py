"""MIG as Bottlerocket's own manager sets it: one profile for every GPU, as often as it fits.

Source: `data/bottlerocket-mig.json`: the settings `kubelet-device-plugins.nvidia.mig.profile` and `nvidia-migmanager`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from eks_accelerators.accelerators import data
from eks_accelerators.accelerators.findings import Finding
from eks_accelerators.accelerators.mig.layouts import Layout, written
from eks_accelerators.accelerators.mig.profiles import MigGpu


@dataclass(frozen=True, slots=True)
class ManagedGpu:
    """A GPU model that the manager knows.

    ``key`` is what the settings call it. ``profiles`` has how many instances of each profile one GPU is divided into,
    the whole GPU last.
    """

    key: str
    profiles: Mapping[str, int]

    def made_of(self, profile: str) -> Layout:
        """How each GPU is divided where the settings say ``profile``: one it does not know becomes the whole GPU."""
        known = profile if profile in self.profiles else list(self.profiles)[-1]
        return {known: self.profiles[known]}


def managed(gpu: MigGpu) -> ManagedGpu | None:
    """The GPU as the manager knows it; None where it does not."""
    return _managed().get(gpu.name)


def layouts(gpu: MigGpu) -> tuple[Layout, ...]:
    """Every layout that Bottlerocket can divide ``gpu`` into."""
    known = managed(gpu)
    return tuple({profile: count} for profile, count in known.profiles.items()) if known else ()


def takes_profile(profile: str) -> bool:
    """Whether the settings take such a text as a profile, whatever the GPU."""
    return re.fullmatch(data.load("bottlerocket-mig")["profile_pattern"], profile, re.ASCII) is not None


def layout_problem(gpu: MigGpu, layout: Layout) -> Finding | None:
    """Why Bottlerocket cannot divide ``gpu`` so; every profile must be one of it."""
    known = managed(gpu)
    if known is None:
        return Finding("mig-bottlerocket", "", f"Bottlerocket's MIG manager does not know {gpu.name}")
    for profile in layout:
        if profile not in known.profiles:
            made = f"its MIG manager makes {written(known.made_of(profile))} of each GPU instead"
            why = made if takes_profile(profile) else "its settings refuse such a text, and the node does not join"
            message = f"Bottlerocket does not know {profile}: {why}"
            return Finding("mig-bottlerocket-profile", profile, message)
    if len(layout) != 1 or known.made_of(next(iter(layout))) != layout:
        message = f"{written(layout)}: Bottlerocket divides every GPU into one profile, as often as it fits"
        return Finding("mig-bottlerocket", "", message)
    return None


@cache
def _managed() -> dict[str, ManagedGpu]:
    return {
        gpu["name"]: ManagedGpu(key, MappingProxyType(gpu["profiles"]))
        for key, gpu in data.load("bottlerocket-mig")["gpus"].items()
        if gpu["name"]
    }
