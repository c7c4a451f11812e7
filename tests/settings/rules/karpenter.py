from tests.settings.example import RESERVED
from tests.settings.rules.case import Case

GROUP = "nodeGroups.gpu"
POOL = {f"{GROUP}.autoscaler": "karpenter", f"{GROUP}.size": {"max": 2}}
SPOT = {**POOL, f"{GROUP}.capacityType": "spot"}
SHARED = {"strategy": "timeSlicing", "replicas": 4}
WITH = f"{GROUP}.karpenter"

BLOCK = {f"{GROUP}.efa.enabled": True}

CASES = [
    Case(
        "karpenter-shares",
        "time-slicing",
        {**POOL, f"{GROUP}.sharing": SHARED},
        f"{GROUP}.sharing.strategy",
        near={f"{GROUP}.autoscaler": "clusterAutoscaler", f"{GROUP}.sharing": SHARED},
    ),
    Case(
        "karpenter-shares",
        "instances",
        {
            **POOL,
            f"{GROUP}.instanceType": "p5.48xlarge",
            f"{GROUP}.sharing": {"strategy": "mig", "mig": {"layout": {"1g.10gb": 7}}},
            "workloads": {},
        },
        f"{GROUP}.sharing.strategy",
        near={**POOL, f"{GROUP}.instanceType": "p5.48xlarge", "workloads": {}},
    ),
    Case(
        "karpenter-shares",
        "claims",
        {**POOL, f"{GROUP}.dynamicResourceAllocation": True},
        f"{GROUP}.dynamicResourceAllocation",
        near=POOL,
    ),
    Case(
        "karpenter-smallest-size",
        "desired",
        {**POOL, f"{GROUP}.size": {"desired": 1, "max": 2}},
        f"{GROUP}.size.desired",
        near=POOL,
    ),
    Case("karpenter-not-taken", "efa", {**POOL, f"{GROUP}.efa.enabled": True}, f"{GROUP}.efa.enabled", near=POOL),
    Case(
        "karpenter-not-taken",
        "bottlerocket",
        {**POOL, f"{GROUP}.ami.type": "BOTTLEROCKET_x86_64_NVIDIA"},
        f"{GROUP}.ami.type",
        near={**POOL, f"{GROUP}.ami.type": "AL2023_x86_64_NVIDIA"},
    ),
    Case(
        "karpenter-not-taken",
        "efa-of-a-capacity-block",
        {**RESERVED, **BLOCK, f"{GROUP}.autoscaler": "karpenter"},
        f"{GROUP}.efa.enabled",
        near={**RESERVED, **BLOCK, f"{GROUP}.autoscaler": "none"},
    ),
    Case(
        "karpenter-settings-unused",
        "beside-the-other",
        {f"{GROUP}.autoscaler": "clusterAutoscaler", WITH: {"doNotDisrupt": True}},
        WITH,
        near={**POOL, WITH: {"doNotDisrupt": True}},
    ),
    Case(
        "karpenter-types-differ",
        "more-gpus",
        {**POOL, WITH: {"alsoInstanceTypes": ["g6.12xlarge"]}},
        f"{WITH}.alsoInstanceTypes[0]",
        near={**POOL, WITH: {"alsoInstanceTypes": ["g6.4xlarge"]}},
    ),
    Case(
        "karpenter-types-differ",
        "not-known",
        {**POOL, WITH: {"alsoInstanceTypes": ["g6.3xlarge"]}},
        f"{WITH}.alsoInstanceTypes[0]",
        near=POOL,
    ),
    Case(
        "karpenter-fallback-unused",
        "on-demand",
        {**POOL, WITH: {"onDemandFallback": True}},
        f"{WITH}.onDemandFallback",
        near={**SPOT, WITH: {"onDemandFallback": True}},
    ),
    Case(
        "karpenter-expiry",
        "of-training",
        {**POOL, WITH: {"doNotDisrupt": True, "expireAfter": "720h"}},
        f"{WITH}.expireAfter",
        near={**POOL, WITH: {"expireAfter": "720h"}},
        severity="warning",
    ),
    Case(
        "karpenter-replicas",
        "more-than-system-nodes",
        {**POOL, "karpenter.replicas": 3},
        "karpenter.replicas",
        near={**POOL, "karpenter.replicas": 2},
    ),
]
