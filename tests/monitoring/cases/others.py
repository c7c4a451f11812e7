"""Capacity Blocks, Neuron devices, autoscalers and quotas."""

from tests.monitoring.cases.case import HOUR, Case, labelled
from tests.monitoring.cases.kubernetes import GPU, node, pod
from tests.monitoring.stacks import END

BLOCK = {"capacity_block": "training", "node_group": "h100"}
ON_BLOCK = node("node-a", {"label_eks_accelerators_node_group": "h100"}, {GPU: 8}, minutes=120)
ENDING, IN_USE = "CapacityBlockEnding", "CapacityBlockEndingInUse"


def before_end(hours):
    """The clock so that the end is ``hours`` away after 20 minutes."""
    return END - int(hours * 3600) - 20 * 60


NEURON = {"job": "neuron-monitor", "instance": "a", "node": "node-a", "instance_id": "i-a"}
UP = labelled("up", job="neuron-monitor", instance="a", node="node-a")
AUTOSCALER = {"job": "cluster-autoscaler", "instance": "c"}
UP_AUTOSCALER = {labelled("up", **AUTOSCALER): "1x120"}
OPERATOR = {"job": "keda-operator", "instance": "k"}
UP_OPERATOR = {labelled("up", **OPERATOR): "1x120"}
QWEN, LLAMA = ({"namespace": "llm", "scaledObject": name} for name in ("qwen", "llama"))
REASON = "cloudProviderError"


def errors(values, error_type="hardware", runtime="1"):
    return {labelled("execution_errors_total", **NEURON, error_type=error_type, runtime_tag=runtime): values}


def failed(values, reason=REASON):
    return {labelled("cluster_autoscaler_failed_scale_ups_total", **AUTOSCALER, reason=reason): values}


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
    Case("NodesNotLaunching", "an hour ago", {**UP_AUTOSCALER, **failed("0x10 1x100")}, at=HOUR),
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
        shown="20",
    ),
    Case(
        "AutoscalerBlind",
        "empty answers",
        {**UP_OPERATOR, **keda("empty_upstream_responses", "0+2x60", QWEN)},
        (QWEN,),
        at=40,
        shown="20",
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
]
