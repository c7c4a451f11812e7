from eks_accelerators.settings.rules.networks import NODE_SERVICES
from tests.settings.example import RESERVED, TAINT
from tests.settings.rules.case import Case

GROUP = "nodeGroups.gpu"
BY_CA = {f"{GROUP}.autoscaler": "clusterAutoscaler"}
BY_KARPENTER = {f"{GROUP}.autoscaler": "karpenter", f"{GROUP}.size": {"max": 2}}
PRIVATE = {"network.create.natGateways": "none", "network.create.interfaceEndpoints": [*NODE_SERVICES]}
NIGHT = [{"name": "night", "recurrence": "0 20 * * 1-5", "desired": 0}]
ON_DEMAND = {"instanceType": "g6.2xlarge", "size": {"max": 2}, "autoscaler": "clusterAutoscaler"}
WITH_FALLBACK = {
    **BY_CA,
    f"{GROUP}.capacityType": "spot",
    f"{GROUP}.spotFallback": "on-demand",
    "nodeGroups.on-demand": ON_DEMAND,
}
AT = f"{GROUP}.spotFallback"

CASES = [
    Case(
        "autoscaled-capacity-block",
        "cluster-autoscaler",
        {**RESERVED, **BY_CA},
        f"{GROUP}.autoscaler",
        near={**RESERVED, f"{GROUP}.autoscaler": "none"},
    ),
    Case(
        "autoscaled-capacity-block",
        "karpenter",
        {**RESERVED, f"{GROUP}.autoscaler": "karpenter"},
        f"{GROUP}.autoscaler",
        near=BY_KARPENTER,
    ),
    Case(
        "autoscaled-by-schedule",
        "both",
        {**BY_CA, f"{GROUP}.scheduledScaling": NIGHT},
        f"{GROUP}.scheduledScaling",
        near={f"{GROUP}.scheduledScaling": NIGHT},
    ),
    Case(
        "autoscaled-fixed-size",
        "nothing-to-scale",
        {**BY_CA, f"{GROUP}.size": {"min": 2, "desired": 2, "max": 2}},
        f"{GROUP}.size",
        near={**BY_CA, f"{GROUP}.size": {"min": 1, "desired": 2, "max": 2}},
    ),
    Case(
        "autoscaler-version",
        "of-another-cluster",
        {**BY_CA, "clusterAutoscaler.version": "1.34.5"},
        "clusterAutoscaler.version",
        near={**BY_CA, "clusterAutoscaler.version": "1.35.1"},
    ),
    Case(
        "autoscaler-version",
        "not-known",
        {**BY_CA, "cluster.kubernetesVersion": "1.37"},
        "clusterAutoscaler.version",
        near={**BY_CA, "cluster.kubernetesVersion": "1.37", "clusterAutoscaler.version": "1.37.0"},
    ),
    Case(
        "autoscaler-no-path",
        "to-auto-scaling",
        {**BY_CA, **PRIVATE},
        "network.create.interfaceEndpoints",
        near={**BY_CA, **PRIVATE, "network.create.interfaceEndpoints": [*NODE_SERVICES, "autoscaling"]},
    ),
    Case(
        "autoscaler-no-path",
        "to-the-queue-of-karpenter",
        {**BY_KARPENTER, **PRIVATE, "network.create.interfaceEndpoints": [*NODE_SERVICES, "ssm"]},
        "network.create.interfaceEndpoints",
        near={**BY_KARPENTER, **PRIVATE, "network.create.interfaceEndpoints": [*NODE_SERVICES, "ssm", "sqs"]},
    ),
    Case(
        "autoscaler-unused",
        "cluster-autoscaler",
        {"clusterAutoscaler.scaleDownUnneededTime": "5m"},
        "clusterAutoscaler",
        near={**BY_CA, "clusterAutoscaler.scaleDownUnneededTime": "5m"},
        severity="warning",
    ),
    Case(
        "autoscaler-unused",
        "karpenter",
        {**BY_CA, "karpenter.replicas": 1},
        "karpenter",
        near={**BY_KARPENTER, "karpenter.replicas": 1},
        severity="warning",
    ),
    Case("spot-fallback-missing", "no-such-group", {**WITH_FALLBACK, AT: "other"}, AT, near=WITH_FALLBACK),
    Case(
        "spot-fallback-missing",
        "of-an-on-demand-group",
        {**WITH_FALLBACK, f"{GROUP}.capacityType": "onDemand"},
        AT,
        near=WITH_FALLBACK,
    ),
    Case(
        "spot-fallback-missing",
        "spot-itself",
        {**WITH_FALLBACK, "nodeGroups.on-demand.capacityType": "spot"},
        AT,
        near=WITH_FALLBACK,
    ),
    Case(
        "spot-fallback-missing",
        "nobody-scales-it",
        {**WITH_FALLBACK, "nodeGroups.on-demand.autoscaler": "none"},
        AT,
        near=WITH_FALLBACK,
    ),
    Case(
        "spot-fallback-missing",
        "karpenter-has-its-own",
        {**BY_KARPENTER, f"{GROUP}.capacityType": "spot", AT: "on-demand", "nodeGroups.on-demand": ON_DEMAND},
        AT,
        near={**BY_KARPENTER, f"{GROUP}.capacityType": "spot", f"{GROUP}.karpenter": {"onDemandFallback": True}},
    ),
    Case(
        "spot-fallback-differs",
        "taints",
        {**WITH_FALLBACK, "nodeGroups.on-demand.taints": [TAINT]},
        AT,
        near={**WITH_FALLBACK, "nodeGroups.on-demand.taints": [TAINT], f"{GROUP}.taints": [TAINT]},
    ),
    Case(
        "spot-fallback-differs",
        "resources",
        {**WITH_FALLBACK, "nodeGroups.on-demand.instanceType": "g6.12xlarge"},
        AT,
        near={**WITH_FALLBACK, "nodeGroups.on-demand.instanceType": "g6.4xlarge"},
    ),
    Case(
        "spot-without-fallback",
        "pods-wait",
        {**BY_CA, f"{GROUP}.capacityType": "spot"},
        AT,
        near=WITH_FALLBACK,
        severity="warning",
    ),
    Case(
        "spot-without-fallback",
        "karpenter",
        {**BY_KARPENTER, f"{GROUP}.capacityType": "spot"},
        f"{GROUP}.karpenter.onDemandFallback",
        near={**BY_KARPENTER, f"{GROUP}.capacityType": "spot", f"{GROUP}.karpenter.onDemandFallback": True},
        severity="warning",
    ),
    Case(
        "claimed-back-to-zero",
        "the-last-node-goes",
        {**BY_CA, f"{GROUP}.dynamicResourceAllocation": True},
        f"{GROUP}.size.min",
        near={**BY_CA, f"{GROUP}.dynamicResourceAllocation": True, f"{GROUP}.size.min": 1},
        severity="warning",
    ),
]
