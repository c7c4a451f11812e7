"""Nodes, plugins and exporters that are missing or ill, and nodes that nobody uses."""

from eks_accelerators.monitoring.metrics import Exporter
from tests.monitoring.cases.case import FIRST, SHARER, A, B, Case, labelled
from tests.monitoring.cases.kubernetes import (
    CLAIMED_LABELS,
    CORE,
    EFA,
    GPU,
    MIG,
    NEURON,
    NEURON_LABELS,
    SHARED,
    claiming,
    node,
    of_pod,
    pod,
)

NODE_A = {"node": "node-a"}
TEMPERATURE = "DCGM_FI_DEV_GPU_TEMP"


def condition(name, kind, status):
    return {labelled("kube_node_status_condition", node=name, condition=kind, status=status): "1x60"}


def allocatable(name, resource, values):
    return {labelled("kube_node_status_allocatable", node=name, resource=resource, unit="integer"): values}


def labelled_server(up):
    """A target of a vLLM server: its scrape names the pod."""
    return {labelled("up", job="team/vllm", instance="a:8000", namespace="team", pod="llama", **NODE_A): f"{up}x60"}


HARDWARE = "AcceleratedHardwareReady"
READY = "kube_pod_status_ready"
EXPORTERS = [each.value for each in Exporter if each is not Exporter.PROMETHEUS]
JOBS = (
    *EXPORTERS,
    *(f"monitoring/{name}" for name in EXPORTERS),
    "eks-node-monitoring-agent",
    "nvidia-dcgm-exporter",
    "dcgm-exporter-of-claims",
    "cluster-autoscaler-aws-cluster-autoscaler",
    "kube-prometheus-kube-state-metrics",
    "keda-operator",
)
"""Jobs of exporters that do not answer."""
CASES = [
    Case("AcceleratedHardwareNotReady", "ready", condition("node-a", HARDWARE, "true")),
    Case("AcceleratedHardwareNotReady", "another condition", condition("node-a", "NetworkingReady", "false")),
    Case(
        "AcceleratedHardwareNotReady",
        "one of two nodes",
        {**condition("node-a", HARDWARE, "false"), **condition("node-b", HARDWARE, "true")},
        (NODE_A,),
    ),
    Case(
        "GpuExporterMissing",
        "measured, shared, and no GPU at all",
        {
            **node("node-a"),
            labelled(TEMPERATURE, **A, pod="one", vgpu="0"): "50x60",
            labelled(TEMPERATURE, **A, pod="two", vgpu="1"): "50x60",
            **node("node-t", NEURON_LABELS),
            **node("system", {}),
        },
    ),
    Case(
        "GpuExporterMissing",
        "one of two nodes",
        {**node("node-a"), **node("node-b"), labelled(TEMPERATURE, **B): "50x60"},
        (NODE_A,),
    ),
    Case(
        "GpuExporterMissing",
        "shared and divided, one node of two each",
        {
            **node("shared", offers={SHARED: 16}),
            **node("divided", offers={MIG: 2}),
            **node("node-a", offers={SHARED: 16}),
            labelled(TEMPERATURE, **A, **SHARER): "50x60",
            **node("node-b", offers={MIG: 2}),
            labelled(TEMPERATURE, **B, **FIRST): "50x60",
        },
        ({"node": "shared"}, {"node": "divided"}),
    ),
    Case("GpuExporterMissing", "GPUs that pods claim", node("node-a", CLAIMED_LABELS), (NODE_A,)),
    Case("GpuExporterMissing", "the node is not ready", node("node-a", ready=0)),
    Case("GpuExporterMissing", "a node that has just come", node("node-a"), at=9),
    Case(
        "NodeWithoutItsAccelerators",
        "all offer them: whole, shared, divided, Neuron; or claim them",
        {
            **node("whole", offers={GPU: 8}),
            **node("shared", offers={SHARED: 16}),
            **node("divided", offers={MIG: 2}),
            **node("neuron", NEURON_LABELS, {NEURON: 16, CORE: 32}),
            **node("claimed", CLAIMED_LABELS),
            **node("system", {}),
        },
    ),
    Case(
        "NodeWithoutItsAccelerators",
        "one of two nodes has none, another has 0",
        {**node("node-a"), **node("node-b", offers={GPU: 1}), **node("node-c", offers={GPU: 0})},
        (NODE_A, {"node": "node-c"}),
    ),
    Case(
        "NodeWithoutItsAccelerators",
        "no share and no instance is left",
        {**node("shared", offers={SHARED: 0}), **node("divided", offers={MIG: 0})},
        ({"node": "shared"}, {"node": "divided"}),
    ),
    Case("NodeWithoutItsAccelerators", "Neuron", node("node-a", NEURON_LABELS), (NODE_A,)),
    Case("NodeWithoutItsAccelerators", "the node is not ready", node("node-a", ready=0)),
    Case("AcceleratorDeviceLost", "all there", node("node-a", offers={GPU: 8, EFA: 32})),
    Case(
        "AcceleratorDeviceLost",
        "a plugin that does not run, whose devices the kubelet counts as 0: that has an alert of its own",
        {**node("node-a", offers={GPU: 8, EFA: 32}), **allocatable("node-a", GPU, "8x5 0x60")},
    ),
    Case(
        "AcceleratorDeviceLost",
        "one GPU of one node",
        {
            **node("node-a", offers={GPU: 8, EFA: 32}),
            **allocatable("node-a", GPU, "7x60"),
            **node("node-b", offers={GPU: 8}),
        },
        ({**NODE_A, "resource": GPU},),
    ),
    Case(
        "AcceleratorDeviceLost",
        "the four shares of a GPU",
        {**node("node-a", offers={SHARED: 16}), **allocatable("node-a", SHARED, "12x60")},
        ({**NODE_A, "resource": SHARED},),
        shown="4",
    ),
    Case(
        "AcceleratorDeviceLost",
        "the two instances of a GPU, on one node of two",
        {**node("node-a", offers={MIG: 16}), **allocatable("node-a", MIG, "14x60"), **node("node-b", offers={MIG: 16})},
        ({**NODE_A, "resource": MIG},),
        shown="2",
    ),
    Case("AcceleratorNodeUnhealthy", "all well", node("node-a")),
    Case(
        "AcceleratorNodeUnhealthy",
        "what another alert is about",
        {**node("node-a"), **condition("node-a", HARDWARE, "false")},
    ),
    Case(
        "AcceleratorNodeUnhealthy",
        "one of two nodes, and one without accelerators",
        {**node("node-a", ready=0), **node("node-b"), **node("system", {}, ready=0)},
        ({**NODE_A, "condition": "Ready"},),
    ),
    Case(
        "AcceleratorNodeUnhealthy",
        "shared and divided",
        {**node("shared", offers={SHARED: 16}, ready=0), **node("divided", offers={MIG: 2}, ready=0)},
        ({"node": "shared", "condition": "Ready"}, {"node": "divided", "condition": "Ready"}),
    ),
    Case(
        "AcceleratorNodeUnhealthy",
        "a kubelet that says nothing any more",
        {**node("node-a", ready=0), **condition("node-a", "Ready", "unknown")},
        ({**NODE_A, "condition": "Ready"},),
    ),
    Case(
        "AcceleratorNodeUnhealthy",
        "the network of a Neuron node",
        {**node("node-a", NEURON_LABELS), **condition("node-a", "NetworkingReady", "false")},
        ({**NODE_A, "condition": "NetworkingReady"},),
    ),
    Case(
        "AcceleratorMetricsMissing", "all answer", {labelled("up", job="gpu-dcgm-exporter", instance="a:9400"): "1x60"}
    ),
    Case(
        "AcceleratorMetricsMissing",
        "every exporter, as a scrape, an object of the operator or a release names its job",
        {labelled("up", job=job, instance="a"): "0x60" for job in JOBS},
        tuple({"job": job, "instance": "a"} for job in JOBS),
    ),
    Case(
        "AcceleratorMetricsMissing",
        "jobs with such a name within another word",
        {labelled("up", job=job, instance="a"): "0x60" for job in ("shop/minimal", "nimbus", "mykeda", "tritone")},
    ),
    Case(
        "AcceleratorMetricsMissing",
        "a server that loads its model, and listens to nobody yet",
        {**labelled_server(0), **of_pod(READY, "llama", "0x60", condition="true")},
    ),
    Case(
        "AcceleratorMetricsMissing",
        "a server that is ready and shows no metrics, and an exporter that is not ready: its scrape names no pod",
        {
            **labelled_server(0),
            **of_pod(READY, "llama", "1x60", condition="true"),
            **of_pod(READY, "dcgm-exporter-1", "0x60", condition="true"),
            labelled("up", job="dcgm-exporter", instance="a:9400", **NODE_A): "0x60",
        },
        (
            {"job": "team/vllm", "instance": "a:8000", **NODE_A},
            {"job": "dcgm-exporter", "instance": "a:9400", **NODE_A},
        ),
    ),
    Case("AcceleratorMetricsMissing", "an autoscaler for a while", {labelled("up", job="keda"): "0x60"}, at=9),
    Case(
        "AcceleratorMetricsMissing",
        "one of two nodes, and somebody else's",
        {
            labelled("up", job="gpu-dcgm-exporter", instance="a:9400", node="node-a"): "0x60",
            labelled("up", job="gpu-dcgm-exporter", instance="b:9400", node="node-b"): "1x60",
            labelled("up", job="shop", instance="c:80"): "0x60",
        },
        ({"job": "gpu-dcgm-exporter", "instance": "a:9400", **NODE_A},),
    ),
    Case(
        "AcceleratorNodeUnused",
        "used: whole, shared, divided, Neuron cores, and while a pod's image comes",
        {
            **node("whole", offers={GPU: 8}),
            **pod("one", "whole"),
            **node("shared", offers={SHARED: 16}),
            **pod("two", "shared", SHARED),
            **node("divided", offers={MIG: 2}),
            **pod("three", "divided", MIG),
            **node("neuron", NEURON_LABELS, {NEURON: 16, CORE: 32}),
            **pod("four", "neuron", CORE, 2),
            **node("pulling", offers={GPU: 1}),
            **pod("five", "pulling", phase="Pending"),
        },
        at=40,
    ),
    Case(
        "AcceleratorNodeUnused",
        "one of two nodes: a pod has ended there, one without an accelerator runs, and one that waits is nowhere",
        {
            **node("node-a", offers={GPU: 8}),
            **pod("done", "node-a", phase="Succeeded"),
            **pod("exporter", "node-a", None),
            **pod("waiting", "", phase="Pending"),
            **node("node-b", offers={GPU: 8}),
            **pod("busy", "node-b"),
        },
        (NODE_A,),
        at=40,
        shown="8",
    ),
    Case(
        "AcceleratorNodeUnused",
        "Neuron, which has two names",
        node("node-a", NEURON_LABELS, {NEURON: 16, CORE: 32}),
        (NODE_A,),
        at=40,
        shown="16",
    ),
    Case(
        "AcceleratorNodeUnused",
        "shared and divided",
        {**node("shared", offers={SHARED: 16}), **node("divided", offers={MIG: 16})},
        ({"node": "shared"}, {"node": "divided"}),
        at=40,
        shown="16",
    ),
    Case("AcceleratorNodeUnused", "for a while", node("node-a", offers={GPU: 8}), at=29),
    Case(
        "AcceleratorNodeUnused",
        "of GPUs that pods claim nothing is known",
        {**node("node-a", CLAIMED_LABELS), **claiming("one")},
        at=40,
    ),
]
