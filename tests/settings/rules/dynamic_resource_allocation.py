from tests.settings.example import NVIDIA_TOLERATION, RESERVED, TAINT, TRAINIUM
from tests.settings.rules.case import Case

GROUP = "nodeGroups.gpu"
CLAIMED = {f"{GROUP}.dynamicResourceAllocation": True}
TIME_SLICING = {f"{GROUP}.sharing": {"strategy": "timeSlicing", "replicas": 2}}
BOTTLEROCKET = {f"{GROUP}.ami.type": "BOTTLEROCKET_x86_64_NVIDIA"}
OWN_IMAGE = {f"{GROUP}.ami.imageId": "ami-0123456789abcdef0"}
EMPTY = {f"{GROUP}.size": {"max": 2}}
ANOTHER = {"nodeGroups.plugged": {"instanceType": "g6.xlarge", "size": {"max": 1}}}
DRIVER = "plugins.draDriver"

CASES = [
    Case(
        "claimed-kubernetes-version",
        "1.33",
        {**CLAIMED, "cluster.kubernetesVersion": "1.33"},
        f"{GROUP}.dynamicResourceAllocation",
        near={**CLAIMED, "cluster.kubernetesVersion": "1.34"},
    ),
    Case(
        "claimed-not-nvidia",
        "trainium",
        {**TRAINIUM, **CLAIMED},
        f"{GROUP}.dynamicResourceAllocation",
        near={**TRAINIUM, f"{GROUP}.dynamicResourceAllocation": False},
    ),
    Case(
        "claimed-shared",
        "time-slicing",
        {**CLAIMED, **TIME_SLICING},
        f"{GROUP}.sharing.strategy",
        near={**CLAIMED, f"{GROUP}.sharing": {"strategy": "exclusive"}},
    ),
    Case(
        "claimed-shared",
        "mig",
        {
            **RESERVED,
            **CLAIMED,
            f"{GROUP}.sharing": {"strategy": "mig", "mig": {"layout": {"3g.40gb": 2}}},
        },
        f"{GROUP}.sharing.strategy",
        near={**RESERVED, **CLAIMED},
    ),
    Case(
        "claimed-beside-image-plugin",
        "bottlerocket",
        {**CLAIMED, **BOTTLEROCKET},
        f"{GROUP}.ami.type",
        near={**CLAIMED, f"{GROUP}.ami.type": "AL2023_x86_64_NVIDIA"},
    ),
    Case(
        "claimed-driver-unknown",
        "own-image",
        {**CLAIMED, **OWN_IMAGE},
        f"{GROUP}.ami.imageId",
        near=OWN_IMAGE,
        severity="warning",
    ),
    Case(
        "claimed-from-zero",
        "no-node",
        {**CLAIMED, **EMPTY},
        f"{GROUP}.size.desired",
        near=EMPTY,
        severity="warning",
    ),
    Case(
        "claimed-from-zero",
        "before-a-block",
        {**CLAIMED, **EMPTY},
        f"{GROUP}.size.desired",
        near={**RESERVED, **CLAIMED},  # the block's own schedule starts the nodes
        severity="warning",
    ),
    Case(
        "claimed-by-extended-resource",
        "beside-a-device-plugin",
        {**CLAIMED, **ANOTHER, "cluster.kubernetesVersion": "1.36"},
        f"{GROUP}.dynamicResourceAllocation",
        near={**CLAIMED, **ANOTHER, "cluster.kubernetesVersion": "1.35"},
        severity="warning",
    ),
    Case(
        "claimed-by-extended-resource",
        "alone",
        {**CLAIMED, **ANOTHER, "cluster.kubernetesVersion": "1.36"},
        f"{GROUP}.dynamicResourceAllocation",
        near={**CLAIMED, "cluster.kubernetesVersion": "1.36"},
        severity="warning",
    ),
    Case(
        "plugin-toleration",
        "dra-driver",
        {**CLAIMED, f"{DRIVER}.tolerations": [TAINT]},
        f"{DRIVER}.tolerations",
        near={**CLAIMED, f"{DRIVER}.tolerations": [NVIDIA_TOLERATION]},
    ),
    Case(
        "plugin-disabled",
        "dra-driver",
        {**CLAIMED, f"{DRIVER}.enabled": False},
        f"{DRIVER}.enabled",
        near={**CLAIMED, "plugins.nvidiaDevicePlugin.enabled": False},  # which would serve none of the nodes
        severity="warning",
    ),
    Case(
        "workload-resource-name",
        "claimed",
        {**CLAIMED, "workloads.vllm.qwen.resourceName": "nvidia.com/gpu"},
        "workloads.vllm.qwen.resourceName",
        near={**CLAIMED, "workloads.vllm.qwen.resourceName": "gpu.nvidia.com"},
    ),
]
