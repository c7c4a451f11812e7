from tests.settings.rules.case import Case

NIM = "workloads.nim.llama"
SERVED = {
    "workloads": {
        "nim": {
            "llama": {
                "model": "meta-llama/Llama-3.2-1B-Instruct",
                "nodeGroup": "gpu",
                "ngcKey": {"configSecret": "ngcKey"},
            }
        }
    },
    "nodeGroups.gpu.instanceType": "g6e.xlarge",
}
OTHER = {**SERVED, f"{NIM}.model": "Qwen/Qwen2.5-7B-Instruct"}

CASES = [
    Case(
        "workload-cache",
        "nim-on-a-disk-of-one-node",
        {**SERVED, f"{NIM}.replicas": 2, f"{NIM}.cache": {"sizeGib": 50}},
        f"{NIM}.cache.storageClass",
        near={**SERVED, f"{NIM}.replicas": 2, f"{NIM}.cache": {"sizeGib": 50, "storageClass": "efs"}},
    ),
    Case(
        "nim-key",
        "one-of-two-secrets",
        {**SERVED, f"{NIM}.ngcKey": {"existingSecret": "ngc"}},
        f"{NIM}.ngcKey",
        near={**SERVED, f"{NIM}.ngcKey": {"existingSecret": "ngc", "existingPullSecret": "nvcr"}},
    ),
    Case(
        "nim-key",
        "twice",
        {**SERVED, f"{NIM}.ngcKey": {"configSecret": "ngcKey", "existingPullSecret": "nvcr"}},
        f"{NIM}.ngcKey",
        near=SERVED,
    ),
    Case(
        "nim-key",
        "of-pulumi-and-of-aws",
        {**SERVED, f"{NIM}.ngcKey": {"configSecret": "ngcKey", "secretsManager": {"name": "ml/ngc"}}},
        f"{NIM}.ngcKey",
        near={**SERVED, f"{NIM}.ngcKey": {"secretsManager": {"name": "ml/ngc"}}},
    ),
    Case("nim-image", "of-another-model", OTHER, f"{NIM}.image", near={**OTHER, f"{NIM}.image": "nvcr.io/nim/qwen:1"}),
    Case("nim-image", "downloads-another", OTHER, f"{NIM}.image", near={**OTHER, f"{NIM}.modelFree": True}),
    Case(
        "workload-token",
        "that-nim-downloads-with",
        {**SERVED, f"{NIM}.modelFree": True, f"{NIM}.image": "nvcr.io/nim/nvidia/any:2"},
        f"{NIM}.huggingFaceToken",
        near=SERVED,
    ),
    Case(
        "nim-shared",
        "in-time",
        {**SERVED, "nodeGroups.gpu.sharing": {"strategy": "timeSlicing", "replicas": 2}},
        f"{NIM}.nodeGroup",
        near=SERVED,
    ),
    Case(
        "nim-gpu-not-listed",
        "l4",
        {**SERVED, "nodeGroups.gpu.instanceType": "g6.xlarge"},
        f"{NIM}.nodeGroup",
        near={**SERVED, "nodeGroups.gpu.instanceType": "g5.xlarge"},
        severity="warning",
    ),
    Case(
        "workload-memory",
        "of-nim",
        {**OTHER, f"{NIM}.image": "nvcr.io/nim/qwen:1", "nodeGroups.gpu.instanceType": "g4dn.xlarge"},
        f"{NIM}.model",
        near={**OTHER, f"{NIM}.image": "nvcr.io/nim/qwen:1"},
    ),
    Case(
        "autoscaling-not-measured",
        "nim",
        {**SERVED, "monitoring.prometheus": "stack", f"{NIM}.autoscaling": {"max": 2}},
        f"{NIM}.autoscaling",
        near={**SERVED, "monitoring.prometheus": "stack", f"{NIM}.replicas": 1},
    ),
]
