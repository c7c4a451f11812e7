from tests.settings.example import NVIDIA_TOLERATION, TAINT, TRAINIUM
from tests.settings.rules.case import Case

GROUP, QWEN = "nodeGroups.gpu", "workloads.vllm.qwen"
KIND, SHARING = f"{GROUP}.instanceType", f"{GROUP}.sharing"
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
        "workload-resource-name",
        "of-a-test",
        {
            **ON_INSTANCES,
            "workloads": {"cudaVectorAdd": {"hello": {"nodeGroup": "gpu", "resourceName": "nvidia.com/gpu"}}},
        },
        f"{VECTOR_ADD}.resourceName",
        near={**ON_INSTANCES, "workloads": {"cudaVectorAdd": {"hello": {"nodeGroup": "gpu"}}}},
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
    Case("workload-node-group", "misspelt", {f"{QWEN}.nodeGroup": "gpuu"}, f"{QWEN}.nodeGroup", near={}),
    Case(
        "workload-not-on-gpu",
        "trainium",
        {**TRAINIUM, "workloads": {"vllm": {"qwen": WORKLOAD}}},
        f"{QWEN}.nodeGroup",
        near={KIND: "p4d.24xlarge"},
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
        "workload-resource-name",
        "several",
        {**ON_INSTANCES, "nodeGroups.gpu.sharing.mig.layout": {"3g.40gb": 1, "1g.10gb": 4}},
        "workloads.vllm.qwen.resourceName",
        near=ON_INSTANCES,
    ),
]
