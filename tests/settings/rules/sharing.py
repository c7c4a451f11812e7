from tests.settings.example import TRAINIUM
from tests.settings.rules.case import Case

SHARING, KIND = "nodeGroups.gpu.sharing", "nodeGroups.gpu.instanceType"
FOUR = {"strategy": "timeSlicing", "replicas": 4}
MPS = {"strategy": "mps", "replicas": 4}
WHOLE = {"nodeGroups.whole": {"instanceType": "g6.2xlarge", "size": {"max": 1}}}
BOTTLEROCKET = {"nodeGroups.gpu.ami.type": "BOTTLEROCKET_x86_64_NVIDIA"}

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
        "sharing-not-available",
        "mig",
        {KIND: "p4d.24xlarge", SHARING: {"strategy": "mig"}},
        f"{SHARING}.strategy",
        near={KIND: "p4d.24xlarge", SHARING: FOUR},
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
