from tests.settings.rules.case import Case
from tests.settings.rules.workloads import ON_INSTANCES, QWEN, shares

GRAPHS = f"{QWEN}.cudaGraphs"
LONG = {f"{QWEN}.maxModelLen": 32768, f"{QWEN}.concurrentSequences": 18}
"""6.75 GiB of KV cache: an instance of 10 GB holds it, and no CUDA graphs beside it."""

TRITON = {
    **ON_INSTANCES,
    "workloads": {"triton": {"qwen": {"nodeGroup": "gpu", "vllm": {"model": "Qwen/Qwen2.5-0.5B-Instruct"}}}},
}
TRITON_LONG = {
    "workloads.triton.qwen.vllm.maxModelLen": 32768,
    "workloads.triton.qwen.vllm.concurrentSequences": 18,
}
TRITON_GRAPHS = "workloads.triton.qwen.vllm.cudaGraphs"

CASES = [
    Case(
        "cuda-graphs-memory",
        "shares",
        {**shares(9), GRAPHS: True},
        GRAPHS,
        near={**shares(7), GRAPHS: True},
    ),
    Case(
        "cuda-graphs-memory",
        "instance",
        {**ON_INSTANCES, **LONG, GRAPHS: True},
        GRAPHS,
        near={**shares(20), GRAPHS: True},  # too many in any case, as workload-memory says
    ),
    Case(
        "cuda-graphs-left-out",
        "long-context",
        {**ON_INSTANCES, **LONG},
        GRAPHS,
        near={**ON_INSTANCES, **LONG, GRAPHS: False},
        severity="warning",
    ),
    Case(
        "cuda-graphs-left-out",
        "triton",
        {**TRITON, **TRITON_LONG},
        TRITON_GRAPHS,
        near=TRITON,
        severity="warning",
    ),
]
