"""What the pods of all workloads take of a node group at its desired size, and what they leave.

Source of the reasons for which pods wait: the scheduler of Kubernetes 1.35 (`pkg/scheduler/framework/plugins`), as it
writes them.
"""

from dataclasses import dataclass

from eks_accelerators.accelerators.node_capacity import HUGE_PAGES, headroom_for_workloads
from eks_accelerators.accelerators.sharing import NVIDIA_GPU_DEVICE_CLASS, Share
from eks_accelerators.settings.model.node_groups import AllocationPolicy
from eks_accelerators.settings.placement import Alike, Amounts, Placement, PlacementRequirements, place
from eks_accelerators.settings.pod_requests import PodRequests, pod_requests_of
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup
from eks_accelerators.settings.resolved_stack import ResolvedStack

NO_NODE = "node(s) didn't match Pod's node affinity/selector"
"""What the scheduler says of a pod whose node group has no node."""

UNEVEN = "node(s) didn't match pod topology spread constraints"
"""What it says of a pod whose only free places are on nodes that would have too many of its kind."""


@dataclass(frozen=True, slots=True)
class WorkloadHeadroom:
    """How the pods of one workload fare beside those of the others.

    ``placed`` of them have a place at the desired size, and ``pending`` none, for the ``reason`` that the scheduler gives.
    ``more`` further ones would have one; ``at_max`` is how many have one at the largest size when there are that many.
    ``memory_left_gib`` is what one pod leaves of its share, None where nobody knows.
    """

    asked: PodRequests
    placed: int
    more: int
    at_max: int
    short_of: str
    memory_left_gib: float | None

    @property
    def pending(self) -> int:
        """How many pods find no place."""
        return self.asked.pods - self.placed

    @property
    def reason(self) -> str | None:
        """Why pods stay Pending; None where none does."""
        return self.short_of if self.pending else None


@dataclass(frozen=True, slots=True)
class ShareHeadroom:
    """One kind of share, counted over the group at its desired size.

    ``memory_left_gib`` is what the pods leave of a GPU or MIG instance on which they ``take_turns``, the fullest there is;
    otherwise what the largest pod leaves of its own share. None where nobody knows.
    """

    share: Share
    offered: int
    offered_at_max: int
    asked_by: tuple[WorkloadHeadroom, ...]
    take_turns: bool
    memory_left_gib: float | None

    @property
    def taken(self) -> int:
        """By the pods that find a place."""
        return sum(one.placed * one.asked.count for one in self.asked_by)

    @property
    def left(self) -> int:
        """Number of shares that no pod takes."""
        return self.offered - self.taken


@dataclass(frozen=True, slots=True)
class GroupHeadroom:
    """The whole account of a node group. ``nodes_without_pods`` have none of any workload at the desired size."""

    group: ResolvedNodeGroup
    shares: tuple[ShareHeadroom, ...]
    workloads: tuple[WorkloadHeadroom, ...]
    nodes_without_pods: int


def headroom_of(stack: ResolvedStack, name: str) -> GroupHeadroom:
    """The account of the node group ``name``. Where workloads compete, those written first come first."""
    asked, group = pod_requests_of(stack, name), stack.groups[name]
    size = group.settings.size
    now, at_max = _placement(asked, group, size.desired), _placement(asked, group, size.max)
    users = tuple(_workload(one, index, group, now, at_max) for index, one in enumerate(asked))
    shares = tuple(_share(share, group, users, now) for share in group.shares)
    empty = sum(nodes.count for nodes in now.nodes if not any(nodes.pods))
    return GroupHeadroom(group, shares, users, empty)


def node_capacity(group: ResolvedNodeGroup) -> Amounts:
    """What pods can ask one node for, besides those of DaemonSets; CPU in millicores, memory in MiB."""
    headroom = headroom_for_workloads(group.type, efa=group.has_efa, storage_drivers=group.storage_drivers)
    devices = {**group.resources, **{share.resource: share.count for share in group.shares}}
    return {
        **devices,
        HUGE_PAGES: group.huge_pages_mib,
        "cpu": headroom.millicores,
        "memory": headroom.memory_mib,
        "pods": headroom.pods,
    }


def _placement(asked: tuple[PodRequests, ...], group: ResolvedNodeGroup, nodes: int) -> Placement:
    return place([_requirements(one) for one in asked], node_capacity(group), nodes)


def _requirements(one: PodRequests) -> PlacementRequirements:
    return PlacementRequirements(
        0 if one.untolerated else one.pods,
        one.request,
        together=one.together,
        max_skew=one.spread.max_skew if one.spread else None,
        min_domains=one.spread.min_domains if one.spread else 1,
        packed=one.packed,
    )


def _workload(
    one: PodRequests, index: int, group: ResolvedNodeGroup, now: Placement, at_max: Placement
) -> WorkloadHeadroom:
    share = next((share for share in group.shares if share.resource == one.resource), None)
    return WorkloadHeadroom(
        one,
        placed=now.placed(index),
        more=0 if one.untolerated else now.more(index),
        at_max=0 if one.untolerated else at_max.placed(index) + at_max.more(index),
        short_of=_short_of(one, index, now),
        memory_left_gib=_left_in_share(share, [one.memory_gib]) if share else None,
    )


def _short_of(one: PodRequests, index: int, now: Placement) -> str:
    """Why one pod more than there is room for stays Pending, as the scheduler puts it."""
    if not now.nodes:
        return NO_NODE
    if one.untolerated:
        return f"node(s) had untolerated taint(s) {one.untolerated[0]}"
    short = now.short_of(index)
    if not short and one.spread:
        return UNEVEN
    # What DaemonSets leave of processors and memory is an estimate; devices are counted.
    devices = [name for name in short if name not in ("cpu", "memory", "pods")]
    words = {"pods": "Too many pods", NVIDIA_GPU_DEVICE_CLASS: "cannot allocate all claims"}
    return ", ".join(words.get(name, f"Insufficient {name}") for name in devices or short)


def _share(
    share: Share, group: ResolvedNodeGroup, users: tuple[WorkloadHeadroom, ...], now: Placement
) -> ShareHeadroom:
    size, take_turns = group.settings.size, share.sharers > 1 and group.sharing.strategy != "mps"
    here = {index: user for index, user in enumerate(users) if user.asked.resource == share.resource}
    left = _left_in_share(share, [user.asked.memory_gib for user in here.values()])
    if take_turns:
        packed = group.sharing.allocation_policy == AllocationPolicy.PACKED
        left = _left_on_the_fullest(share, {index: user.asked for index, user in here.items()}, now, packed=packed)
    return ShareHeadroom(
        share,
        offered=share.count * size.desired,
        offered_at_max=share.count * size.max,
        asked_by=tuple(here.values()),
        take_turns=take_turns,
        memory_left_gib=left,
    )


def _left_in_share(share: Share, taken: list[float | None]) -> float | None:
    """What the largest of these pods leaves of its own share."""
    if share.gib is None or None in taken:
        return None
    return max(0.0, share.gib - max((each for each in taken if each), default=0.0))


def _left_on_the_fullest(share: Share, asked: dict[int, PodRequests], now: Placement, *, packed: bool) -> float | None:
    """What is left of the GPU or MIG instance that has the most pods, and of those the largest."""
    if share.device_gib is None:
        return None
    taken = [_most_on_one_device(share, asked, nodes, packed=packed) for nodes in now.nodes]
    return None if None in taken else max(0.0, share.device_gib - max((each for each in taken if each), default=0.0))


def _most_on_one_device(share: Share, asked: dict[int, PodRequests], nodes: Alike, *, packed: bool) -> float | None:
    """GiB that its pods take together; None where that of one is not known."""
    shares = [(one.memory_gib, nodes.pods[index] * one.count) for index, one in asked.items() if nodes.pods[index]]
    total = sum(count for _, count in shares)
    places = min(share.sharers, total) if packed else -(-total * share.sharers // share.count)
    taken = 0.0
    for each, count in sorted(shares, key=lambda pair: -(pair[0] or 0)):
        if each is None:
            return None
        taken += each * min(count, places)
        places -= min(count, places)
    return taken
