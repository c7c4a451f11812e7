"""Capacity Blocks that are to be bought, in place of the one of the base."""

from tests.settings.example import PURCHASED, RESERVED
from tests.settings.rules.capacity_blocks import EXPECT, PURCHASE
from tests.settings.rules.case import Case

CASES = [
    Case(
        "capacity-block-duration",
        "fifteen-days",
        {**PURCHASED, f"{PURCHASE}.durationHours": 15 * 24},
        f"{PURCHASE}.durationHours",
        near={**PURCHASED, f"{PURCHASE}.durationHours": 14 * 24},
    ),
    Case(
        "capacity-block-start",
        "nine-weeks-ahead",
        {**PURCHASED, f"{PURCHASE}.start": "2027-01-22T11:30:00Z"},
        f"{PURCHASE}.start",
        near={**PURCHASED, f"{PURCHASE}.start": "2027-01-15T11:30:00Z"},
    ),
    Case(
        "capacity-block-start",
        "past",
        {**PURCHASED, f"{PURCHASE}.start": "2026-11-20T11:30:00Z"},
        f"{PURCHASE}.start",
        near={**PURCHASED, f"{PURCHASE}.start": "2026-11-20T12:30:00Z"},
    ),
    Case(
        "capacity-block-size",
        "sixty-five",
        {**PURCHASED, f"{PURCHASE}.instanceCount": 65},
        f"{PURCHASE}.instanceCount",
        near={**PURCHASED, f"{PURCHASE}.instanceCount": 64},
    ),
    Case(
        "capacity-block-unusual-size",
        "three",
        {**RESERVED, f"{EXPECT}.instanceCount": 3},
        f"{EXPECT}.instanceCount",
        near={**RESERVED, f"{EXPECT}.instanceCount": 4},
        severity="warning",
    ),
    Case(
        "capacity-block-confirmation",
        "another-ceiling",
        {**PURCHASED, f"{PURCHASE}.maxUpfrontFeeUsd": 90000},
        f"{PURCHASE}.confirmation",
        near=PURCHASED,
    ),
]
