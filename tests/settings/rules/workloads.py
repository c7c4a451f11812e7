from tests.settings.example import NVIDIA_TOLERATION, REMOVED, TAINT, TRAINIUM, WITH_EFA
from tests.settings.rules.case import Case

GROUP, QWEN = "nodeGroups.gpu", "workloads.vllm.qwen"
KIND, SHARING = f"{GROUP}.instanceType", f"{GROUP}.sharing"
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
WORKLOAD = {"model": "Qwen/Qwen2.5-0.5B-Instruct", "nodeGroup": "gpu"}


def shares(count: int) -> dict[str, object]:
    return {SHARING: {"strategy": "timeSlicing", "replicas": count}}


ON_INSTANCES = {
    "nodeGroups.gpu.instanceType": "p5.48xlarge",
    "nodeGroups.gpu.zones": ["us-east-2a"],
    "nodeGroups.gpu.sharing": {"strategy": "mig", "mig": {"layout": {"1g.10gb": 7}}},
}

VECTOR_ADD = "workloads.cudaVectorAdd.hello"


def beside(kind: str, name: str, workload: dict[str, object], **server: object) -> dict[str, object]:
    """One server with ``server``'s settings, and another workload on the same node group."""
    return {"workloads": {"vllm": {"qwen": {**WORKLOAD, **server}}, kind: {name: {"nodeGroup": "gpu", **workload}}}}


CASES = [
    Case(
        "workload-name",
        "of-two-kinds",
        {**shares(2), **beside("cudaVectorAdd", "qwen", {}, replicas=1)},
        "workloads.cudaVectorAdd.qwen",
        near={**shares(2), **beside("cudaVectorAdd", "hello", {}, replicas=1)},
    ),
    Case(
        "workload-replicas-needed",
        "beside-a-test",
        {**shares(2), **beside("cudaVectorAdd", "hello", {})},
        f"{QWEN}.replicas",
        near={**shares(2), **beside("cudaVectorAdd", "hello", {}, replicas=1)},
    ),
    Case(
        "workload-node-group",
        "of-a-test",
        {VECTOR_ADD: {"nodeGroup": "gpuu"}},
        f"{VECTOR_ADD}.nodeGroup",
        near={"workloads": {"cudaVectorAdd": {"hello": {"nodeGroup": "gpu"}}}},
    ),
    Case(
        "workload-not-on-gpu",
        "a-test-on-trainium",
        {**TRAINIUM, "workloads": {"cudaVectorAdd": {"hello": {"nodeGroup": "gpu"}}}},
        f"{VECTOR_ADD}.nodeGroup",
        near={"workloads": {"cudaVectorAdd": {"hello": {"nodeGroup": "gpu"}}}},
    ),
    Case(
        "workload-waits",
        "a-test-without-nodes",
        {"workloads": {"cudaVectorAdd": {"hello": {"nodeGroup": "gpu"}}}, f"{GROUP}.size.desired": 0},
        f"{VECTOR_ADD}.nodeGroup",
        near={"workloads": {"cudaVectorAdd": {"hello": {"nodeGroup": "gpu"}}}},
        severity="warning",
    ),
    Case(
        "workload-resource-name",
        "of-a-test",
        {
            **ON_INSTANCES,
            "workloads": {"cudaVectorAdd": {"hello": {"nodeGroup": "gpu", "resourceName": "nvidia.com/gpu"}}},
        },
        f"{VECTOR_ADD}.resourceName",
        near={**ON_INSTANCES, "workloads": {"cudaVectorAdd": {"hello": {"nodeGroup": "gpu"}}}},
    ),
    Case(
        "workloads-together",
        "a-server-and-a-test",
        {f"{GROUP}.size.max": 1, **beside("cudaVectorAdd", "hello", {}, replicas=1)},
        f"{GROUP}.size.max",
        near={f"{GROUP}.size.max": 2, **beside("cudaVectorAdd", "hello", {}, replicas=1)},
    ),
    Case("workload-namespace", "of-kubernetes", {f"{QWEN}.namespace": "kube-system"}, f"{QWEN}.namespace", near={}),
    Case("workload-namespace", "of-a-plugin", {f"{QWEN}.namespace": "dcgm-exporter"}, f"{QWEN}.namespace", near={}),
    Case(
        "workload-replicas-needed",
        "two-want-all",
        {"workloads": {"vllm": {"qwen": WORKLOAD, "other": {**WORKLOAD, "replicas": 1}}}},
        f"{QWEN}.replicas",
        near={"workloads": {"vllm": {"qwen": {**WORKLOAD, "replicas": 1}, "other": {**WORKLOAD, "replicas": 1}}}},
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
    Case("workload-node-group", "misspelt", {f"{QWEN}.nodeGroup": "gpuu"}, f"{QWEN}.nodeGroup", near={}),
    Case(
        "workload-not-on-gpu",
        "trainium",
        {**TRAINIUM, "workloads": {"vllm": {"qwen": WORKLOAD}}},
        f"{QWEN}.nodeGroup",
        near={KIND: "p4d.24xlarge"},
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
        "workload-resource-name",
        "renamed",
        {**shares(2), f"{SHARING}.renameByDefault": True, f"{QWEN}.resourceName": "nvidia.com/gpu"},
        f"{QWEN}.resourceName",
        near={**shares(2), f"{SHARING}.renameByDefault": True, f"{QWEN}.resourceName": "nvidia.com/gpu.shared"},
    ),
    Case(
        "workload-toleration",
        "taint-of-one-s-own",
        {f"{GROUP}.taints": [TAINT], f"{QWEN}.tolerations": [NVIDIA_TOLERATION]},
        f"{QWEN}.tolerations",
        near={f"{GROUP}.taints": [TAINT], f"{QWEN}.tolerations": [NVIDIA_TOLERATION, TAINT]},
    ),
    Case(
        "workload-toleration",
        "preferences-need-none",
        {f"{GROUP}.taints": [TAINT], f"{QWEN}.tolerations": [NVIDIA_TOLERATION]},
        f"{QWEN}.tolerations",
        near={
            f"{GROUP}.taints": [{**TAINT, "effect": "PreferNoSchedule"}],
            f"{QWEN}.tolerations": [NVIDIA_TOLERATION],
        },
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
        "workload-memory-limit",
        "below-request",
        {f"{QWEN}.resources": {"memoryGib": 12}},
        f"{QWEN}.resources.memoryLimitGib",
        near={f"{QWEN}.resources": {"memoryGib": 10}},
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
        "workload-resource-name",
        "several",
        {**ON_INSTANCES, "nodeGroups.gpu.sharing.mig.layout": {"3g.40gb": 1, "1g.10gb": 4}},
        "workloads.vllm.qwen.resourceName",
        near=ON_INSTANCES,
    ),
    Case(
        "workload-memory",
        "of-an-instance",
        {**ON_INSTANCES, "workloads.vllm.qwen.model": "Qwen/Qwen2.5-7B-Instruct"},
        "workloads.vllm.qwen.model",
        near={**ON_INSTANCES, "workloads.vllm.qwen.maxModelLen": 2048},
    ),
]
