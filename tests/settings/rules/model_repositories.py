from tests.settings.rules.case import Case

TRITON, TF = "workloads.triton.vision", "workloads.tfServing.resnet"
MODELS = {"models": {"mountPath": "/models", "readOnly": True}}
STORED = {"storage.models": {"s3Bucket": {"bucket": "models-of-ours"}}}
FOUR = {"nodeGroups.gpu.sharing": {"strategy": "timeSlicing", "replicas": 4}}
VISION = {"nodeGroup": "gpu", "repository": "/models/vision", "volumes": MODELS}
RESNET = {"nodeGroup": "gpu", "modelName": "resnet", "modelPath": "/models/resnet", "volumes": MODELS}
BY_TRITON = {**STORED, "workloads": {"triton": {"vision": VISION}}}
BY_TF = {**STORED, "workloads": {"tfServing": {"resnet": RESNET}}}
QWEN = {"model": "Qwen/Qwen2.5-0.5B-Instruct"}
BY_VLLM = {"workloads": {"triton": {"vision": {"nodeGroup": "gpu", "vllm": QWEN}}}}
SCALED = {"monitoring.prometheus": "stack", f"{TRITON}.autoscaling": {"max": 2}}

CASES = [
    Case("triton-repository", "both", {**BY_TRITON, f"{TRITON}.vllm": QWEN}, TRITON, near=BY_TRITON),
    Case(
        "triton-repository",
        "neither",
        {"workloads": {"triton": {"vision": {"nodeGroup": "gpu"}}}},
        TRITON,
        near=BY_VLLM,
    ),
    Case(
        "triton-repository",
        "models-of-none",
        {**BY_VLLM, f"{TRITON}.models": ["resnet"]},
        f"{TRITON}.models",
        near={**BY_TRITON, f"{TRITON}.models": ["resnet"]},
    ),
    Case(
        "triton-s3",
        "",
        {**BY_TRITON, f"{TRITON}.repository": "s3://models-of-ours/vision"},
        f"{TRITON}.repository",
        near=BY_TRITON,
    ),
    Case(
        "model-not-on-volume",
        "beside-it",
        {**BY_TRITON, f"{TRITON}.repository": "/models-of-others/vision"},
        f"{TRITON}.repository",
        near=BY_TRITON,
    ),
    Case(
        "model-not-on-volume",
        "without-any",
        {"workloads": {"tfServing": {"resnet": {**RESNET, "volumes": {}}}}},
        f"{TF}.modelPath",
        near=BY_TF,
    ),
    Case(
        "model-memory-unknown",
        "of-a-repository",
        {**BY_TRITON, **FOUR},
        f"{TRITON}.gpuMemoryGib",
        near={**BY_TRITON, **FOUR, f"{TRITON}.gpuMemoryGib": 4.0},
        severity="warning",
    ),
    Case(
        "model-memory-unknown",
        "of-tensorflow",
        {**BY_TF, **FOUR},
        f"{TF}.gpuMemoryGib",
        near=BY_TF,
        severity="warning",
    ),
    Case(
        "workload-gpu-memory",
        "of-a-repository",
        {**BY_TRITON, **FOUR, f"{TRITON}.gpuMemoryGib": 6.0},
        f"{TRITON}.gpuMemoryGib",
        near={**BY_TRITON, **FOUR, f"{TRITON}.gpuMemoryGib": 5.5},
    ),
    Case(
        "tf-serving-memory",
        "more-than-its-part",
        {**BY_TF, **FOUR, f"{TF}.gpuMemoryGib": 5.0},
        f"{TF}.gpuMemoryGib",
        near={**BY_TF, **FOUR, f"{TF}.gpuMemoryGib": 4.9},
    ),
    Case(
        "tf-serving-memory",
        "of-too-many",
        {**BY_TF, "nodeGroups.gpu.sharing": {"strategy": "timeSlicing", "replicas": 91}},
        "nodeGroups.gpu.sharing.replicas",
        near={**BY_TF, "nodeGroups.gpu.sharing": {"strategy": "timeSlicing", "replicas": 90}},
    ),
    Case(
        "workload-memory",
        "of-triton-s-language-model",
        {**BY_VLLM, "nodeGroups.gpu.sharing": {"strategy": "timeSlicing", "replicas": 10}, f"{TRITON}.replicas": 10},
        "nodeGroups.gpu.sharing.replicas",
        near={**BY_VLLM, **FOUR},
    ),
    Case(
        "workload-context",
        "of-triton-s-language-model",
        {**BY_VLLM, f"{TRITON}.vllm.maxModelLen": 99_999},
        f"{TRITON}.vllm.maxModelLen",
        near=BY_VLLM,
    ),
    Case(
        "autoscaling-not-measured",
        "language-model",
        {**BY_VLLM, **SCALED},
        f"{TRITON}.autoscaling",
        near={**BY_TRITON, **SCALED},
    ),
    Case(
        "autoscaling-not-measured",
        "tensorflow",
        {**BY_TF, "monitoring.prometheus": "stack", f"{TF}.autoscaling": {"max": 2}},
        f"{TF}.autoscaling",
        near=BY_TF,
    ),
    Case(
        "autoscaling-metric",
        "of-another-server",
        {**BY_TRITON, **SCALED, f"{TRITON}.autoscaling.metrics": ["kvCacheUse"]},
        f"{TRITON}.autoscaling.metrics[0]",
        near={**BY_TRITON, **SCALED, f"{TRITON}.autoscaling.metrics": ["pendingRequests"]},
    ),
]
