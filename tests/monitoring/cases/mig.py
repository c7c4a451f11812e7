"""Nodes whose GPUs are divided, but not as the stack file says."""

from tests.monitoring.cases.case import Case, labelled
from tests.monitoring.cases.kubernetes import GPU, SHARED, node

LARGE, SMALL = "nvidia_com_mig_3g_20gb", "nvidia_com_mig_1g_5gb"
PLANNED = {LARGE: 8, SMALL: 32}
"""Of a node of the group `divided`."""


def divided(name, offers, group="divided", **more):
    labels = {"label_nvidia_com_gpu_present": "true", "label_eks_accelerators_node_group": group}
    return node(name, labels, offers, **more)


def fired(name):
    return {"node": name, "node_group": "divided"}


CASES = [
    Case("MigLayoutWrong", "as planned", divided("node-a", PLANNED)),
    Case(
        "MigLayoutWrong",
        "as planned, and an instance is not well: that has an alert of its own",
        {
            **divided("node-a", PLANNED),
            labelled("kube_node_status_allocatable", node="node-a", resource=LARGE, unit="integer"): "7x120",
        },
    ),
    Case("MigLayoutWrong", "none at all, which has an alert of its own", divided("node-a", {LARGE: 0, SMALL: 0})),
    Case("MigLayoutWrong", "a group without MIG", divided("node-a", {GPU: 8}, "gpu")),
    Case(
        "MigLayoutWrong",
        "whole on one node of two",
        {**divided("node-a", {GPU: 8, LARGE: 0, SMALL: 0}), **divided("node-b", PLANNED)},
        (fired("node-a"),),
    ),
    Case(
        "MigLayoutWrong",
        "shared in place of divided, on a node that never was",
        divided("node-a", {SHARED: 16}),
        (fired("node-a"),),
    ),
    Case(
        "MigLayoutWrong",
        "one GPU of eight is whole, and on another node one kind of instance is missing",
        {**divided("node-a", {GPU: 1, LARGE: 7, SMALL: 28}), **divided("node-b", {LARGE: 8})},
        (fired("node-a"), fired("node-b")),
    ),
]
