"""What pods take of a node group and leave, as plain data: the keys are those of the documented JSON (`docs/json.md`)."""

from typing import Any

from eks_accelerators.settings.headroom import GroupHeadroom, ShareHeadroom


def shares(room: GroupHeadroom) -> list[dict[str, Any]]:
    """Every kind of share of a node group: how many there are, who asks for them, what is left."""
    return [_share(one) for one in room.shares]


def pods_of(room: GroupHeadroom | None, kind: str, name: str) -> dict[str, Any]:
    """How the pods of one workload fare; nothing is known of a node group that cannot be resolved."""
    found = [one for one in room.workloads if (one.asked.kind, one.asked.name) == (kind, name)] if room else []
    one = found[0] if found else None
    return {
        "placed": one.placed if one else None,
        "pending": one.pending if one else None,
        "pendingReason": one.reason if one else None,
        "memoryLeftGib": gib(one.memory_left_gib) if one else None,
    }


def gib(value: float | None) -> float | None:
    """GiB with two digits; None where unknown."""
    return None if value is None else round(value, 2)


def _share(room: ShareHeadroom) -> dict[str, Any]:
    share = room.share
    return {
        "resource": share.resource,
        "device": share.device,
        "sharers": share.sharers,
        "memoryGib": gib(room.share.gib),
        "perNode": share.count,
        "atDesired": room.offered,
        "atMax": room.offered_at_max,
        "askedBy": [
            {
                "kind": user.asked.kind,
                "workload": user.asked.name,
                "count": user.asked.pods * user.asked.count,
                "taken": user.placed * user.asked.count,
            }
            for user in room.asked_by
        ],
        "taken": room.taken,
        "left": room.left,
        "takeTurns": room.take_turns,
        "memoryLeftGib": gib(room.memory_left_gib),
    }
