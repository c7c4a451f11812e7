"""Capacity Blocks that follow one another on the group of the base."""

from tests.settings.example import PURCHASED, REMOVED
from tests.settings.rules.capacity_blocks import BLOCK, EXPECT, FOLLOWED, GROUP, NEXT
from tests.settings.rules.case import Case

CASES = [
    Case(
        "capacity-block-rotation",
        "nothing-to-take-over-from",
        {**FOLLOWED, f"{GROUP}.capacityBlock": REMOVED, f"{GROUP}.capacityType": "capacityBlock"},
        f"{GROUP}.nextCapacityBlocks",
        near=FOLLOWED,
    ),
    Case(
        "capacity-block-rotation",
        "from-itself",
        {**FOLLOWED, f"{GROUP}.nextCapacityBlocks": ["next", "block"]},
        f"{GROUP}.nextCapacityBlocks[1]",
        near=FOLLOWED,
    ),
    Case(
        "capacity-block-rotation",
        "not-bought",
        {
            **FOLLOWED,
            **{key.replace("block.", "next."): value for key, value in PURCHASED.items() if key.startswith(BLOCK)},
            f"{NEXT}.reservationId": REMOVED,
        },
        f"{GROUP}.nextCapacityBlocks[0]",
        near=FOLLOWED,
    ),
    Case(
        "capacity-block-overlap",
        "begins-too-early",
        {
            **FOLLOWED,
            f"{EXPECT}.end": "2026-12-03T11:30:00Z",
            f"{NEXT}.expect.start": "2026-12-03T11:29:00Z",
        },
        f"{GROUP}.nextCapacityBlocks[0]",
        near={
            **FOLLOWED,
            f"{EXPECT}.end": "2026-12-03T11:30:00Z",
            f"{NEXT}.expect.start": "2026-12-03T11:30:00Z",
        },
    ),
    Case(
        "capacity-block-rotation-zone",
        "another-zone",
        {**FOLLOWED, f"{EXPECT}.zone": "us-east-2a", f"{NEXT}.expect.zone": "us-east-2b"},
        f"{GROUP}.nextCapacityBlocks[0]",
        near={**FOLLOWED, f"{EXPECT}.zone": "us-east-2a", f"{NEXT}.expect.zone": "us-east-2a"},
        severity="warning",
    ),
]
