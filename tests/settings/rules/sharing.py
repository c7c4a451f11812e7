from tests.settings.example import TRAINIUM
from tests.settings.rules.case import Case

SHARING, KIND = "nodeGroups.gpu.sharing", "nodeGroups.gpu.instanceType"
FOUR = {"strategy": "timeSlicing", "replicas": 4}
MPS = {"strategy": "mps", "replicas": 4}
WHOLE = {"nodeGroups.whole": {"instanceType": "g6.2xlarge", "size": {"max": 1}}}
BOTTLEROCKET = {"nodeGroups.gpu.ami.type": "BOTTLEROCKET_x86_64_NVIDIA"}
B300 = {KIND: "p6-b300.48xlarge", "nodeGroups.gpu.zones": ["us-west-2a"], "workloads": {}}
P5 = {KIND: "p5.48xlarge", "nodeGroups.gpu.zones": ["us-east-2a"], "workloads": {}}


def divided(**mig):
    """A group of eight H100 that MIG divides."""
    return {**P5, SHARING: {"strategy": "mig", "mig": mig}}


P5_NODES = {"instanceType": "p5.48xlarge", "size": {"max": 1}}
SOME_WHOLE = {**P5_NODES, "sharing": {"strategy": "mig", "mig": {"layouts": [{"3g.40gb": 2}] * 7 + [{}]}}}
NONE_WHOLE = {**P5_NODES, "sharing": {"strategy": "mig", "mig": {"layout": {"3g.40gb": 2}}}}
HALVES = divided(layout={"3g.40gb": 2})

CASES = [
    Case(
        "sharing-replicas",
        "one",
        {SHARING: {**FOUR, "replicas": 1}},
        f"{SHARING}.replicas",
        near={SHARING: {**FOUR, "replicas": 2}},
    ),
    Case(
        "sharing-replicas", "none", {SHARING: {"strategy": "timeSlicing"}}, f"{SHARING}.replicas", near={SHARING: FOUR}
    ),
    Case("sharing-ignored", "replicas", {SHARING: {"replicas": 4}}, f"{SHARING}.replicas", near={SHARING: FOUR}),
    Case(
        "sharing-without-gpu",
        "neuron",
        {**TRAINIUM, SHARING: FOUR},
        f"{SHARING}.strategy",
        near={**TRAINIUM, SHARING: {"strategy": "exclusive"}},
    ),
    Case(
        "mig-not-capable",
        "l4",
        {SHARING: {"strategy": "mig"}},
        f"{SHARING}.strategy",
        near={KIND: "p4d.24xlarge", SHARING: {"strategy": "mig"}},
    ),
    Case("mig-layout-missing", "nothing", {**P5, SHARING: {"strategy": "mig"}}, f"{SHARING}.mig", near=HALVES),
    Case(
        "mig-layout-missing",
        "both",
        divided(layout={"3g.40gb": 2}, layouts=[{}] * 8),
        f"{SHARING}.mig.layouts",
        near=HALVES,
    ),
    Case(
        "mig-layout-missing",
        "too-few",
        divided(layouts=[{"3g.40gb": 2}] * 7),
        f"{SHARING}.mig.layouts",
        near=divided(layouts=[{"3g.40gb": 2}] * 7 + [{}]),
    ),
    Case("mig-layout", "profile", divided(layout={"3g.20gb": 2}), f"{SHARING}.mig.layout", near=HALVES),
    Case(
        "mig-layout",
        "no-place",
        divided(layout={"3g.40gb": 2, "1g.10gb": 1}),
        f"{SHARING}.mig.layout",
        near=divided(layout={"3g.40gb": 1, "1g.10gb": 4}),
    ),
    Case(
        "mig-layout",
        "of-one-gpu",
        divided(layouts=[{"7g.80gb": 1}] * 7 + [{"1g.10gb": 8}]),
        f"{SHARING}.mig.layouts[7]",
        near=divided(layouts=[{"7g.80gb": 1}] * 7 + [{"1g.10gb": 7}]),
    ),
    Case(
        "mig-single-profile",
        "two",
        divided(strategy="single", layout={"3g.40gb": 1, "1g.10gb": 4}),
        f"{SHARING}.mig.strategy",
        near=divided(layout={"3g.40gb": 1, "1g.10gb": 4}),
    ),
    Case(
        "mig-single-profile",
        "whole-gpus",
        divided(strategy="single", layouts=[{"3g.40gb": 2}] * 7 + [{}]),
        f"{SHARING}.mig.strategy",
        near=divided(strategy="single", layouts=[{"3g.40gb": 2}] * 8),
    ),
    Case(
        "mig-on-bottlerocket",
        "mixed",
        {**HALVES, **BOTTLEROCKET},
        f"{SHARING}.mig.strategy",
        near={**divided(strategy="single", layout={"3g.40gb": 2}), **BOTTLEROCKET},
    ),
    Case(
        "mig-on-bottlerocket",
        "not-full",
        {**divided(strategy="single", layout={"3g.40gb": 1}), **BOTTLEROCKET},
        f"{SHARING}.mig",
        near=divided(strategy="single", layout={"3g.40gb": 1}),
    ),
    Case(
        "mig-on-bottlerocket",
        "refused-by-its-settings",
        {**divided(strategy="single", layout={"1g.10gb+me": 1}), **BOTTLEROCKET},
        f"{SHARING}.mig",
        near={**divided(strategy="single", layout={"1g.10gb": 7}), **BOTTLEROCKET},
    ),
    Case(
        "mig-on-bottlerocket",
        "taken-for-the-whole-gpu",
        {**divided(strategy="single", layout={"4g.40gb": 1}), **BOTTLEROCKET},
        f"{SHARING}.mig",
        near={
            **B300,
            SHARING: {"strategy": "mig", "mig": {"strategy": "single", "layout": {"4g.135gb": 1}}},
            **BOTTLEROCKET,
        },
    ),
    Case(
        "mig-time-sliced",
        "two-each",
        {**HALVES, f"{SHARING}.replicas": 2},
        f"{SHARING}.replicas",
        near=HALVES,
        severity="warning",
    ),
    Case("sharing-ignored", "mig-beside-mps", {**P5, SHARING: {**MPS, "mig": {}}}, f"{SHARING}.mig", near=HALVES),
    Case(
        "sharing-ignored",
        "name-of-shares-without-shares",
        {**HALVES, f"{SHARING}.renameByDefault": True},
        f"{SHARING}.renameByDefault",
        near={**HALVES, f"{SHARING}.renameByDefault": True, f"{SHARING}.replicas": 2},
    ),
    Case(
        "sharing-mixed-names",
        "beside-gpus-that-mig-leaves-whole",
        {SHARING: FOUR, "nodeGroups.divided": {**SOME_WHOLE, "zones": ["us-east-2a"]}},
        f"{SHARING}.renameByDefault",
        near={SHARING: FOUR, "nodeGroups.divided": {**NONE_WHOLE, "zones": ["us-east-2a"]}},
        severity="warning",
    ),
    Case(
        "sharing-mixed-names",
        "mig-single",
        {**divided(strategy="single", layout={"3g.40gb": 2}), **WHOLE},
        f"{SHARING}.mig.strategy",
        near={**HALVES, **WHOLE},
        severity="warning",
    ),
    Case(
        "sharing-replicas",
        "mps-none",
        {SHARING: {"strategy": "mps"}},
        f"{SHARING}.replicas",
        near={SHARING: MPS},
    ),
    Case(
        "sharing-memory",
        "beside-replicas",
        {SHARING: {**FOUR, "memoryGib": 4}},
        f"{SHARING}.memoryGib",
        near={SHARING: {"strategy": "timeSlicing", "memoryGib": 4}},
    ),
    Case(
        "sharing-memory",
        "once",
        {SHARING: {"strategy": "mps", "memoryGib": 11.2}},
        f"{SHARING}.memoryGib",
        near={SHARING: {"strategy": "mps", "memoryGib": 11.1}},
    ),
    Case(
        "sharing-memory-not-enforced",
        "time-slicing",
        {SHARING: {"strategy": "timeSlicing", "memoryGib": 4}},
        f"{SHARING}.memoryGib",
        near={SHARING: {"strategy": "mps", "memoryGib": 4}},
        severity="warning",
    ),
    Case(
        "mps-clients",
        "newer",
        {SHARING: {**MPS, "replicas": 49}},
        f"{SHARING}.replicas",
        near={SHARING: {**MPS, "replicas": 48}},
    ),
    Case(
        "mps-two-shares",
        "lenient",
        {SHARING: {**MPS, "failRequestsGreaterThanOne": False}},
        f"{SHARING}.failRequestsGreaterThanOne",
        near={SHARING: {**FOUR, "failRequestsGreaterThanOne": False}},
    ),
    Case(
        "sharing-two-shares",
        "lenient",
        {SHARING: {**FOUR, "failRequestsGreaterThanOne": False}},
        f"{SHARING}.failRequestsGreaterThanOne",
        near={SHARING: {**FOUR, "failRequestsGreaterThanOne": True}},
        severity="warning",
    ),
    Case(
        "sharing-mixed-names",
        "beside-whole-gpus",
        {SHARING: FOUR, **WHOLE},
        f"{SHARING}.renameByDefault",
        near={SHARING: {**FOUR, "renameByDefault": True}, **WHOLE},
        severity="warning",
    ),
    Case(
        "sharing-policy-on-bottlerocket",
        "packed",
        {SHARING: {**FOUR, "allocationPolicy": "packed"}, **BOTTLEROCKET},
        f"{SHARING}.allocationPolicy",
        near={SHARING: {**FOUR, "allocationPolicy": "packed"}},
    ),
]
