"""What sharing does to the pods of a node group, what they leave, and what would be refused: in lines, for any format."""

from typing import Any

Lines = list[tuple[str, str]]
"""Subject and sentence."""

_ONLY_AS_DATA = ("no-toleration", "more-than-a-node", "share-beyond-room", "memory-above-share")
"""Codes of what is alike in all groups, or follows from the lines above: what a node has, and a share's memory."""


def lines(group: dict[str, Any], workloads: list[dict[str, Any]]) -> Lines:
    """Everything to be said of ``group``: effects of its sharing, room, workloads, refusals."""
    return [
        *group["sharingEffects"].items(),
        *(("room", _share(share)) for share in group["shares"]),
        *(("fits", _workload(one)) for one in workloads if one["nodeGroup"] == group["name"]),
        *(
            ("refused", f"{one['what']}: {one['why']}; {one['fix']}")
            for one in group["refused"]
            if one["code"] not in _ONLY_AS_DATA
        ),
    ]


def _share(share: dict[str, Any]) -> str:
    taken = f"{share['resource']}: {share['taken']:,} of {share['atDesired']:,} taken ({share['atMax']:,} at most)"
    if share["memoryGib"] is None:
        return f"{taken}, memory not known"
    if not share["askedBy"]:
        return f"{taken}, {share['memoryGib']:.2f} GiB each"
    if share["memoryLeftGib"] is None:
        return f"{taken}; memory left not known"
    if share["takeTurns"]:
        return f"{taken}; the fullest {share['device']} has {share['memoryLeftGib']:.2f} GiB left"
    return f"{taken}; a pod leaves {share['memoryLeftGib']:.2f} of its {share['memoryGib']:.2f} GiB"


def _workload(workload: dict[str, Any]) -> str:
    text = f"{workload['name']}: {workload['placed']:,} of {workload['replicas']:,} pods"
    if workload["pending"]:
        text += f", {workload['pending']:,} Pending ({workload['pendingReason']})"
    if workload["kvCacheTokens"] is not None:
        text += f"; each {workload['kvCacheTokens']:,} tokens of KV cache, {workload['kvCacheSequences']:,} sequences"
    return text
