"""Which pods of workloads that wait are wrong, and which nobody can judge, or need not."""

import pytest

from tests.settings.example import RESERVED
from tests.simulator.metrics.worlds import pod
from tests.verification.worlds import READY, Level, PaperCluster, stack_of, verification

JOB = {"nodeGroup": "gpu", "nodes": 2, "acceleratorsPerNode": 8}
ON_A_BLOCK = {**RESERVED, "workloads": {"pytorchJob": {"train": JOB}}}
AT_ZERO = {
    "nodeGroups.gpu": {"instanceType": "p5.48xlarge", "size": {"desired": 0, "max": 2}, "disk": {"sizeGib": 500}},
    "workloads": ON_A_BLOCK["workloads"],
}
NEVER_AT_ZERO = {**AT_ZERO, "nodeGroups.gpu": {**AT_ZERO["nodeGroups.gpu"], "size": {"min": 1, "desired": 1, "max": 2}}}
UNSCHEDULED = "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector."
NOT_BEGUN = "gpu has no node: its Capacity Block has not begun, or is over"


def of_job(name, phase, index="0", created="2026-11-22T08:00:00Z", **spec):
    """A pod of the Job `train`, as Kubernetes labels it."""
    made = pod(name, namespace="training", **spec)
    made["metadata"]["creationTimestamp"] = created
    made["metadata"]["labels"] = {"app.kubernetes.io/instance": "train", "batch.kubernetes.io/job-name": "train"}
    if index is not None:
        made["metadata"]["annotations"] = {"batch.kubernetes.io/job-completion-index": index}
    made["status"] = {"phase": phase, "conditions": READY if phase == "Running" else []}
    if phase == "Pending":
        made["status"]["conditions"] = [{"type": "PodScheduled", "status": "False", "message": UNSCHEDULED}]
    if phase == "Failed":
        ended = {"name": "main", "state": {"terminated": {"reason": "Error", "exitCode": 75}}}
        made["status"]["containerStatuses"] = [ended]
    return made


def judged(patch, pods, nodes):
    """Severity and words of what is found of the pods."""
    stack = stack_of(patch)
    cluster = PaperCluster(stack, nodes=nodes, number_of_servers=0)
    cluster.paper.pods += pods
    findings = verification(stack, cluster, Level.API).findings()
    return [(each.severity.value, each.found) for each in findings if each.code == "pods-waiting"]


WAITING = [of_job("train-0-a", "Pending"), of_job("train-1-a", "Pending", "1")]


@pytest.mark.parametrize(
    ("patch", "nodes", "severity", "found"),
    [
        (ON_A_BLOCK, 0, "notVerified", f"{UNSCHEDULED} ({NOT_BEGUN})"),
        (AT_ZERO, 0, "notVerified", f"{UNSCHEDULED} (gpu has no node (desired when it was made: 0))"),
        (NEVER_AT_ZERO, 0, "monitor", UNSCHEDULED),
        (ON_A_BLOCK, 1, "monitor", UNSCHEDULED),
    ],
    ids=["before its block", "at zero", "never at zero", "a node is there"],
)
def test_pods_of_a_group_that_may_be_without_nodes_are_not_verified(patch, nodes, severity, found):
    assert judged(patch, WAITING, nodes) == [(severity, f"train-0-a and 1 more: {found}")]


def test_a_pod_that_selects_another_group_does_not_wait_for_this_one():
    other = of_job("train-0-a", "Pending", nodeSelector={"eks-accelerators/node-group": "other"})

    assert judged(ON_A_BLOCK, [other], 0) == [("monitor", f"train-0-a: {UNSCHEDULED}")]


OLD, NEW = "2026-11-22T08:00:00Z", "2026-11-22T09:00:00Z"
WRONG, RUNS, ENDED = ("monitor", "old: Error"), ("pass", "1 run"), ("pass", "0 run")


@pytest.mark.parametrize(
    ("pods", "found"),
    [
        ([of_job("old", "Failed")], [WRONG]),
        ([of_job("old", "Failed"), of_job("new", "Running")], [RUNS]),
        ([of_job("old", "Failed"), of_job("new", "Succeeded")], [ENDED]),
        ([of_job("old", "Failed"), of_job("other", "Running", "1")], [WRONG]),
        ([of_job("old", "Failed"), of_job("new", "Pending")], [("monitor", f"new: {UNSCHEDULED}")]),
        ([of_job("old", "Failed", None, OLD), of_job("new", "Running", None, NEW)], [RUNS]),
        ([of_job("old", "Failed", None, OLD), of_job("other", "Running", None, OLD)], [WRONG]),
    ],
    ids=["alone", "goes on", "has ended well", "another index", "waits", "no index", "no index, its neighbour"],
)
def test_a_pod_that_a_job_keeps_is_judged_by_its_successor(pods, found):
    assert judged(ON_A_BLOCK, pods, 1) == found


def test_a_job_that_goes_on_in_the_next_block_is_not_verified_between_the_two():
    pods = [of_job("old", "Failed"), of_job("new", "Pending")]

    assert judged(ON_A_BLOCK, pods, 0) == [("notVerified", f"new: {UNSCHEDULED} ({NOT_BEGUN})")]
