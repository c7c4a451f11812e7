"""Capacity Blocks that follow each other: which one a node group uses now."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import pulumi

from eks_accelerators.accelerators import clock
from eks_accelerators.accelerators.capacity_blocks import has_drained
from eks_accelerators.components.capacity_block import CapacityBlock
from eks_accelerators.components.wiring import CapacityBlockRef


def block_in_turn(blocks: Sequence[CapacityBlock]) -> CapacityBlockRef:
    """The first of ``blocks`` that EKS has not drained, or else the last.

    Each deployment asks anew. Another block is another version of the launch template and another start action: the node
    group stays, where both blocks are in one zone.
    """
    if len(blocks) == 1:
        return blocks[0].ref
    chosen = _chosen(blocks)
    return {
        "reservation_id": chosen.apply(lambda block: str(block["reservation_id"])),
        "zone": chosen.apply(lambda block: str(block["zone"])),
        "zone_id": chosen.apply(lambda block: str(block["zone_id"])),
        "start": chosen.apply(lambda block: str(block["start"])),
        "state": chosen.apply(lambda block: str(block["state"])),
    }


def end_in_turn(blocks: Sequence[CapacityBlock]) -> pulumi.Output[str]:
    """The end of the block that a node group uses now, RFC 3339."""
    return blocks[0].end if len(blocks) == 1 else _chosen(blocks).apply(lambda block: str(block["end"]))


def _chosen(blocks: Sequence[CapacityBlock]) -> pulumi.Output[dict[str, Any]]:
    known = [pulumi.Output.all(**block.ref, end=block.end) for block in blocks]
    return pulumi.Output.all(*known).apply(_in_turn)


def _in_turn(blocks: list[dict[str, Any]]) -> dict[str, Any]:
    now = clock.now()
    return next((block for block in blocks if not has_drained(datetime.fromisoformat(block["end"]), now)), blocks[-1])
