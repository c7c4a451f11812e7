from tests.settings.example import REMOVED
from tests.settings.rules.case import Case

QWEN, GROUP = "workloads.vllm.qwen", "nodeGroups.gpu"
SCALING = f"{QWEN}.autoscaling"
STACK = {"monitoring.prometheus": "stack"}
OFFICE = {"start": "30 7 * * 1-5", "end": "0 19 * * 1-5", "timezone": "Europe/Berlin", "replicas": 1}


def scaling(**settings: object) -> dict[str, object]:
    """One or two servers by load, or as ``settings`` say; the node group has room for one now, for two at most."""
    return {**STACK, SCALING: {"max": 1, **settings}}


def refused(
    code: str, name: str, at: str, settings: dict[str, object], near: dict[str, object], **more: object
) -> Case:
    return Case(code, name, {**scaling(**settings), **more}, f"{SCALING}.{at}", near=scaling(**near))


CASES = [
    *(
        refused("autoscaling-metric", name, "metrics[0]", {"metrics": [name]}, {"metrics": ["concurrency"]})
        for name in (
            "gpuUtilization",
            "DCGM_FI_DEV_GPU_UTIL",
            "DCGM_FI_DEV_FB_USED",
            "timeToFirstToken",
            "num_requests_waiting",
            "cpu",
            "concurency",
            "moonPhase",
        )
    ),
    refused("autoscaling-from-zero", "by-its-own-metric", "min", {"min": 0}, {"min": 0, "schedule": [OFFICE]}),
    refused("autoscaling-bounds", "least-above-most", "min", {"min": 2}, {"min": 1}),
    refused(
        "autoscaling-bounds",
        "fallback-above-most",
        "fallbackReplicas",
        {"fallbackReplicas": 2},
        {"fallbackReplicas": 1},
    ),
    refused(
        "autoscaling-bounds",
        "hours-above-most",
        "schedule[0].replicas",
        {"schedule": [{**OFFICE, "replicas": 2}]},
        {"schedule": [OFFICE]},
    ),
    *(
        refused(
            "autoscaling-schedule",
            name,
            f"schedule[0].{key}",
            {"schedule": [{**OFFICE, key: value}]},
            {"schedule": [OFFICE]},
        )
        for name, key, value in (
            ("six-fields", "start", "0 30 7 * * 1-5"),
            ("sunday-is-0", "end", "0 19 * * 7"),
            ("no-hours", "end", OFFICE["start"]),
            ("never", "start", "0 8 31 2 *"),
            ("never-ends", "end", "0 19 31 2 *"),
            ("no-such-zone", "timezone", "Europe/Atlantis"),
            ("path-for-a-zone", "timezone", "../../etc/passwd"),
        )
    ),
    refused("autoscaling-shares", "more-than-the-group-holds", "max", {"max": 3}, {"max": 2}),
    Case(
        "autoscaling-shares",
        "beyond-what-an-autoscaler-may-add",
        {**scaling(max=3), f"{GROUP}.autoscaler": "clusterAutoscaler"},
        f"{SCALING}.max",
        near={**scaling(max=2), f"{GROUP}.autoscaler": "clusterAutoscaler"},
    ),
    Case(
        "autoscaling-shares",
        "more-shares-than-there-are",
        {
            **scaling(max=9),
            f"{GROUP}.sharing": {"strategy": "timeSlicing", "replicas": 4},
            f"{QWEN}.resources.cpu": "100m",
        },
        f"{SCALING}.max",
        near={
            **scaling(max=6),
            f"{GROUP}.sharing": {"strategy": "timeSlicing", "replicas": 4},
            f"{QWEN}.resources.cpu": "100m",
        },
    ),
    Case(
        "autoscaling-waits-for-nodes",
        "nothing-adds-nodes",
        scaling(max=2),
        f"{SCALING}.max",
        near={**scaling(max=2), f"{GROUP}.autoscaler": "clusterAutoscaler"},
        severity="warning",
    ),
    Case(
        "autoscaling-target-unused",
        "by-the-cache-alone",
        scaling(targetConcurrency=4, metrics=["kvCacheUse"]),
        f"{SCALING}.targetConcurrency",
        near=scaling(targetConcurrency=4, metrics=["kvCacheUse", "concurrency"]),
        severity="warning",
    ),
    Case(
        "autoscaling-fixed-number",
        "nothing-to-scale",
        scaling(min=1, max=1),
        SCALING,
        near={**scaling(min=1, max=2), f"{GROUP}.autoscaler": "clusterAutoscaler"},
        severity="warning",
    ),
    Case("autoscaling-without-prometheus", "none", {SCALING: {"max": 1}}, SCALING, near=scaling()),
    Case(
        "autoscaling-without-prometheus",
        "none-and-amazon-s",
        {SCALING: {"max": 1}},
        SCALING,
        near={"monitoring.prometheus": "amp", SCALING: {"max": 1}},
    ),
    Case(
        "autoscaling-without-prometheus",
        "without-an-address",
        {"monitoring.prometheus": "existing", SCALING: {"max": 1}},
        SCALING,
        near={
            "monitoring.prometheus": "existing",
            "monitoring.prometheusAddress": "http://prometheus.monitoring.svc:9090",
            SCALING: {"max": 1},
        },
    ),
    Case(
        "autoscaling-beside-replicas",
        "both",
        {**scaling(), f"{QWEN}.replicas": 1},
        f"{QWEN}.replicas",
        near={**scaling(), f"{QWEN}.replicas": REMOVED},
    ),
    refused(
        "autoscaling-faster-than-start",
        "up",
        "scaleUp.periodSeconds",
        {"scaleUp": {"periodSeconds": 60}},
        {"scaleUp": {"periodSeconds": 60}, "startSeconds": 60},
    ),
    refused(
        "autoscaling-faster-than-start",
        "down",
        "scaleDown.stabilizationSeconds",
        {"scaleDown": {"stabilizationSeconds": 60}, "startSeconds": 120},
        {"scaleDown": {"stabilizationSeconds": 120}, "startSeconds": 120},
    ),
    refused(
        "autoscaling-target",
        "more-than-it-takes",
        "targetConcurrency",
        {"targetConcurrency": 17},
        {"targetConcurrency": 16},
    ),
    Case(
        "workloads-together",
        "at-their-most",
        {
            **STACK,
            "workloads.vllm": {
                name: {"model": "Qwen/Qwen2.5-0.5B-Instruct", "nodeGroup": "gpu", "autoscaling": {"max": 2}}
                for name in ("one", "two")
            },
        },
        f"{GROUP}.size.max",
        near={
            **STACK,
            f"{GROUP}.size.desired": 2,
            "workloads.vllm": {
                name: {"model": "Qwen/Qwen2.5-0.5B-Instruct", "nodeGroup": "gpu", "autoscaling": {"max": 1}}
                for name in ("one", "two")
            },
        },
    ),
    Case(
        "workload-cache",
        "one-now-two-later",
        {**scaling(max=2), f"{QWEN}.cache": {"sizeGib": 20}},
        f"{QWEN}.cache.storageClass",
        near={**scaling(max=1), f"{QWEN}.cache": {"sizeGib": 20}},
    ),
]
