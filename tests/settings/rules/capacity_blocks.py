from tests.settings.example import PURCHASED, REMOVED, RESERVED
from tests.settings.rules.case import Case

GROUP = "nodeGroups.gpu"
BLOCK = "capacityBlocks.block"
EXPECT, PURCHASE = f"{BLOCK}.expect", f"{BLOCK}.purchase"
RESERVATION = "cr-0123456789abcdef1"

NEXT = "capacityBlocks.next"
FOLLOWED = {
    **RESERVED,
    f"{GROUP}.nextCapacityBlocks": ["next"],
    f"{NEXT}.reservationId": "cr-0fedcba9876543210",
}
"""The node group on a block that another takes over from."""

CASES = [
    Case(
        "capacity-block-not-named",
        "the-next-misspelt",
        {**FOLLOWED, f"{GROUP}.nextCapacityBlocks": ["nxt"]},
        f"{GROUP}.nextCapacityBlocks[0]",
        near=FOLLOWED,
    ),
    Case(
        "capacity-block-shared",
        "the-next-of-two",
        {
            **FOLLOWED,
            "nodeGroups.other": {"instanceType": "p5.48xlarge", "size": {"max": 2}, "capacityBlock": "next"},
        },
        "nodeGroups.other.capacityBlock",
        near=FOLLOWED,
    ),
    Case(
        "capacity-block-type-differs",
        "the-next-is-smaller",
        {**FOLLOWED, f"{NEXT}.expect.instanceCount": 1},
        f"{GROUP}.size.max",
        near={**FOLLOWED, f"{NEXT}.expect.instanceCount": 2},
    ),
    Case(
        "capacity-block-expired",
        "nobody-takes-over",
        {**RESERVED, f"{EXPECT}.end": "2026-11-19T11:30:00Z"},
        f"{EXPECT}.end",
        near={**FOLLOWED, f"{EXPECT}.end": "2026-11-19T11:30:00Z"},
    ),
    Case(
        "capacity-type-not-sold",
        "never-as-spot",
        {GROUP: {"instanceType": "trn2u.48xlarge", "size": {"max": 1}, "capacityType": "spot"}},
        f"{GROUP}.capacityType",
        near={GROUP: {"instanceType": "trn2u.48xlarge", "size": {"max": 1}}},
    ),
    Case(
        "capacity-type-exclusive",
        "spot-with-block",
        {**RESERVED, f"{GROUP}.capacityType": "spot"},
        f"{GROUP}.capacityType",
        near={**RESERVED, f"{GROUP}.capacityType": "capacityBlock"},
    ),
    Case(
        "capacity-type-exclusive",
        "spot-with-reservation",
        {f"{GROUP}.capacityType": "spot", f"{GROUP}.capacityReservationId": RESERVATION},
        f"{GROUP}.capacityType",
        near={f"{GROUP}.capacityType": "onDemand", f"{GROUP}.capacityReservationId": RESERVATION},
    ),
    Case(
        "capacity-type-exclusive",
        "on-demand-with-block",
        {**RESERVED, f"{GROUP}.capacityType": "onDemand"},
        f"{GROUP}.capacityType",
        near=RESERVED,
    ),
    Case(
        "capacity-type-exclusive",
        "block-and-reservation",
        {**RESERVED, f"{GROUP}.capacityReservationId": RESERVATION},
        f"{GROUP}.capacityReservationId",
        near={f"{GROUP}.capacityReservationId": RESERVATION},
    ),
    Case(
        "capacity-block-not-named",
        "no-block",
        {f"{GROUP}.capacityType": "capacityBlock"},
        f"{GROUP}.capacityBlock",
        near={**RESERVED, f"{GROUP}.capacityType": "capacityBlock"},
    ),
    Case(
        "capacity-block-not-named",
        "misspelt",
        {**RESERVED, f"{GROUP}.capacityBlock": "blok"},
        f"{GROUP}.capacityBlock",
        near=RESERVED,
    ),
    Case(
        "capacity-block-one-source",
        "neither",
        {**RESERVED, f"{BLOCK}.reservationId": REMOVED},
        BLOCK,
        near=RESERVED,
    ),
    Case(
        "capacity-block-one-source",
        "both",
        {**PURCHASED, f"{BLOCK}.reservationId": RESERVATION},
        BLOCK,
        near=PURCHASED,
    ),
    Case(
        "capacity-block-shared",
        "two-groups",
        {
            **RESERVED,
            "nodeGroups.other": {"instanceType": "p5.48xlarge", "size": {"max": 2}, "capacityBlock": "block"},
        },
        "nodeGroups.other.capacityBlock",
        near={
            **RESERVED,
            "nodeGroups.other": {"instanceType": "p5.48xlarge", "size": {"max": 2}, "capacityBlock": "second"},
            "capacityBlocks.second.reservationId": RESERVATION,
        },
    ),
    Case(
        "capacity-block-type-not-sold",
        "node-group",
        {**RESERVED, f"{GROUP}.instanceType": "trn1n.32xlarge"},
        f"{GROUP}.instanceType",
        near={**RESERVED, f"{GROUP}.instanceType": "trn1.32xlarge"},
    ),
    Case(
        "capacity-block-type-not-sold",
        "purchase",
        {**PURCHASED, f"{PURCHASE}.instanceType": "g6.48xlarge"},
        f"{PURCHASE}.instanceType",
        near=PURCHASED,
    ),
    Case(
        "capacity-block-type-differs",
        "type",
        {**RESERVED, f"{EXPECT}.instanceType": "p5en.48xlarge"},
        f"{GROUP}.instanceType",
        near={**RESERVED, f"{EXPECT}.instanceType": "p5.48xlarge"},
    ),
    Case(
        "capacity-block-type-differs",
        "count",
        {**PURCHASED, f"{GROUP}.size.max": 5},
        f"{GROUP}.size.max",
        near={**PURCHASED, f"{GROUP}.size.max": 4},
    ),
    Case(
        "capacity-block-zone",
        "name",
        {**RESERVED, f"{EXPECT}.zone": "us-east-2c"},
        f"{EXPECT}.zone",
        near={**RESERVED, f"{EXPECT}.zone": "us-east-2b"},
    ),
    Case(
        "capacity-block-zone",
        "id",
        {**RESERVED, f"{EXPECT}.zone": "use2-az3", "network.create.zones": ["use2-az1", "use2-az2"]},
        f"{EXPECT}.zone",
        near={**RESERVED, f"{EXPECT}.zone": "use2-az3"},  # an ID cannot be held against names
    ),
    Case(
        "capacity-block-time-zone",
        "no-zone",
        {**RESERVED, f"{EXPECT}.end": "2026-12-03T11:30:00"},
        f"{EXPECT}.end",
        near={**RESERVED, f"{EXPECT}.end": "2026-12-03T12:30:00+01:00"},
    ),
    Case(
        "capacity-block-expired",
        "drains",
        {**RESERVED, f"{EXPECT}.end": "2026-11-20T12:40:00Z"},
        f"{EXPECT}.end",
        near={**RESERVED, f"{EXPECT}.end": "2026-11-20T12:41:00Z"},
    ),
    Case(
        "capacity-block-expired",
        "first-moment-of-the-calendar",
        {**RESERVED, f"{EXPECT}.end": "0001-01-01T00:00:00Z"},
        f"{EXPECT}.end",
        near=RESERVED,
    ),
    Case(
        "capacity-block-desired-at-creation",
        "desired",
        {**RESERVED, f"{GROUP}.size.desired": 1},
        f"{GROUP}.size.desired",
        near={f"{GROUP}.size.desired": 1},
    ),
    Case(
        "capacity-block-unused",
        "no-group",
        {"capacityBlocks.block.reservationId": RESERVATION},
        BLOCK,
        near=RESERVED,
        severity="warning",
    ),
]
