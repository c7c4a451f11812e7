"""Capacity Blocks, Neuron devices, autoscalers and quotas."""

from tests.monitoring.cases.case import HOUR, Case, labelled
from tests.monitoring.cases.kubernetes import GPU, MIG, SHARED, node, pod
from tests.monitoring.stacks import END

BLOCK = {"capacity_block": "training", "node_group": "h100"}
OF_BLOCK = {"label_eks_accelerators_node_group": "h100"}
ON_BLOCK = node("node-a", OF_BLOCK, {GPU: 8}, minutes=120)
ENDING, IN_USE = "CapacityBlockEnding", "CapacityBlockEndingInUse"


def before_end(hours):
    """The clock so that the end is ``hours`` away after 20 minutes."""
    return END - int(hours * 3600) - 20 * 60


NEURON, OTHER_NEURON = (
    {"job": "neuron-monitor", "instance": name, "node": f"node-{name}", "instance_id": f"i-{name}"} for name in "ab"
)
UP, OTHER_UP = (labelled("up", job="neuron-monitor", instance=name, node=f"node-{name}") for name in "ab")
AUTOSCALER = {"job": "cluster-autoscaler", "instance": "c"}
UP_AUTOSCALER = {labelled("up", **AUTOSCALER): "1x120"}
KARPENTER = {"job": "karpenter-0123abcd", "namespace": "kube-system", "pod": "karpenter-a", "instance": "k:8080"}
KARPENTER_ANSWERS = labelled("up", **KARPENTER)
UP_KARPENTER = {KARPENTER_ANSWERS: "1x120"}
OPERATOR = {"job": "keda-operator", "instance": "k"}
UP_OPERATOR = {labelled("up", **OPERATOR): "1x120"}
QWEN, LLAMA = ({"namespace": "llm", "scaledObject": name} for name in ("qwen", "llama"))
REASON = "cloudProviderError"


def errors(values, error_type="hardware", runtime="1", on=NEURON):
    return {labelled("execution_errors_total", **on, error_type=error_type, runtime_tag=runtime): values}


def failed(values, reason=REASON):
    return {labelled("cluster_autoscaler_failed_scale_ups_total", **AUTOSCALER, reason=reason): values}


def given_up(values, reason="insufficient_capacity", pool="pool"):
    own = {"nodepool": pool, "reason": reason, "capacity_type": "on-demand"}
    return {labelled("karpenter_nodeclaims_disrupted_total", **KARPENTER, **own): values}


def pool(used, limit, name="pool", resource="nvidia.com/gpu"):
    own = {**KARPENTER, "nodepool": name, "resource_type": resource}
    made = {labelled("karpenter_nodepools_usage", **own): f"{used}x60"}
    return made if limit is None else {**made, labelled("karpenter_nodepools_limit", **own): f"{limit}x60"}


def ready(**deployments):
    """Pods that are ready of each Deployment, minute by minute, by its name with `_` for `-`."""
    names = {name.replace("_", "-"): values for name, values in deployments.items()}
    return {
        labelled("kube_deployment_status_replicas_ready", namespace="a", deployment=name): values
        for name, values in names.items()
    }


def keda(name, values, scaled):
    trigger = {**OPERATOR, **scaled, "scaler": "prometheusScaler", "triggerIndex": "0"}
    return {labelled(f"keda_scaler_{name}_total", **trigger): values}


def quota(used, hard, resource="requests.nvidia.com/gpu", namespace="team"):
    labels = {"namespace": namespace, "resourcequota": "gpus", "resource": resource}
    return {
        labelled("kube_resourcequota", **labels, type="used"): f"{used}x60",
        labelled("kube_resourcequota", **labels, type="hard"): f"{hard}x60",
    }


QUOTA = {"namespace": "team", "resourcequota": "gpus", "resource": "requests.nvidia.com/gpu"}
NEVER_CAME = {"nodepool": "pool", "reason": "insufficient_capacity"}
FULL = {"nodepool": "pool", "resource_type": "nvidia.com/gpu"}
ALL_READY = {"cluster_autoscaler": "1x60", "karpenter_0123abcd": "2x60", "keda_operator": "1x60"}
CLUSTER_AUTOSCALER, KEDA_OPERATOR, NODES = (
    {"autoscaler": name} for name in ("cluster-autoscaler", "keda-operator", "karpenter")
)
QUOTA_OF_SHARES, QUOTA_OF_INSTANCES = "requests.nvidia.com/gpu.shared", "requests.nvidia.com/mig-3g.40gb"
CASES = [
    Case(ENDING, "in seven hours", {}, begins=before_end(7)),
    Case(ENDING, "in five hours", {}, (BLOCK,), begins=before_end(5), shown="5h 0m 0s"),
    Case(ENDING, "an hour ago", {}, begins=before_end(-1)),
    Case(IN_USE, "in five hours", {**ON_BLOCK, **pod("one", "node-a")}, begins=before_end(5)),
    Case(
        IN_USE,
        "in an hour, and nothing runs",
        {**ON_BLOCK, **pod("one", "node-a", phase="Succeeded")},
        begins=before_end(1),
    ),
    Case(
        IN_USE,
        "in an hour, and the pods run elsewhere",
        {**ON_BLOCK, **node("node-b", offers={GPU: 1}), **pod("one", "node-b")},
        begins=before_end(1),
    ),
    Case(
        IN_USE,
        "in an hour, under a pod",
        {**ON_BLOCK, **pod("one", "node-a", count=8)},
        (BLOCK,),
        begins=before_end(1),
        shown="1h 0m 0s",
    ),
    Case(
        IN_USE,
        "in an hour, under a pod that claims a GPU",
        {'accelerator:allocated_ratio{node_group="h100"}': "0.125x120"},  # as it is recorded of groups with claims
        (BLOCK,),
        begins=before_end(1),
        shown="1h 0m 0s",
    ),
    *(
        Case(
            IN_USE,
            f"in an hour, under a pod on one of two nodes that has {about}",
            {
                **node("node-a", OF_BLOCK, {resource: 16}),
                **pod("one", "node-a", resource),
                **node("node-b", OF_BLOCK, {resource: 16}),
            },
            (BLOCK,),
            begins=before_end(1),
            shown="1h 0m 0s",
        )
        for about, resource in (("a share", SHARED), ("a MIG instance", MIG))
    ),
    Case(
        "NeuronExecutionErrors",
        "none, and numbers that overflow",
        {UP: "1x60", **errors("0x60"), **errors("0+1x60", "numeric")},
    ),
    Case(IN_USE, "an hour ago, and a pod is left", {**ON_BLOCK, **pod("one", "node-a")}, begins=before_end(-1)),
    Case("NeuronExecutionErrors", "the first number that overflows", {UP: "1x60", **errors("_x15 1x45", "numeric")}),
    Case(
        "NeuronExecutionErrors",
        "the first, with which the series of a runtime begins",
        {UP: "1x60", **errors("_x15 1x45"), **errors("0x60", runtime="2")},
        ({"node": "node-a", "error_type": "hardware"},),
    ),
    Case(
        "NeuronExecutionErrors",
        "one a minute",
        {UP: "1x60", **errors("0+1x60")},
        ({"node": "node-a", "error_type": "hardware"},),
        shown="10",
    ),
    Case(
        "NeuronExecutionErrors",
        "one of two nodes",
        {UP: "1x60", **errors("0+1x60"), OTHER_UP: "1x60", **errors("0x60", on=OTHER_NEURON)},
        ({"node": "node-a", "error_type": "hardware"},),
        shown="10",
    ),
    Case("NeuronExecutionErrors", "old ones, when Prometheus begins to look", {UP: "_x15 1x45", **errors("_x15 9x45")}),
    Case(
        "NeuronUncorrectableEcc",
        "one device of two",
        {
            labelled(
                "hardware_ecc_events_total", **NEURON, event_type="mem_ecc_uncorrected", neuron_device_index="3"
            ): "1x60",
            labelled(
                "hardware_ecc_events_total", **NEURON, event_type="mem_ecc_uncorrected", neuron_device_index="4"
            ): "0x60",
        },
        ({"node": "node-a", "neuron_device_index": "3", "event_type": "mem_ecc_uncorrected"},),
    ),
    Case(
        "NeuronUncorrectableEcc",
        "one of two nodes",
        {
            labelled(
                "hardware_ecc_events_total", **on, event_type="sram_ecc_uncorrected", neuron_device_index="3"
            ): f"{count}x60"
            for on, count in ((NEURON, 1), (OTHER_NEURON, 0))
        },
        ({"node": "node-a", "neuron_device_index": "3", "event_type": "sram_ecc_uncorrected"},),
    ),
    Case(
        "NeuronUncorrectableEcc",
        "corrected ones",
        {
            labelled(
                "hardware_ecc_events_total", **NEURON, event_type="mem_ecc_corrected", neuron_device_index="3"
            ): "9x60"
        },
    ),
    Case("NodesNotLaunching", "never", {**UP_AUTOSCALER, **failed("0x60")}, at=HOUR),
    Case(
        "NodesNotLaunching",
        "the first, with which its series begins",
        {**UP_AUTOSCALER, **failed("_x50 1x30")},
        ({"reason": REASON},),
        HOUR,
    ),
    Case(
        "NodesNotLaunching",
        "one reason of two",
        {**UP_AUTOSCALER, **failed("_x50 1x30"), **failed("1x80", reason="timeout")},
        ({"reason": REASON},),
        HOUR,
    ),
    Case("NodesNotLaunching", "an hour ago", {**UP_AUTOSCALER, **failed("0x10 1x100")}, at=HOUR),
    Case("KarpenterNodesNotLaunching", "never", {**UP_KARPENTER, **given_up("0x60")}, at=HOUR),
    Case(
        "KarpenterNodesNotLaunching",
        "nodes that came, and went as nobody used them or an interruption took them",
        {**UP_KARPENTER, **given_up("0+1x80", "empty"), **given_up("0+1x80", "interrupted")},
        at=HOUR,
    ),
    *(
        Case(
            "KarpenterNodesNotLaunching",
            f"the first, with which its series begins: {reason}",
            {**UP_KARPENTER, **given_up("_x50 1x30", reason)},
            ({**NEVER_CAME, "reason": reason},),
            HOUR,
        )
        for reason in ("insufficient_capacity", "nodeclass_not_ready", "launch_timeout", "registration_timeout")
    ),
    Case(
        "KarpenterNodesNotLaunching",
        "one pool of two",
        {**UP_KARPENTER, **given_up("0x50 3x30"), **given_up("1x80", pool="other")},
        (NEVER_CAME,),
        HOUR,
        shown="3",
    ),
    Case(
        "KarpenterNodesNotLaunching",
        "the first, of a Karpenter that Prometheus has just found",
        {KARPENTER_ANSWERS: "_x50 1x30", **given_up("_x55 1x30")},
        (NEVER_CAME,),
        HOUR,
    ),
    Case(
        "KarpenterNodesNotLaunching",
        "old ones, when Prometheus begins to look, with a look that failed",
        {KARPENTER_ANSWERS: "_x50 1x3 0 1x26", **given_up("_x50 4x3 stale 4x26")},
        at=HOUR,
    ),
    Case("KarpenterNodesNotLaunching", "an hour ago", {**UP_KARPENTER, **given_up("0x10 1x100")}, at=HOUR),
    Case("KarpenterLimitNearlyReached", "half, and a pool without a limit", {**pool(4, 8), **pool(8, None, "free")}),
    Case("KarpenterLimitNearlyReached", "a pool that may have none", pool(0, 0)),
    Case(
        "KarpenterLimitNearlyReached", "one pool of two", {**pool(8, 8), **pool(4, 8, "other")}, (FULL,), shown="100%"
    ),
    Case(
        "KarpenterLimitNearlyReached",
        "Neuron devices",
        pool(16, 16, resource="aws.amazon.com/neuron"),
        ({**FULL, "resource_type": "aws.amazon.com/neuron"},),
        shown="100%",
    ),
    Case("AutoscalerMissing", "all are there", ready(**ALL_READY)),
    Case(
        "AutoscalerMissing",
        "one is deleted, of one no pod is ready",
        ready(cluster_autoscaler="1x5 _x60", karpenter_0123abcd="0x60", keda_operator="1x60"),
        (CLUSTER_AUTOSCALER, NODES),
    ),
    Case(
        "AutoscalerMissing",
        "others with such a name are there",
        ready(**{**ALL_READY, "keda_operator": "_x60"}, keda_operator_metrics_apiserver="1x60", keda="1x60"),
        (KEDA_OPERATOR,),
    ),
    Case("AutoscalerMissing", "nobody says which Deployments there are", UP_KARPENTER),
    Case("AutoscalerMissing", "another copy comes", ready(**{**ALL_READY, "keda_operator": "1x10 0x5 1x45"})),
    Case(
        "AutoscalerStopped",
        "it works",
        {labelled("cluster_autoscaler_cluster_safe_to_autoscale", **AUTOSCALER): "1x60"},
    ),
    Case(
        "AutoscalerStopped",
        "it does not",
        {labelled("cluster_autoscaler_cluster_safe_to_autoscale", **AUTOSCALER): "0x60"},
        ({},),
    ),
    Case(
        "AutoscalerBlind",
        "all are answered, one failed once",
        {
            **UP_OPERATOR,
            **keda("detail_errors", "0x60", QWEN),
            **keda("detail_errors", "_x25 1x30", LLAMA),
        },
        at=40,
    ),
    *(
        Case(
            "AutoscalerBlind",
            f"{kind} every five minutes",
            {**UP_OPERATOR, **keda(kind, " ".join(f"{count}x4" for count in range(12)), QWEN)},
            at=40,
        )
        for kind in ("detail_errors", "empty_upstream_responses")
    ),
    Case(
        "AutoscalerBlind",
        "errors, of one of two",
        {
            **UP_OPERATOR,
            **keda("detail_errors", "0+2x60", QWEN),
            **keda("detail_errors", "0x60", LLAMA),
        },
        (QWEN,),
        at=40,
        shown="10",
    ),
    Case(
        "AutoscalerBlind",
        "empty answers",
        {**UP_OPERATOR, **keda("empty_upstream_responses", "0+2x60", QWEN)},
        (QWEN,),
        at=40,
        shown="10",
    ),
    Case(
        "AcceleratorQuotaNearlyUsed",
        "half, all of the CPUs, and none of nothing",
        {
            **quota(4, 8),
            **quota(9, 9, "requests.cpu"),
            **quota(0, 0, "requests.aws.amazon.com/neuron"),
        },
    ),
    Case(
        "AcceleratorQuotaNearlyUsed",
        "one of two namespaces",
        {**quota(8, 8), **quota(1, 8, namespace="other")},
        (QUOTA,),
        shown="100%",
    ),
    Case(
        "AcceleratorQuotaNearlyUsed",
        "shares and MIG instances",
        {**quota(16, 16, QUOTA_OF_SHARES), **quota(2, 2, QUOTA_OF_INSTANCES)},
        tuple({**QUOTA, "resource": resource} for resource in (QUOTA_OF_SHARES, QUOTA_OF_INSTANCES)),
        shown="100%",
    ),
]
