"""What is said only because something else is wrong, and is left out until that is put right.

Both are about the same node group, Capacity Block, storage or workload, or about a workload and what it runs on or mounts.
"""

from collections.abc import Iterator, Mapping, Sequence

from eks_accelerators.settings.model import Settings
from eks_accelerators.settings.paths import Part, split
from eks_accelerators.settings.problems import Problem

_LENGTH = {"workloads": 3}
"""Parts of the path of one thing, where they are not two: workloads are by kind and name."""

_WAITING = ("workload-waits", "autoscaling-waits-for-nodes")
_ROOM = (*_WAITING, "workload-request", "workloads-together", "volume-zone-crossed")
_OF_NO_REGION = ("price-unknown", "type-not-in-zone")
_OF_REGION = (*_OF_NO_REGION, "region-unknown", "alert-receiver", "managed-prometheus-region", "s3-files-region")
_BETWEEN_NODES = ("server-nodes-efa", "server-nodes-uneven")

CONSEQUENCES: Mapping[str, tuple[str, ...]] = {
    "autoscaling-beside-replicas": ("workload-waits",),
    "autoscaling-bounds": _WAITING,
    "capacity-block-not-named": ("capacity-block-unused", "capacity-block-type-not-sold"),
    "capacity-block-type-not-sold": ("capacity-block-type-differs",),
    "efa-not-supported": ("workload-efa", "server-nodes-efa"),
    "region-unknown": _OF_NO_REGION,
    "server-nodes-layers": _BETWEEN_NODES,
    "server-nodes-shared": _BETWEEN_NODES,
    "server-nodes-size": (*_BETWEEN_NODES, *_ROOM),
    "server-nodes-whole": _BETWEEN_NODES,
    "size-order": (*_ROOM, "scheduled-scaling-sizes", "server-nodes-size"),
    "storage-one-kind": ("volume-read-only", "volume-zone", "volume-zone-crossed", "node-cache-disks"),
    "storage-zone": ("volume-zone", "volume-zone-crossed"),
    "ultraserver-not-available": ("capacity-type-not-sold", "price-unknown", "type-not-in-zone"),
    "volume-unknown": ("storage-unused",),
    "workload-not-on-gpu": _ROOM,
    "workload-not-on-neuron": _ROOM,
    "workload-request": (*_WAITING, "load-on-one-gpu"),
    "workload-tensor-parallel": ("workload-request",),
    "workloads-together": _WAITING,
    "zones-of-region": _OF_REGION,
}
"""By the code of a problem: codes of what follows from it."""

_EVERYWHERE = {"capacity-block-not-named": ("capacity-block-unused",), "volume-unknown": ("storage-unused",)}
"""Those that follow wherever they are found: the error does not say which it leaves out."""


def without_consequences(problems: Sequence[Problem], settings: Settings) -> list[Problem]:
    """The problems without those that follow from others among them."""
    causes = [problem for problem in problems if problem.code in CONSEQUENCES]
    return [problem for problem in problems if not any(_follows(problem, cause, settings) for cause in causes)]


def _follows(problem: Problem, cause: Problem, settings: Settings) -> bool:
    if problem.code not in CONSEQUENCES[cause.code]:
        return False
    if problem.code in _EVERYWHERE.get(cause.code, ()) or cause.path == "region":
        return True
    if cause.code == "zones-of-region":
        return False  # the region is known, and what is said of it stands
    return split(cause.path)[: _LENGTH.get(str(split(cause.path)[0]), 2)] in _subjects(problem, settings)


def _subjects(problem: Problem, settings: Settings) -> Iterator[tuple[Part, ...]]:
    """What a problem is about, and what that runs on, mounts or is bought with, as paths."""
    parts = split(problem.path)
    own = parts[: _LENGTH.get(str(parts[0]), 2)]
    yield own
    for kind, name, workload in settings.workloads.each():
        if own == ("workloads", kind, name):
            yield ("nodeGroups", workload.node_group)
            yield from (("storage", use.storage) for use in workload.storage_uses)
    group = settings.node_groups.get(str(own[-1])) if own[0] == "nodeGroups" else None
    if group and group.capacity_block:
        yield ("capacityBlocks", group.capacity_block)
