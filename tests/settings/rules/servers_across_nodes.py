from tests.settings.example import Patch
from tests.settings.rules.case import Case

GROUP, QWEN = "nodeGroups.gpu", "workloads.vllm.qwen"


def on(instance_type: str, nodes: int = 2, *, efa: bool = False) -> Patch:
    """A node group, in one zone."""
    return {
        f"{GROUP}.instanceType": instance_type,
        f"{GROUP}.size": {"desired": nodes, "max": nodes},
        f"{GROUP}.zones": ["us-east-2a"],
        **({f"{GROUP}.efa": {"enabled": True}} if efa else {}),
    }


def server(
    nodes: int, gpus: int, *, efa: int = 0, model: str = "Qwen/Qwen2.5-72B-Instruct", **settings: object
) -> Patch:
    """One server on so many nodes."""
    wanted = {"model": model, "nodeGroup": "gpu", "nodesPerReplica": nodes, "tensorParallelSize": gpus, "replicas": 1}
    return {QWEN: {**wanted, **({"efaInterfaces": efa} if efa else {}), **settings}}


TWO_P5, ON_BOTH = on("p5.48xlarge", efa=True), server(2, 8, efa=32)
TWO_L4 = on("g6.2xlarge")
SMALL = "Qwen/Qwen2.5-0.5B-Instruct"
ALONE = {"model": SMALL, "nodeGroup": "gpu", "replicas": 1}
LOAD = {"min": 1, "max": 2}
MIG = {"strategy": "mig", "mig": {"layout": {"1g.10gb": 7}}}

CASES = [
    Case(
        "server-nodes-size",
        "",
        {**TWO_P5, **server(3, 8, efa=32)},
        f"{QWEN}.nodesPerReplica",
        near={**TWO_P5, **ON_BOTH},
    ),
    *(
        Case(
            "server-nodes-shared",
            str(sharing["strategy"]),
            {**TWO_L4, f"{GROUP}.sharing": sharing, **server(2, 1, model=SMALL)},
            f"{QWEN}.nodeGroup",
            near={**TWO_L4, f"{GROUP}.sharing": sharing, **server(1, 1, model=SMALL)},
        )
        for sharing in ({"strategy": "timeSlicing", "replicas": 2}, {"strategy": "mps", "replicas": 2})
    ),
    Case(
        "server-nodes-shared",
        "mig",
        {**on("p5.48xlarge"), f"{GROUP}.sharing": MIG, **server(2, 1, model=SMALL)},
        f"{QWEN}.nodeGroup",
        near={**on("p5.48xlarge"), **server(2, 8, model=SMALL)},
    ),
    Case(
        "server-nodes-whole",
        "",
        {**TWO_P5, **server(2, 4, efa=32)},
        f"{QWEN}.tensorParallelSize",
        near={**TWO_P5, **ON_BOTH},
    ),
    Case(
        "server-nodes-layers",
        "",
        {**on("g6.2xlarge", 25), **server(25, 1, model=SMALL)},
        f"{QWEN}.nodesPerReplica",
        near={**on("g6.2xlarge", 24), **server(24, 1, model=SMALL)},
    ),
    Case(
        "server-nodes-uneven",
        "",
        {**on("p5.48xlarge", 3, efa=True), **server(3, 8, efa=32)},
        f"{QWEN}.nodesPerReplica",
        near={**on("p5.48xlarge", 4, efa=True), **server(4, 8, efa=32)},
        severity="warning",
    ),
    Case(
        "server-nodes-efa",
        "of-a-type-without",
        {**TWO_L4, **server(2, 1, model=SMALL)},
        f"{QWEN}.nodeGroup",
        near={**TWO_L4, **server(1, 1, model=SMALL)},
        severity="warning",
    ),
    Case(
        "server-nodes-efa",
        "of-a-group-that-could",
        {**on("p5.48xlarge"), **server(2, 8)},
        f"{QWEN}.nodeGroup",
        near={**TWO_P5, **ON_BOTH},
        severity="warning",
    ),
    Case(
        "server-nodes-efa",
        "a-part-of-it",
        {**TWO_P5, **server(2, 8, efa=16)},
        f"{QWEN}.efaInterfaces",
        near={**TWO_P5, **ON_BOTH},
        severity="warning",
    ),
    Case(
        "server-nodes-autoscaling",
        "",
        {**TWO_P5, "monitoring.prometheus": "stack", **server(2, 8, efa=32, autoscaling=LOAD)},
        f"{QWEN}.autoscaling",
        near={**TWO_P5, "monitoring.prometheus": "stack", **server(1, 8, efa=32, autoscaling=LOAD)},
    ),
    Case(
        "server-nodes-placement",
        "",
        {**TWO_P5, **server(2, 8, efa=32, placement="pack")},
        f"{QWEN}.placement",
        near={**TWO_P5, **server(1, 8, efa=32, placement="pack")},
    ),
    Case(
        "server-nodes-spot",
        "",
        {**TWO_P5, f"{GROUP}.capacityType": "spot", **ON_BOTH},
        f"{QWEN}.nodeGroup",
        near={**TWO_P5, f"{GROUP}.capacityType": "spot", **server(1, 8, efa=32)},
        severity="warning",
    ),
    Case(
        "server-nodes-name",
        "",
        {**on("p5.48xlarge", 3, efa=True), **ON_BOTH, f"{QWEN}-nodes": ALONE},
        QWEN,
        near={**on("p5.48xlarge", 3, efa=True), **ON_BOTH, f"{QWEN}-nodes": {**ALONE, "namespace": "other"}},
    ),
    Case(
        "workload-request",
        "whole-servers",
        {**on("p5.48xlarge", 3, efa=True), **server(2, 8, efa=32, replicas=2)},
        f"{QWEN}.replicas",
        near={**on("p5.48xlarge", 4, efa=True), **server(2, 8, efa=32, replicas=2)},
    ),
    Case(
        "workload-cache",
        "of-one-server-on-two-nodes",
        {**TWO_P5, **server(2, 8, efa=32, cache={"sizeGib": 300})},
        f"{QWEN}.cache.storageClass",
        near={**TWO_P5, **server(2, 8, efa=32, cache={"sizeGib": 300, "storageClass": "efs"})},
    ),
    Case(
        "workload-memory",
        "of-both-nodes",
        {**on("g6.12xlarge", 1), **server(1, 4, model="meta-llama/Llama-3.3-70B-Instruct")},
        f"{QWEN}.model",
        near={**on("g6.12xlarge", 4), **server(4, 4, model="meta-llama/Llama-3.3-70B-Instruct")},
    ),
]
"""Rules about servers that span nodes, and rules of all workloads that count by whole servers."""
