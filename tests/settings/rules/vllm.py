from tests.settings.example import REMOVED
from tests.settings.rules.case import Case
from tests.settings.rules.workloads import KIND, ON_INSTANCES, QWEN, SHARING, shares

LLAMA = {f"{QWEN}.model": "meta-llama/Llama-3.2-1B", f"{QWEN}.huggingFaceToken.configSecret": "token"}

LARGE = {f"{QWEN}.model": "Qwen/Qwen2.5-7B-Instruct"}

SHAPE = {
    "parameters": 1_000_000_000,
    "layers": 16,
    "attentionHeads": 32,
    "kvHeads": 8,
    "headSize": 64,
    "maxModelLen": 8192,
}

CASES = [
    Case(
        "workload-tensor-parallel",
        "key-and-value-heads",
        {f"{QWEN}.tensorParallelSize": 7, KIND: "p5.48xlarge"},
        f"{QWEN}.tensorParallelSize",
        near={f"{QWEN}.tensorParallelSize": 2, KIND: "p5.48xlarge"},
    ),
    Case(
        "workload-cache",
        "class-of-ebs",
        {f"{QWEN}.cache": {"sizeGib": 10, "storageClass": "gp3"}, f"{QWEN}.replicas": 2},
        f"{QWEN}.cache.storageClass",
        near={f"{QWEN}.cache": {"sizeGib": 10, "storageClass": "efs"}, f"{QWEN}.replicas": 2},
    ),
    Case(
        "workload-model-unknown",
        "no-shape",
        {f"{QWEN}.model": "Qwen/Qwen2.5-1B-Instruct"},
        f"{QWEN}.modelShape",
        near={f"{QWEN}.model": "Qwen/Qwen2.5-1B-Instruct", f"{QWEN}.modelShape": SHAPE},
    ),
    Case("workload-memory", "ten-shares", {**LLAMA, **shares(10)}, f"{SHARING}.replicas", near={**LLAMA, **shares(4)}),
    Case("workload-memory", "two-large", {**LARGE, **shares(2)}, f"{SHARING}.replicas", near=LARGE),
    Case(
        "workload-memory",
        "too-large-for-one",
        {**LLAMA, f"{QWEN}.model": "meta-llama/Llama-3.3-70B-Instruct"},
        f"{QWEN}.model",
        near={
            **LLAMA,
            f"{QWEN}.model": "meta-llama/Llama-3.3-70B-Instruct",
            f"{QWEN}.tensorParallelSize": 8,
            KIND: "p5.48xlarge",
        },
    ),
    Case(
        "workload-context",
        "longer-than-made-for",
        {f"{QWEN}.maxModelLen": 32769},
        f"{QWEN}.maxModelLen",
        near={f"{QWEN}.maxModelLen": 32768},
    ),
    Case(
        "workload-tensor-parallel",
        "more-than-gpus",
        {f"{QWEN}.tensorParallelSize": 2},
        f"{QWEN}.tensorParallelSize",
        near={f"{QWEN}.tensorParallelSize": 2, KIND: "g6.12xlarge"},
    ),
    Case(
        "workload-tensor-parallel",
        "shares",
        {f"{QWEN}.tensorParallelSize": 2, KIND: "g6.12xlarge", **shares(2)},
        f"{QWEN}.tensorParallelSize",
        near={f"{QWEN}.tensorParallelSize": 1, KIND: "g6.12xlarge", **shares(2)},
    ),
    Case(
        "workload-tensor-parallel",
        "no-divisor",
        {f"{QWEN}.tensorParallelSize": 4, KIND: "g6.12xlarge"},
        f"{QWEN}.tensorParallelSize",
        near={f"{QWEN}.tensorParallelSize": 4, KIND: "g6.12xlarge", **LLAMA},
    ),
    Case(
        "workload-token",
        "gated",
        {**LLAMA, f"{QWEN}.huggingFaceToken": REMOVED},
        f"{QWEN}.huggingFaceToken",
        near=LLAMA,
    ),
    Case(
        "workload-token",
        "two-sources",
        {**LLAMA, f"{QWEN}.huggingFaceToken.existingSecret": "token"},
        f"{QWEN}.huggingFaceToken",
        near={**LLAMA, f"{QWEN}.huggingFaceToken": {"existingSecret": "token"}},
    ),
    Case(
        "workload-cache",
        "shared-disk",
        {f"{QWEN}.cache": {"sizeGib": 10}, f"{QWEN}.replicas": 2},
        f"{QWEN}.cache.storageClass",
        near={f"{QWEN}.cache": {"sizeGib": 10}},
    ),
    Case(
        "workload-cache",
        "too-small",
        {**LARGE, f"{QWEN}.cache": {"sizeGib": 14}},
        f"{QWEN}.cache.sizeGib",
        near={**LARGE, f"{QWEN}.cache": {"sizeGib": 15}},
    ),
    Case(
        "workload-float16",
        "t4",
        {KIND: "g4dn.2xlarge"},
        f"{QWEN}.nodeGroup",
        near={KIND: "g5.2xlarge"},
        severity="warning",
    ),
    Case(
        "workload-gpu-memory",
        "smaller-shares",
        {**shares(4), f"{QWEN}.gpuMemoryGib": 6},
        f"{QWEN}.gpuMemoryGib",
        near={**shares(4), f"{QWEN}.gpuMemoryGib": 5},
    ),
    Case(
        "workload-gpu-memory",
        "more-than-the-gpu",
        {f"{QWEN}.gpuMemoryGib": 23},
        f"{QWEN}.gpuMemoryGib",
        near={f"{QWEN}.gpuMemoryGib": 22},
    ),
    Case(
        "sharing-memory",
        "asked-by-a-workload",
        {f"{SHARING}.strategy": "mps", f"{QWEN}.gpuMemoryGib": 12},
        f"{QWEN}.gpuMemoryGib",
        near={f"{SHARING}.strategy": "mps", f"{QWEN}.gpuMemoryGib": 11},
    ),
    Case(
        "mig-tensor-parallel",
        "two-instances",
        {**ON_INSTANCES, "workloads.vllm.qwen.tensorParallelSize": 2},
        "workloads.vllm.qwen.tensorParallelSize",
        near={
            **ON_INSTANCES,
            "nodeGroups.gpu.sharing.mig": {"layouts": [{"1g.10gb": 7}] * 6 + [{}] * 2},
            "workloads.vllm.qwen.resourceName": "nvidia.com/gpu",
            "workloads.vllm.qwen.tensorParallelSize": 2,
        },
    ),
    Case(
        "workload-memory",
        "of-an-instance",
        {**ON_INSTANCES, "workloads.vllm.qwen.model": "Qwen/Qwen2.5-7B-Instruct"},
        "workloads.vllm.qwen.model",
        near={**ON_INSTANCES, "workloads.vllm.qwen.maxModelLen": 2048},
    ),
]
