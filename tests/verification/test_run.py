"""One verification from begin to end: what it creates is gone afterwards, whatever ends it."""

import contextlib
from datetime import timedelta

import pytest

from eks_accelerators.verification.check_pod import MANAGED, NAMESPACE, namespace
from eks_accelerators.verification.cluster import ClusterError
from eks_accelerators.verification.space import ALIVE, AnotherVerificationError
from tests.verification.test_faults_found import CLAIMED, EIGHT, MOUNTED, SHARED
from tests.verification.worlds import NOW, Level, PaperCluster, stack_of, verification, verified, wrong


def claim(cluster, device, namespace="team"):
    """One GPU of the first node is claimed by somebody."""
    (node, *_) = cluster.paper.nodes
    result = {"driver": "gpu.nvidia.com", "pool": node["metadata"]["name"], "device": device, "request": "gpus"}
    status = {"allocation": {"devices": {"results": [result]}}}
    cluster.paper.claims.append({"metadata": {"name": f"claim-{device}", "namespace": namespace}, "status": status})


def of(patch, *faults, level=Level.QUICK, **more):
    stack = stack_of(patch)
    cluster = PaperCluster(stack, *faults, **more)
    return cluster, verification(stack, cluster, level)


@pytest.mark.parametrize("level", Level)
@pytest.mark.parametrize("stack", [EIGHT, MOUNTED, CLAIMED], ids=["eight", "mounted", "claimed"])
def test_nothing_is_left_in_the_cluster(level, stack):
    cluster, run = of(stack, level=level, nodes=2)

    run.findings()

    assert cluster.kept == {}


def test_the_api_alone_is_only_read():
    cluster, run = of(SHARED, level=Level.API)

    run.findings()

    assert set(cluster.asked) == {"list nodes", "list pods"}


@pytest.mark.parametrize("ended_by", [KeyboardInterrupt, ClusterError("the API server does not answer"), RuntimeError])
def test_what_ends_it_leaves_nothing(ended_by):
    cluster, run = of(SHARED)

    def end(*_):
        raise ended_by

    cluster.log = end
    cluster.annotate = end
    cluster.execute = end
    with contextlib.suppress(KeyboardInterrupt, RuntimeError, ClusterError):
        run.findings()

    assert cluster.kept == {}


def left_behind(cluster, alive_until):
    """What a verification leaves that was killed."""
    space = namespace()
    space["metadata"]["annotations"] = {ALIVE: alive_until}
    cluster.create("namespaces", space)
    cluster.create("pods", {"metadata": {"name": "old", "namespace": NAMESPACE, "labels": MANAGED}})


@pytest.mark.parametrize("alive_until", [(NOW - timedelta(seconds=1)).isoformat(), "", "nonsense"])
def test_what_a_crash_has_left_is_removed_by_the_next_run(alive_until):
    cluster, run = of(SHARED)
    left_behind(cluster, alive_until)

    assert wrong(run.findings()) == []
    assert cluster.kept == {}


def test_so_is_what_is_left_in_the_namespace_of_a_workload():
    cluster, run = of(SHARED)
    cluster.create("pods", {"metadata": {"name": "theirs", "namespace": "llm"}})
    for name, labels in {"left": MANAGED, "theirs": {}}.items():
        cluster.kept["jobs", "llm", name] = {"metadata": {"name": name, "namespace": "llm", "labels": labels}}

    run.findings()

    assert set(cluster.kept) == {("pods", "llm", "theirs"), ("jobs", "llm", "theirs")}


def test_one_that_is_under_way_is_left_alone():
    cluster, run = of(SHARED)
    left_behind(cluster, (NOW + timedelta(seconds=60)).isoformat())

    with pytest.raises(AnotherVerificationError, match="another verification is under way"):
        run.findings()

    assert ("namespaces", "", NAMESPACE) in cluster.kept


def test_one_that_begins_at_the_same_moment_is_left_alone():
    cluster, run = of(SHARED)
    real, lists = cluster.list, iter([True])

    def list_(kind, *arguments):
        found = real(kind, *arguments)
        if kind == "namespaces" and next(lists, False):
            left_behind(cluster, (NOW + timedelta(seconds=60)).isoformat())
        return found

    cluster.list = list_
    with pytest.raises(AnotherVerificationError):
        run.findings()

    assert ("namespaces", "", NAMESPACE) in cluster.kept


def test_shared_gpus_are_never_measured():
    cluster, run = of(SHARED, level=Level.THOROUGH, number_of_servers=0)

    found = {each.code: each for each in run.findings()}

    assert not [asked for asked in cluster.asked if "create jobs dcgm" in asked or "create jobs nccl" in asked]
    assert "shared" in found["dcgm-diagnostic"].found


def test_nodes_that_are_busy_are_not_measured():
    busy = {
        **EIGHT,
        "workloads": {"cudaVectorAdd": {"busy": {"nodeGroup": "gpu"}}},
    }
    cluster, run = of(busy, level=Level.THOROUGH, number_of_servers=1)

    found = {each.code: each for each in run.findings()}

    assert not [asked for asked in cluster.asked if "create jobs dcgm" in asked or "create jobs nccl" in asked]
    assert "not idle" in found["collective-bandwidth"].found


@pytest.mark.parametrize("servers", [0, 1, 4])
def test_shares_are_proved_by_pods_on_one_gpu(servers):
    cluster, run = of(SHARED, number_of_servers=servers)

    (found,) = [each for each in run.findings() if each.code == "gpu-shares"]

    assert found.found.startswith("4 on GPU-")
    assert len(cluster.executed) == servers
    assert {command[2:] for command in cluster.executed} <= {("nvidia-smi", "-L")}


@pytest.mark.parametrize(("claimed", "severity"), [(0, "pass"), (3, "pass"), (4, "notVerified")])
def test_a_claimed_gpu_adds_vectors_where_one_is_free(claimed, severity):
    cluster, run = of(CLAIMED)
    for number in range(claimed):
        claim(cluster, f"gpu-{number}")

    (found,) = [each for each in run.findings() if each.code == "gpu-computes"]

    assert (found.severity, found.where) == (severity, "gpu ip-10-20-0-0.ec2.internal")
    assert claimed < 4 or found.found == "claims have all of its 4 GPUs"


def test_who_may_not_see_claims_takes_none():
    cluster, run = of(CLAIMED)
    real = cluster.list

    def list_(kind, *arguments):
        if kind == "resourceclaims":
            raise ClusterError("forbidden", 403)
        return real(kind, *arguments)

    cluster.list = list_

    (found,) = [each for each in run.findings() if each.code == "gpu-computes"]
    assert (found.severity, "you may not list resourceclaims" in found.found) == ("notVerified", True)


def test_a_pod_that_cannot_be_scheduled_is_unknown_and_no_failure():
    stack = stack_of(SHARED)
    cluster = PaperCluster(stack, number_of_servers=0)
    cluster.jobs_start = False

    found = {each.code: each for each in verification(stack, cluster).findings()}

    assert found["gpu-driver"].severity == "notVerified"
    assert found["gpu-driver"].found.endswith("0/1 nodes are available: Insufficient cpu.")


RESERVED = {
    **EIGHT,
    "nodeGroups.gpu.capacityBlock": "block",
    "nodeGroups.gpu.size": {"max": 2},
    "capacityBlocks.block.reservationId": "cr-0123456789abcdef0",
}
NONE = {
    "at zero": ({"nodeGroups.gpu.size": {"min": 0, "desired": 0, "max": 2}, "workloads": {}}, "no node"),
    "before its block": (
        {
            **RESERVED,
            "nodeGroups.gpu": {**EIGHT["nodeGroups.gpu"], "size": {"max": 2}, "capacityBlock": "block", "zones": None},
        },
        "its Capacity Block has not begun",
    ),
}


@pytest.mark.parametrize("case", NONE)
def test_a_group_without_nodes_is_not_verified(case):
    patch, said = NONE[case]
    patch = {key: value for key, value in patch.items() if not key.startswith("nodeGroups.gpu.") or case == "at zero"}
    if case != "at zero":
        patch["nodeGroups.gpu"] = {key: value for key, value in patch["nodeGroups.gpu"].items() if value is not None}

    found = verified(patch, nodes=0)

    assert {each.severity.value for each in found} <= {"notVerified"}
    assert said in next(each.found for each in found if each.code == "nodes-present")


def sized(*, least=0, desired=0, **more):
    """The group with up to four nodes, and what may scale it."""
    group = {"instanceType": "g6.2xlarge", "size": {"min": least, "desired": desired, "max": 4}, **more}
    return {"nodeGroups.gpu": group}


AT_NIGHT = [{"name": "night", "recurrence": "0 20 * * *", "min": 0, "desired": 0}]
IN_THE_MORNING = [{"name": "morning", "recurrence": "0 6 * * *", "desired": 2}]
BY_AUTOSCALER = {"autoscaler": "clusterAutoscaler"}
OF_MANY = {
    "nothing scales it": (sized(desired=2), 0, "monitor", "2 to 4 nodes"),
    "nothing scales it, one of two": (sized(desired=2), 1, "monitor", "2 to 4 nodes"),
    "nothing scales it, both": (sized(desired=2), 2, "pass", "2 to 4 nodes"),
    "nothing scales it, more by hand": (sized(desired=2), 3, "pass", "2 to 4 nodes"),
    "more than its maximum": (sized(desired=2), 5, "monitor", "2 to 4 nodes"),
    "nothing scales it, none was wanted": (sized(), 0, "notVerified", "0 to 4 nodes"),
    "its minimum": (sized(least=1, desired=1), 0, "monitor", "1 to 4 nodes"),
    "an autoscaler": (sized(desired=2, **BY_AUTOSCALER), 0, "notVerified", "0 to 4 nodes"),
    "an autoscaler that keeps one": (sized(least=1, desired=2, **BY_AUTOSCALER), 0, "monitor", "1 to 4 nodes"),
    "an autoscaler has ended one": (sized(desired=2, **BY_AUTOSCALER), 1, "pass", "0 to 4 nodes"),
    "the time of day": (sized(least=2, desired=2, scheduledScaling=AT_NIGHT), 0, "notVerified", "0 to 4 nodes"),
    "the time of day, never to zero": (
        sized(least=1, desired=1, scheduledScaling=IN_THE_MORNING),
        0,
        "monitor",
        "1 to 4 nodes",
    ),
}


@pytest.mark.parametrize("case", OF_MANY)
def test_how_many_nodes_a_group_must_have(case):
    patch, nodes, severity, expected = OF_MANY[case]
    (found,) = [each for each in verified(patch, nodes=nodes, level=Level.API) if each.code == "nodes-present"]

    assert (found.severity.value, found.expected) == (severity, expected)


def test_what_the_api_shows_of_labels_taints_plugins_and_waiting_pods():
    stack = stack_of(SHARED)
    cluster = PaperCluster(stack)
    (node,) = cluster.paper.nodes
    node["metadata"]["labels"].pop("nvidia.com/gpu.present")
    node["spec"]["taints"] = []
    (exporter,) = [each for each in cluster.paper.pods if "dcgm-exporter" in each["metadata"]["name"]]
    exporter["status"]["conditions"] = [{"type": "Ready", "status": "False", "message": "back-off restarting"}]

    found = {each.code: each for each in verification(stack, cluster, Level.API).findings() if each.severity.failed}

    assert set(found) == {"node-labels", "node-taints"}
    assert "nvidia.com/gpu.present is missing" in found["node-labels"].found
    assert found["node-taints"].found == "without nvidia.com/gpu=true:NoSchedule"
    assert "back-off restarting" in found["node-labels"].evidence[0]
