"""What a node group would refuse at its desired size, why, and what to do about it.

Sources: Kubernetes scheduler (`Insufficient ...`, `untolerated taint`), k8s-device-plugin v0.20.0 `internal/rm/rm.go`
(requests above one share), CUDA MPS documentation (limit of pinned memory); read 2026-11-20.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from eks_accelerators.accelerators.number_of import number_of
from eks_accelerators.accelerators.sharing import Share
from eks_accelerators.settings.fit import Fit, longest_context
from eks_accelerators.settings.headroom import NO_NODE, GroupHeadroom, WorkloadHeadroom
from eks_accelerators.settings.language_models import language_model_of
from eks_accelerators.settings.model.node_autoscaling import NodeAutoscaler
from eks_accelerators.settings.model.node_groups import CapacityType
from eks_accelerators.settings.model.vllm import VllmWorkload
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup
from eks_accelerators.settings.resolved_stack import PlacedWorkload

CODES = (
    "no-node",
    "workload-beyond-headroom",
    "share-beyond-headroom",
    "more-than-a-node",
    "two-shares",
    "other-resource",
    "no-toleration",
    "longer-context",
    "memory-above-share",
)
"""What can be refused, by the code of the documented JSON (`docs/json.md`)."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """``what`` would be refused and ``why``, in the words of who refuses it; ``fix`` is the next step."""

    code: str
    what: str
    why: str
    fix: str

    def __str__(self) -> str:
        return f"{self.what}: {self.why}; {self.fix}"


def refused(headroom: GroupHeadroom, workloads: Iterable[PlacedWorkload]) -> tuple[Refusal, ...]:
    """Everything that ``headroom`` would not take, what concerns ``workloads``, those of the group, first."""
    group = headroom.group
    return (
        *_pods(headroom),
        *(refusal for share in group.shares for refusal in _requests(group, share)),
        *_names(group),
        *_tolerations(group),
        *_contexts(workloads),
        *(refusal for share in group.shares for refusal in _memory(group, share)),
    )


def _pods(headroom: GroupHeadroom) -> Iterator[Refusal]:
    group, size = headroom.group, headroom.group.settings.size
    if not size.desired:
        yield Refusal("no-node", "any pod", f"Pending, {NO_NODE}", _until_there_are_nodes(group))
        return
    for user in headroom.workloads:
        yield _of_workload(user, group)
    for share in headroom.shares:
        if not share.asked_by:
            resource = share.share.resource
            yield Refusal(
                "share-beyond-headroom",
                f"more than {share.offered:,} {resource}",
                f"Pending, a node has {share.share.count:,}",
                f"{number_of(size.max, 'node')} would have {share.offered_at_max:,}"
                if size.max > size.desired
                else "raise size.max",
            )


def _of_workload(user: WorkloadHeadroom, group: ResolvedNodeGroup) -> Refusal:
    asked, size = user.asked, group.settings.size
    if asked.untolerated:
        fix = f"tolerate {', '.join(map(str, asked.untolerated))}"
    elif user.at_max == 0:
        fix = "ask for less, or use a larger type"
    elif asked.together:
        fix = "all have to be on one node, so fewer of them, or a larger type"
    elif user.at_max > user.placed + user.more:
        fix = f"{number_of(size.max, 'node')} would hold {user.at_max:,}"
    else:
        fix = "raise size.max"
    most = user.placed + user.more
    what = f"more than {number_of(most, 'pod')} of {asked.name}"
    if user.pending:
        what = f"{user.pending:,} of {number_of(asked.pods, 'pod')} of {asked.name}"
    return Refusal("workload-beyond-headroom", what, f"Pending, {user.short_of}", fix)


def _until_there_are_nodes(group: ResolvedNodeGroup) -> str:
    wanted = group.settings
    if wanted.bought_as is CapacityType.CAPACITY_BLOCK and wanted.capacity_block:
        return f"no node until Capacity Block {wanted.capacity_block} starts"
    if wanted.size.max == 0:
        return "no node until size.max is raised"
    if wanted.autoscaler is not NodeAutoscaler.NONE:
        return f"no node until {wanted.autoscaler.value} brings one for it, {wanted.size.max:,} at most"
    by_schedule = [each.name for each in wanted.scheduled_scaling if each.desired]
    how = f"scheduled scaling {by_schedule[0]}, " if by_schedule else ""
    return f"no node until {how}an autoscaler or size.desired brings one, {wanted.size.max:,} at most"


def _requests(group: ResolvedNodeGroup, share: Share) -> Iterator[Refusal]:
    name = share.resource
    if share.sharers > 1 and group.sharing.fail_requests_greater_than_one:
        why = "UnexpectedAdmissionError, by failRequestsGreaterThanOne"
        yield Refusal("two-shares", f"a pod that asks for 2 {name}", why, "ask for 1")
    else:
        asks, ask = ("claims", "claim") if group.is_claimed else ("asks for", "ask for")
        what = f"a pod that {asks} {share.count + 1} {name}"
        yield Refusal("more-than-a-node", what, f"Pending, a node has {share.count}", f"{ask} at most {share.count}")


def _names(group: ResolvedNodeGroup) -> Iterator[Refusal]:
    plain, offered = group.type.resource, [share.resource for share in group.shares]
    if plain not in offered:
        why = f"Insufficient {plain}, the group advertises none"
        how = "claim a device of" if group.is_claimed else "ask for"
        yield Refusal("other-resource", f"a pod that asks for {plain}", why, f"{how} {' or '.join(offered)}")


def _tolerations(group: ResolvedNodeGroup) -> Iterator[Refusal]:
    for taint in group.taints:
        if taint.effect == "PreferNoSchedule":
            continue
        # Who asks for a resource of the taint's name tolerates it without a word: see `eks_accelerators.settings.pod_requests`.
        by_name = any(share.resource == taint.key for share in group.shares) and taint.effect == "NoSchedule"
        what = f"a pod without the toleration {taint}" + (f" that does not ask for {taint.key}" if by_name else "")
        yield Refusal("no-toleration", what, "Pending, node(s) had untolerated taint(s)", f"tolerate {taint}")


def _contexts(workloads: Iterable[PlacedWorkload]) -> Iterator[Refusal]:
    """Of every model that is served here: what no longer fits the memory of its share."""
    for one in workloads:
        found, fit, group = language_model_of(one.workload), one.fit, one.group
        if not (found and isinstance(fit, Fit) and fit.shape and fit.share):
            continue
        below, workload = found
        longest = longest_context(workload, group)
        if longest is None or longest == fit.shape.max_model_len:
            continue
        setting, offered = f"{below}.maxModelLen".removeprefix("."), group.share_of(workload.resource_name)
        shared = "a share" if offered.sharers > 1 else offered.device
        yield Refusal(
            "longer-context",
            f"{one.name} with {f'{setting} above {longest:,}' if longest else f'any {setting}'}",
            f"workload-memory, KV cache for {workload.concurrent_sequences:,} at once exceeds the {fit.share.gib:.2f} GiB of {shared}",
            _more_memory(workload, group, f"{below}.concurrentSequences".removeprefix(".")),
        )


def _more_memory(workload: VllmWorkload, group: ResolvedNodeGroup, setting: str) -> str:
    ways = []
    if workload.concurrent_sequences > 1:
        ways.append(f"fewer {setting}")
    if group.share_of(workload.resource_name).sharers > 1:
        ways.append("fewer replicas per GPU")
    return " or ".join(ways) or "a GPU with more memory"


def _memory(group: ResolvedNodeGroup, share: Share) -> Iterator[Refusal]:
    if share.device_gib is None:
        return
    if group.sharing.strategy == "mps":
        limit = f"{share.gib:.2f} GiB"
        why = "fails in that pod, by the limit of its MPS client"
    elif share.profile:
        limit = f"about {share.device_gib:.1f} GiB on {share.profile}"
        why = "fails in that pod, its instance has no more"
    else:
        return
    yield Refusal("memory-above-share", f"an allocation above {limit}", why, "use fewer or larger shares")
