from tests.settings.example import RESERVED, WITH_EFA
from tests.settings.rules.case import Case

GROUP = "nodeGroups.gpu"
KIND, EFA, PLACEMENT = f"{GROUP}.instanceType", f"{GROUP}.efa", f"{GROUP}.placementGroup"
INTERFACES = f"{EFA}.interfaces"
BOTH_ZONES = {f"{GROUP}.zones": ["us-east-2a", "us-east-2b"]}


def at(card: int, device: int, kind: str) -> dict[str, object]:
    return {"card": card, "device": device, "type": kind}


PRIMARY = at(0, 0, "interface")

CASES = [
    Case(
        "efa-ignored",
        "layout-without-efa",
        {"nodeGroups.gpu.efa.interfaces": [{"card": 0, "device": 0, "type": "interface"}]},
        "nodeGroups.gpu.efa.interfaces",
        near={},
    ),
    Case(
        "efa-not-supported",
        "too-small",
        {**WITH_EFA, KIND: "g6.2xlarge"},
        f"{EFA}.enabled",
        near={**WITH_EFA, KIND: "g6.8xlarge"},
    ),
    Case(
        "efa-not-supported",
        "family-without",
        {**WITH_EFA, KIND: "inf2.48xlarge"},
        f"{EFA}.enabled",
        near={**WITH_EFA, KIND: "trn1.32xlarge"},
    ),
    Case(
        "efa-not-supported",
        "cards-unknown",
        {**WITH_EFA, KIND: "p6e-gb200.36xlarge"},
        f"{EFA}.enabled",
        near={**WITH_EFA, KIND: "p6e-gb200.36xlarge", INTERFACES: [PRIMARY, at(1, 0, "efa-only")]},
    ),
    Case(
        "efa-too-many",
        "two-of-one",
        {**WITH_EFA, KIND: "g6.8xlarge", INTERFACES: [at(0, 0, "efa"), at(0, 1, "efa-only")]},
        INTERFACES,
        near={**WITH_EFA, KIND: "g6.8xlarge", INTERFACES: [PRIMARY, at(0, 1, "efa-only")]},
    ),
    Case(
        "efa-card-without-efa",
        "card-0-of-p6-b300",
        {**WITH_EFA, KIND: "p6-b300.48xlarge", INTERFACES: [at(0, 0, "efa"), at(1, 0, "efa-only")]},
        f"{INTERFACES}[0].card",
        near={**WITH_EFA, KIND: "p6-b300.48xlarge", INTERFACES: [PRIMARY, at(16, 0, "efa-only")]},
    ),
    Case(
        "efa-card-without-efa",
        "no-such-card",
        {**WITH_EFA, INTERFACES: [PRIMARY, at(32, 0, "efa-only")]},
        f"{INTERFACES}[1].card",
        near={**WITH_EFA, INTERFACES: [PRIMARY, at(31, 0, "efa-only")]},
    ),
    Case(
        "efa-duplicate",
        "place-twice",
        {**WITH_EFA, INTERFACES: [PRIMARY, at(1, 0, "efa-only"), at(1, 0, "interface")]},
        f"{INTERFACES}[2]",
        near={**WITH_EFA, INTERFACES: [PRIMARY, at(1, 0, "efa-only"), at(1, 1, "interface")]},
    ),
    Case(
        "efa-duplicate",
        "two-devices-on-a-card",
        {**WITH_EFA, INTERFACES: [PRIMARY, at(1, 0, "efa-only"), at(1, 1, "efa")]},
        f"{INTERFACES}[2].card",
        near={**WITH_EFA, INTERFACES: [PRIMARY, at(1, 0, "efa-only"), at(2, 0, "efa-only")]},
    ),
    Case(
        "efa-primary-interface",
        "efa-only",
        {**WITH_EFA, INTERFACES: [at(0, 0, "efa-only")]},
        INTERFACES,
        near={**WITH_EFA, INTERFACES: [at(0, 0, "efa")]},
    ),
    Case(
        "efa-primary-interface",
        "absent",
        {**WITH_EFA, INTERFACES: [at(1, 0, "efa-only")]},
        INTERFACES,
        near={**WITH_EFA, INTERFACES: [at(1, 0, "efa-only"), PRIMARY]},
    ),
    Case(
        "placement-group-several-zones",
        "two-zones",
        {PLACEMENT: "cluster"},
        PLACEMENT,
        near={PLACEMENT: "cluster", f"{GROUP}.zones": ["us-east-2b"]},
    ),
    Case("efa-several-zones", "two-zones", {**WITH_EFA, **BOTH_ZONES}, f"{GROUP}.zones", near=WITH_EFA),
    Case(
        "placement-group-with-reservation",
        "block",
        {**RESERVED, PLACEMENT: "cluster"},
        PLACEMENT,
        near={**RESERVED, PLACEMENT: "none"},
        severity="warning",
    ),
    Case(
        "placement-group-with-reservation",
        "reservation",
        {f"{GROUP}.capacityReservationId": "cr-0123456789abcdef0", PLACEMENT: "cluster"},
        PLACEMENT,
        near={PLACEMENT: "cluster"},
        severity="warning",
    ),
    Case(
        "efa-on-spot",
        "spot",
        {**WITH_EFA, f"{GROUP}.capacityType": "spot"},
        f"{GROUP}.capacityType",
        near={f"{GROUP}.capacityType": "spot"},
        severity="warning",
    ),
]
