from tests.settings.example import WITH_EFA
from tests.settings.rules.case import Case
from tests.settings.rules.workloads import GROUP, QWEN, VECTOR_ADD, WORKLOAD, beside, shares

CASES = [
    Case(
        "workload-waits",
        "a-test-without-nodes",
        {"workloads": {"cudaVectorAdd": {"hello": {"nodeGroup": "gpu"}}}, f"{GROUP}.size.desired": 0},
        f"{VECTOR_ADD}.nodeGroup",
        near={"workloads": {"cudaVectorAdd": {"hello": {"nodeGroup": "gpu"}}}},
        severity="warning",
    ),
    Case(
        "workloads-together",
        "a-server-and-a-test",
        {f"{GROUP}.size.max": 1, **beside("cudaVectorAdd", "hello", {}, replicas=1)},
        f"{GROUP}.size.max",
        near={f"{GROUP}.size.max": 2, **beside("cudaVectorAdd", "hello", {}, replicas=1)},
    ),
    Case(
        "workloads-together",
        "memory-of-the-node",
        {
            **shares(4),
            "workloads": {
                "vllm": {
                    name: {**WORKLOAD, "replicas": 3, "resources": {"memoryGib": 12, "memoryLimitGib": 12}}
                    for name in ("qwen", "other")
                }
            },
        },
        f"{GROUP}.size.max",
        near={
            **shares(4),
            "workloads": {"vllm": {name: {**WORKLOAD, "replicas": 3} for name in ("qwen", "other")}},
        },
    ),
    Case(
        "workloads-together",
        "two-on-one-gpu",
        {
            **shares(2),
            "workloads": {"vllm": {"qwen": {**WORKLOAD, "replicas": 3}, "other": {**WORKLOAD, "replicas": 2}}},
        },
        f"{GROUP}.size.max",
        near={
            **shares(3),
            "workloads": {"vllm": {"qwen": {**WORKLOAD, "replicas": 3}, "other": {**WORKLOAD, "replicas": 2}}},
        },
    ),
    Case(
        "workload-request",
        "more-replicas-than-gpus",
        {f"{QWEN}.replicas": 3},
        f"{QWEN}.replicas",
        near={f"{QWEN}.replicas": 2},
    ),
    Case(
        "workload-request",
        "more-cpu-than-a-node",
        {f"{QWEN}.resources.cpu": "8"},
        f"{QWEN}.resources.cpu",
        near={f"{QWEN}.resources.cpu": "7500m"},
    ),
    Case(
        "workload-request",
        "more-memory-than-a-node",
        {f"{QWEN}.resources": {"memoryGib": 30, "memoryLimitGib": 30}},
        f"{QWEN}.resources.memoryGib",
        near={f"{QWEN}.resources": {"cpu": "00", "memoryGib": 29, "memoryLimitGib": 29}},
    ),
    Case(
        "workload-request",
        "more-huge-pages-than-a-node",
        {**WITH_EFA, f"{QWEN}.efaInterfaces": 1, f"{QWEN}.hugePagesMib": 10_258},
        f"{QWEN}.hugePagesMib",
        near={**WITH_EFA, f"{QWEN}.efaInterfaces": 1, f"{QWEN}.hugePagesMib": 10_256},
    ),
    Case(
        "workload-waits",
        "second-node",
        {f"{QWEN}.replicas": 2},
        f"{QWEN}.replicas",
        near={f"{QWEN}.replicas": 2, f"{GROUP}.size.desired": 2},
        severity="warning",
    ),
    Case(
        "workload-efa",
        "none-there",
        {f"{QWEN}.efaInterfaces": 1},
        f"{QWEN}.efaInterfaces",
        near={**WITH_EFA, f"{QWEN}.efaInterfaces": 1},
    ),
    Case(
        "workload-efa",
        "no-huge-pages",
        {**WITH_EFA, f"{QWEN}.efaInterfaces": 1, f"{QWEN}.hugePagesMib": 0},
        f"{QWEN}.hugePagesMib",
        near={f"{QWEN}.hugePagesMib": 0},
    ),
    Case(
        "workload-efa",
        "half-a-page",
        {**WITH_EFA, f"{QWEN}.hugePagesMib": 5121},
        f"{QWEN}.hugePagesMib",
        near={**WITH_EFA, f"{QWEN}.hugePagesMib": 5120},
    ),
    Case(
        "workload-memory-limit",
        "below-request",
        {f"{QWEN}.resources": {"memoryGib": 12}},
        f"{QWEN}.resources.memoryLimitGib",
        near={f"{QWEN}.resources": {"memoryGib": 10}},
    ),
]
