"""Which MIG instances fit on one GPU together.

An instance may start at certain memory slices only, and no two may overlap. So a layout whose compute slices sum up
to seven may still be impossible: 3g + 3g + 1g takes nine memory slices of eight.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product

from eks_accelerators.accelerators.mig.layouts import Layout
from eks_accelerators.accelerators.mig.profiles import MigGpu, Profile


@dataclass(frozen=True, slots=True)
class MigInstance:
    """A GPU instance in its place: ``size`` memory slices from ``start`` on, counted from 0."""

    profile: str
    start: int
    size: int


def place(gpu: MigGpu, layout: Layout) -> tuple[MigInstance, ...] | None:
    """One placement of ``layout``, in the order of the memory slices; None where there is none.

    Every profile must be one of ``gpu``. The driver may choose another placement of the same layout.
    """
    if any(count > gpu.profiles[name].maximum for name, count in layout.items()):
        return None
    if sum(gpu.profiles[name].size * count for name, count in layout.items()) > gpu.memory_slices:
        return None
    wanted = [gpu.profiles[name] for name, count in layout.items() for _ in range(count)]
    # Large ones first: they have the fewest places.
    wanted.sort(key=lambda profile: (-profile.size, -profile.compute_slices, profile.name))
    found = _place(wanted, frozenset())
    return None if found is None else tuple(sorted(found, key=lambda instance: instance.start))


def _place(wanted: list[Profile], taken: frozenset[int]) -> list[MigInstance] | None:
    if not wanted:
        return []
    profile, *rest = wanted
    for start in profile.starts:
        slices = frozenset(range(start, start + profile.size))
        if not slices & taken:
            found = _place(rest, taken | slices)
            if found is not None:
                return [MigInstance(profile.name, start, profile.size), *found]
    return None


def layouts(gpu: MigGpu) -> tuple[Layout, ...]:
    """Every layout that ``gpu`` can be divided into: 127 for a GPU of seven compute slices."""
    return _layouts(gpu.name, tuple(gpu.profiles.values()), gpu.memory_slices)


def nearest(gpu: MigGpu, layout: Layout, limit: int = 5) -> list[Layout]:
    """Possible layouts that need the fewest instances of ``layout`` added, removed or replaced; the nearest first.

    Among equals the one whose compute slices differ least comes first, then the one that leaves least memory over.
    Every profile must be one of ``gpu``.
    """

    def distance(candidate: Layout) -> tuple[int, int, int, str]:
        wanted, offered = Counter(layout), Counter(candidate)
        changes = max((wanted - offered).total(), (offered - wanted).total())
        compute = sum(gpu.profiles[name].compute_slices * count for name, count in (wanted - offered).items())
        compute -= sum(gpu.profiles[name].compute_slices * count for name, count in (offered - wanted).items())
        memory = sum(gpu.profiles[name].size * count for name, count in candidate.items())
        return changes, abs(compute), -memory, str(sorted(candidate.items()))

    return sorted(layouts(gpu), key=distance)[:limit]


@cache
def _layouts(name: str, profiles: tuple[Profile, ...], memory_slices: int) -> tuple[Layout, ...]:
    gpu = MigGpu(name, memory_slices, {profile.name: profile for profile in profiles})
    return tuple(layout for layout in _counted(profiles) if layout and place(gpu, layout) is not None)


def _counted(profiles: tuple[Profile, ...]) -> Iterator[Layout]:
    for counts in product(*(range(profile.maximum + 1) for profile in profiles)):
        yield {profile.name: count for profile, count in zip(profiles, counts, strict=True) if count}
