from tests.settings.rules.case import Case
from tests.settings.rules.workloads import GROUP, KIND, ON_INSTANCES, SHARING, shares

LOAD = "workloads.dcgmProfTester.load"


def load(**settings: object) -> dict[str, object]:
    """A load and nothing else on the node group."""
    return {"workloads": {"dcgmProfTester": {"load": {"nodeGroup": "gpu", **settings}}}}


FOUR_GPUS = {KIND: "g6.12xlarge", **shares(2)}

CASES = [
    Case(
        "load-on-one-gpu",
        "exclusive",
        {KIND: "g6.12xlarge", **load()},
        f"{LOAD}.pods",
        near={KIND: "g6.12xlarge", **load(pods=1)},
        severity="warning",
    ),
    Case(
        "load-on-one-gpu",
        "distributed",
        {**FOUR_GPUS, **load()},
        f"{LOAD}.nodeGroup",
        near={**FOUR_GPUS, f"{SHARING}.allocationPolicy": "packed", **load()},
        severity="warning",
    ),
    Case(
        "load-on-one-gpu",
        "more-than-a-gpu-has",
        {**FOUR_GPUS, f"{SHARING}.allocationPolicy": "packed", **load(pods=3)},
        f"{LOAD}.pods",
        near={**FOUR_GPUS, f"{SHARING}.allocationPolicy": "packed", **load(pods=2)},
        severity="warning",
    ),
    Case(
        "load-on-one-gpu",
        "mig-instances",
        {**ON_INSTANCES, **load()},
        f"{LOAD}.pods",
        near={**shares(2), **load()},
        severity="warning",
    ),
    Case(
        "load-under-mps",
        "a-pair",
        {SHARING: {"strategy": "mps", "replicas": 2}, **load()},
        f"{LOAD}.nodeGroup",
        near={**shares(2), **load()},
        severity="warning",
    ),
    Case(
        "workload-request",
        "more-than-a-node-shares",
        {**shares(2), **load(pods=3)},
        f"{LOAD}.pods",
        near={**shares(3), **load(pods=3)},
    ),
    Case(
        "workload-waits",
        "a-load-without-nodes",
        {**shares(2), **load(), f"{GROUP}.size.desired": 0},
        f"{LOAD}.pods",
        near={**shares(2), **load()},
        severity="warning",
    ),
    Case(
        "workloads-together",
        "a-server-and-a-load",
        {
            **shares(3),
            f"{GROUP}.size.max": 1,
            "workloads.vllm.qwen.replicas": 2,
            "workloads.dcgmProfTester": {"load": {"nodeGroup": "gpu"}},
        },
        f"{GROUP}.size.max",
        near={
            **shares(4),
            f"{GROUP}.size.max": 1,
            "workloads.vllm.qwen.replicas": 2,
            "workloads.dcgmProfTester": {"load": {"nodeGroup": "gpu"}},
        },
    ),
]
