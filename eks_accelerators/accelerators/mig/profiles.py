"""The MIG profiles of each GPU model. Source: `data/mig-profiles.json`."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import floor
from types import MappingProxyType

from eks_accelerators.accelerators import data
from eks_accelerators.accelerators.instance_types import InstanceType


def resource_of(profile: str) -> str:
    """The resource of a profile under the strategy `mixed`; a label value and a resource name have no `+`."""
    return f"nvidia.com/mig-{profile.replace('+', '.')}"


@dataclass(frozen=True, slots=True)
class Profile:
    """One kind of GPU instance of one GPU model.

    ``size`` and ``starts`` are in memory slices: an instance takes ``size`` of them from one of ``starts`` on.
    ``maximum`` is how many the GPU takes of this profile alone.
    """

    name: str
    compute_slices: int
    size: int
    starts: tuple[int, ...]
    maximum: int

    @property
    def resource(self) -> str:
        """What a pod asks for under the strategy `mixed` (device plugin v0.20.0, `internal/rm/rm.go`)."""
        return resource_of(self.name)


@dataclass(frozen=True, slots=True)
class MigGpu:
    """A GPU model that MIG divides. ``profiles`` are by name, small ones first."""

    name: str
    memory_slices: int
    profiles: Mapping[str, Profile]


@cache
def gpus() -> tuple[MigGpu, ...]:
    """Every GPU model whose profiles and placements are known."""
    return tuple(_models().values())


def gpu_of(instance_type: InstanceType) -> MigGpu | None:
    """The GPU of an instance type; None where it has no MIG, or where its profiles are not known."""
    chip = instance_type.accelerator
    return _models().get((chip.name, chip.memory_mib)) if instance_type.mig_capable else None


def instance_memory_mib(gpu: MigGpu, profile: str, memory_mib: int) -> int:
    """The memory of an instance on a GPU of ``memory_mib``: its memory slices, less what the driver keeps.

    An estimate on the safe side; see `data/mig-profiles.json`.
    """
    share: float = data.load("mig-profiles")["instance_memory"]
    return floor(memory_mib * gpu.profiles[profile].size / gpu.memory_slices * share)


@cache
def _models() -> dict[tuple[str, int | None], MigGpu]:
    facts = data.load("mig-profiles")
    shapes, found = facts["shapes"], {}
    for row in facts["gpus"]:
        profiles = {
            name: Profile(
                name,
                shapes[shape]["compute"],
                shapes[shape]["size"],
                tuple(shapes[shape]["starts"]),
                shapes[shape]["maximum"],
            )
            for name, shape in row["profiles"].items()
        }
        found[row["accelerator"], row["memory_mib"]] = MigGpu(
            row["name"], facts["memory_slices"], MappingProxyType(profiles)
        )
    return found
