"""What sharing does to the pods of a node group, what they leave, and what would be refused: in lines, for any format."""

from collections.abc import Iterable

from eks_accelerators.accel.reports.check import AutoscalingReport, NodeGroupReport, ShareReport, WorkloadReport
from eks_accelerators.accelerators.number_of import number_of

Lines = list[tuple[str, str]]
"""Pairs of subject and sentence, such as a node group and what is left on its nodes."""

_ONLY_AS_DATA = ("no-toleration", "more-than-a-node", "share-beyond-headroom", "memory-above-share")
"""Codes of what is alike in all groups, or follows from the lines above: what a node has, and a share's memory."""


def lines(group: NodeGroupReport, workloads: Iterable[WorkloadReport]) -> Lines:
    """Everything to be said of ``group``: effects of its sharing, headroom, workloads, refusals."""
    here = [one for one in workloads if one.node_group == group.name]
    return [
        *group.sharing_effects.items(),
        *(("headroom", _share(share)) for share in group.shares),
        *(("fits", _workload(one)) for one in here),
        *(("scales", _scaling(one.name, one.autoscaling)) for one in here if one.autoscaling),
        *(("refused", f"{one.what}: {one.why}; {one.fix}") for one in group.refused if one.code not in _ONLY_AS_DATA),
    ]


def _share(share: ShareReport) -> str:
    taken = f"{share.resource}: {share.taken:,} of {share.at_desired:,} taken ({share.at_max:,} at most)"
    if share.memory_gib is None:
        return f"{taken}, memory not known"
    if not share.asked_by:
        return f"{taken}, {share.memory_gib:.2f} GiB each"
    if share.memory_left_gib is None:
        return f"{taken}; memory left not known"
    if share.take_turns:
        return f"{taken}; the fullest {share.device} has {share.memory_left_gib:.2f} GiB left"
    return f"{taken}; a pod leaves {share.memory_left_gib:.2f} of its {share.memory_gib:.2f} GiB"


def pods_of(workload: WorkloadReport) -> str:
    """How many pods there are, or from how few to how many; of servers that span nodes how many servers."""
    scaling, run = workload.autoscaling, workload.run
    if run and workload.model and workload.replicas:
        return f"{workload.replicas // run.nodes} on {run.nodes} nodes each"
    return f"{scaling.min:,} to {scaling.max:,}" if scaling else str(workload.replicas)


def _scaling(name: str, scaling: AutoscalingReport) -> str:
    """How it follows the load, and for how much."""
    costs = ", ".join(
        f"{number_of(nodes, 'node')} for {'an unknown price' if usd is None else f'{usd:,.3f} USD'} per hour at {word}"
        for word, nodes, usd in (
            ("least", scaling.nodes_at_min, scaling.usd_per_hour_at_min),
            ("most", scaling.nodes_at_max, scaling.usd_per_hour_at_max),
        )
        if nodes is not None
    )
    hours = "".join(
        f", {one.replicas:,} at least from `{one.start}` to `{one.end}` {one.timezone}" for one in scaling.hours
    )
    return (
        f"{name}: {scaling.min:,} to {scaling.max:,} servers by their load{hours}, another from "
        f"{scaling.target_concurrency:,} requests each (of {scaling.sequences_at_a_time:,} at a time), which takes "
        f"{scaling.start_seconds:,} s to start; {costs}"
    )


def _workload(workload: WorkloadReport) -> str:
    if workload.autoscaling and not workload.replicas:
        text = f"{workload.name}: no pod outside its hours"
    else:
        text = f"{workload.name}: {workload.placed:,} of {number_of(workload.replicas or 0, 'pod')}"
    if workload.pending:
        text += f", {workload.pending:,} Pending ({workload.pending_reason})"
    if workload.kv_cache_tokens is not None:
        text += f"; each {workload.kv_cache_tokens:,} tokens of KV cache, {workload.kv_cache_sequences:,} sequences"
    return text
