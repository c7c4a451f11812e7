"""Stacks that rules are made for."""

from eks_accelerators.settings.resolved_stack import resolve_stack
from tests.settings.example import check

END = 1_796_124_600
"""When the Capacity Block of the stack with everything ends: 2026-12-01T11:30:00Z."""

EVERYTHING = {
    "nodeGroups.shared": {
        "instanceType": "g6.12xlarge",
        "size": {"max": 2},
        "sharing": {"strategy": "timeSlicing", "replicas": 4, "renameByDefault": True},
    },
    "nodeGroups.divided": {
        "instanceType": "p4d.24xlarge",
        "size": {"max": 1},
        "sharing": {"strategy": "mig", "mig": {"strategy": "mixed", "layout": {"3g.20gb": 1, "1g.5gb": 4}}},
    },
    "nodeGroups.trn": {"instanceType": "trn1.32xlarge", "size": {"max": 1}, "autoscaler": "clusterAutoscaler"},
    "nodeGroups.pool": {
        "instanceType": "g6.2xlarge",
        "size": {"min": 0, "desired": 0, "max": 2},
        "autoscaler": "karpenter",
        "karpenter": {"alsoInstanceTypes": ["g6.4xlarge"]},
    },
    "nodeGroups.h100": {
        "instanceType": "p5.48xlarge",
        "size": {"max": 2},
        "capacityBlock": "training",
        "efa": {"enabled": True},
    },
    "workloads.vllm.qwen.autoscaling": {"min": 1, "max": 1},
    "capacityBlocks.training": {
        "reservationId": "cr-0123456789abcdef0",
        "expect": {"end": "2026-12-01T11:30:00Z"},
    },
}
"""Whole, shared and divided GPUs, vLLM servers that follow their load, nodes that follow pods by either autoscaler, Neuron, EFA and a
Capacity Block."""

POOL = {"nodeGroups.gpu.size": {"min": 0, "desired": 0, "max": 2}, "nodeGroups.gpu.autoscaler": "karpenter"}
CLAIMED = {
    "nodeGroups.gpu": {
        "instanceType": "g6.2xlarge",
        "dynamicResourceAllocation": True,
        "size": {"min": 1, "desired": 1, "max": 1},
    },
}
NEURON = {"nodeGroups": {"trn": {"instanceType": "trn1.2xlarge", "size": {"max": 1}}}, "workloads": {}}
NOTHING = {"nodeGroups": {}, "workloads": {}}


def stack_of(patch):
    """The stack of the example with ``patch``."""
    return resolve_stack(check(patch).settings)
