"""Series of clusters that dashboards are asked about: each way of sharing, side by side."""

from tests.monitoring.cases.case import labelled
from tests.monitoring.cases.kubernetes import CORE, GPU, NEURON, SHARED, node, pod

ENGINE, TEMPERATURE = "DCGM_FI_PROF_GR_ENGINE_ACTIVE", "DCGM_FI_DEV_GPU_TEMP"
MIG_3G, MIG_2G, MIG_1G = (f"nvidia_com_mig_{profile}" for profile in ("3g_20gb", "2g_10gb", "1g_5gb"))
TEAM = {"namespace": "team"}


def labels_of_node(group, instance_type, zone, kind="nvidia_com_gpu", **more):
    return {
        f"label_{kind}_present": "true",
        "label_eks_accelerators_node_group": group,
        "label_node_kubernetes_io_instance_type": instance_type,
        "label_topology_kubernetes_io_zone": zone,
        **more,
    }


def gpu(name, index, holders=({},), load=0.0, metrics=(), minutes=120):
    """Series of a GPU, a copy for each of the ``holders``: their labels, none of a GPU that nobody holds.

    ``load`` is that of the engine, or one for each holder. ``metrics`` are values by metric.
    """
    made = {}
    loads = load if isinstance(load, tuple) else (load,) * len(holders)
    for holder, own in zip(holders, loads, strict=True):
        labels = {"node": name, "gpu": str(index), "UUID": f"GPU-{name}-{index}", **holder}
        for metric, values in {ENGINE: f"{own}x{minutes}", TEMPERATURE: f"50x{minutes}", **dict(metrics)}.items():
            made[labelled(metric, **labels)] = values
    return made


def holds(name, **more):
    return {**TEAM, "pod": name, "container": "main", **more}


def instance(number, profile, name=None):
    return {"GPU_I_ID": str(number), "GPU_I_PROFILE": profile, **(holds(name) if name else {})}


WHOLE = {
    **node("node-a", labels_of_node("gpu", "g6.2xlarge", "us-west-2a"), {GPU: 1}),
    **node("node-b", labels_of_node("gpu", "g6.2xlarge", "us-west-2b"), {GPU: 1}),
    **pod("one", "node-a"),
    **gpu("node-a", 0, [holds("one")], 0.5),
    **gpu("node-b", 0),
}
"""Two nodes of one GPU: one that a pod keeps busy, one that is free."""

SHARES = {
    **node("node-s", labels_of_node("shared", "g6.12xlarge", "us-west-2a"), {SHARED: 16}),
    **pod("two", "node-s", SHARED),
    **pod("three", "node-s", SHARED),
    **pod("four", "node-s", SHARED),
    **gpu("node-s", 0, [holds("two", vgpu="0"), holds("three", vgpu="1")], 0.7),
    **gpu("node-s", 1, [holds("four", vgpu="0")], 0.001),
    **gpu("node-s", 2),
    **gpu("node-s", 3, metrics={"DCGM_FI_DEV_ROW_REMAP_FAILURE": "1x120"}),
}
"""Four GPUs of four shares: two pods share one and it is busy, one pod does nothing, one is free, one is broken."""

INSTANCES = {
    **node("node-m", labels_of_node("divided", "p4d.24xlarge", "us-west-2b"), {MIG_3G: 8, MIG_2G: 8, MIG_1G: 16}),
    **pod("five", "node-m", MIG_3G),
    **pod("six", "node-m", MIG_2G),
    **pod("seven", "node-m", MIG_1G),
    **gpu(
        "node-m",
        0,
        [instance(1, "3g.20gb", "five"), instance(2, "2g.10gb", "six"), instance(3, "1g.5gb")],
        (0.9, 0.0, 0.0),
    ),
    **gpu("node-m", 1, [instance(1, "3g.20gb"), instance(3, "1g.5gb", "seven")]),
    **gpu("node-m", 2, [instance(1, "3g.20gb"), instance(2, "2g.10gb")]),
}
"""Three of the divided GPUs of a node: one pod is busy and one idle on the first, one is idle on the second."""

TRAINIUM = {
    **node(
        "node-t",
        labels_of_node("trn", "trn1.32xlarge", "us-west-2a", kind="aws_amazon_com_neuron"),
        {NEURON: 16, CORE: 32},
    ),
    **pod("eight", "node-t", CORE, 2),
}

FLEET = {**WHOLE, **SHARES, **INSTANCES, **TRAINIUM, **node("system", {}, {"cpu": 8})}
"""All of them, and a node without accelerators."""

CLAIMED = {
    **node(
        "node-c",
        labels_of_node("gpu", "g6.2xlarge", "us-west-2a", label_eks_accelerators_dynamic_resource_allocation="true"),
    ),
    **node(
        "node-d",
        labels_of_node("gpu", "g6.2xlarge", "us-west-2b", label_eks_accelerators_dynamic_resource_allocation="true"),
    ),
    **gpu("node-c", 0, [holds("nine", dra_claim_name="nine-gpu", dra_driver_name="gpu.nvidia.com")], 0.0),
    **gpu("node-d", 0),
}
"""Two GPUs, of which a pod claims one and does nothing."""

KARPENTER = {"job": "karpenter", "namespace": "kube-system", "instance": "k:8080"}
POOL = {"pool": {"nodes": (3, None), "cpu": (24, None), "nvidia.com/gpu": (3, 4)}, "empty": {"nodes": (0, None)}}
POOLS = {
    **node("node-k", labels_of_node("pool", "g6.2xlarge", "us-west-2a"), {GPU: 1}),
    **node("node-l", labels_of_node("pool", "g6.2xlarge", "us-west-2b"), {GPU: 1}),
    **{
        labelled(
            f"karpenter_nodepools_{what}", **KARPENTER, pod=pod, nodepool=name, resource_type=resource
        ): f"{value}x120"
        for pod in ("karpenter-a", "karpenter-b")
        for name, each in POOL.items()
        for resource, figures in each.items()
        for what, value in zip(("usage", "limit"), figures, strict=True)
        if value is not None
    },
}
"""Three nodes that Karpenter has launched, of which two are there; a pool without any. Both of its copies say it."""
