from tests.settings.example import TRAINIUM
from tests.settings.rules.case import Case

SHARING, KIND = "nodeGroups.gpu.sharing", "nodeGroups.gpu.instanceType"
FOUR = {"strategy": "timeSlicing", "replicas": 4}
MPS = {"strategy": "mps", "replicas": 4}
WHOLE = {"nodeGroups.whole": {"instanceType": "g6.2xlarge", "size": {"max": 1}}}
BOTTLEROCKET = {"nodeGroups.gpu.ami.type": "BOTTLEROCKET_x86_64_NVIDIA"}
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
