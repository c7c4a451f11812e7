"""What pods take of a node group, and what is left of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eks_accelerators.accelerators import model_memory
from eks_accelerators.settings.fit import longest_context, vllm_fit
from eks_accelerators.settings.headroom import headroom_of
from eks_accelerators.settings.resolved_stack import resolve_stack
from tests.settings.example import REMOVED, TAINT, TRAINIUM, WITH_EFA, check

GROUP, QWEN = "nodeGroups.gpu", "workloads.vllm.qwen"
LLAMA = {f"{QWEN}.model": "meta-llama/Llama-3.2-1B"}
MODEL = {"model": "Qwen/Qwen2.5-0.5B-Instruct", "nodeGroup": "gpu", "replicas": 2}
FOUR = {f"{GROUP}.sharing": {"strategy": "timeSlicing", "replicas": 4}}
FOUR_BY_MPS = {f"{GROUP}.sharing": {"strategy": "mps", "replicas": 4}}
SMALL = {f"{QWEN}.resources": {"cpu": "100m", "memoryGib": 1}}
FOUR_GPUS = {f"{GROUP}.instanceType": "g6.12xlarge"}
PACKED = {f"{GROUP}.sharing": {"strategy": "timeSlicing", "replicas": 4, "allocationPolicy": "packed"}}
DIVIDED = {
    f"{GROUP}.instanceType": "p5.48xlarge",
    f"{GROUP}.sharing": {"strategy": "mig", "mig": {"layout": {"3g.40gb": 1, "1g.10gb": 4}}},
    f"{QWEN}.resourceName": "nvidia.com/mig-3g.40gb",
}
TRITON = {
    "storage": {"models": {"s3Bucket": {"bucket": "models"}}},
    "workloads": {
        "triton": {
            "vision": {
                "nodeGroup": "gpu",
                "repository": "/models/vision",
                "models": ["resnet50"],
                "volumes": {"models": {"mountPath": "/models", "readOnly": True}},
                "replicas": 4,
                "gpuMemoryGib": 4.0,
            }
        }
    },
}
UNKNOWN_TRITON = {"workloads.triton.vision.gpuMemoryGib": REMOVED}
UNKNOWN_MODEL = {f"{QWEN}.model": "nobody/nothing"}


def room(patch):
    settings = check(patch).settings
    return headroom_of(resolve_stack(settings), "gpu")


def replicas(count):
    return {f"{QWEN}.replicas": count}


@pytest.mark.parametrize(
    ("patch", "shares"),
    [
        pytest.param({}, {"nvidia.com/gpu": (1, 1, 0)}, id="a-gpu"),
        pytest.param({"workloads": {}}, {"nvidia.com/gpu": (1, 0, 1)}, id="nobody-asks"),
        pytest.param(FOUR | replicas(3), {"nvidia.com/gpu": (4, 3, 1)}, id="turns"),
        pytest.param(FOUR | SMALL | replicas(9), {"nvidia.com/gpu": (4, 4, 0)}, id="more-pods-than-turns"),
        pytest.param(FOUR_GPUS | {f"{QWEN}.tensorParallelSize": 2}, {"nvidia.com/gpu": (4, 4, 0)}, id="two-gpus-each"),
        pytest.param(
            DIVIDED | replicas(3),
            {"nvidia.com/mig-3g.40gb": (8, 3, 5), "nvidia.com/mig-1g.10gb": (32, 0, 32)},
            id="instances",
        ),
        pytest.param(FOUR | {f"{GROUP}.size": {"max": 3}}, {"nvidia.com/gpu": (0, 0, 0)}, id="no-node"),
        pytest.param(TRAINIUM, {"aws.amazon.com/neuron": (16, 0, 16)}, id="neuron"),
    ],
)
def test_shares_offered_taken_and_left(patch, shares):
    found = room(patch)

    assert {each.share.resource: (each.offered, each.taken, each.left) for each in found.shares} == shares


@pytest.mark.parametrize(
    ("patch", "of_one", "left"),
    [
        pytest.param(LLAMA, 22.35, 1.79, id="a-gpu"),
        pytest.param(FOUR | LLAMA, 5.59, 1.79, id="turns-all-taken"),
        pytest.param(FOUR | LLAMA | replicas(1), 5.59, 17.21, id="turns-one-taken"),
        pytest.param(FOUR | FOUR_GPUS | LLAMA | replicas(5), 5.59, 12.07, id="two-turns-on-the-fullest-of-four-gpus"),
        pytest.param(PACKED | FOUR_GPUS | LLAMA | replicas(5), 5.59, 1.79, id="packed-fills-one-gpu-first"),
        pytest.param(FOUR | {"workloads": {}}, 5.59, 22.35, id="nobody-takes-turns"),
        pytest.param(FOUR_BY_MPS | LLAMA, 5.59, 0.45, id="mps"),
        pytest.param(DIVIDED, 38.0, 3.04, id="an-instance"),
        pytest.param(FOUR | TRITON, 5.59, 6.35, id="turns-of-what-servers-ask-for"),
        pytest.param(FOUR | TRITON | UNKNOWN_TRITON, 5.59, None, id="turns-of-what-nobody-says"),
        pytest.param(
            FOUR | UNKNOWN_MODEL | {f"{QWEN}.gpuMemoryGib": 4.0},
            5.59,
            None,
            id="what-a-model-asks-for-is-not-what-it-takes",
        ),
        pytest.param(UNKNOWN_MODEL, 22.35, None, id="a-model-that-nobody-knows"),
        pytest.param(FOUR | UNKNOWN_MODEL, 5.59, None, id="turns-of-a-model-that-nobody-knows"),
        pytest.param({f"{GROUP}.instanceType": "p6e-gb200.36xlarge"}, None, None, id="a-gpu-that-nobody-knows"),
    ],
)
def test_memory_of_a_share_and_what_is_left(patch, of_one, left):
    share = room(patch).shares[0]

    found = [None if gib is None else round(gib, 2) for gib in (share.share.gib, share.memory_left_gib)]
    assert found == [of_one, left]


@pytest.mark.parametrize(
    ("patch", "placed", "pending", "reason"),
    [
        pytest.param(FOUR | SMALL | replicas(4), 4, 0, None, id="all"),
        pytest.param(FOUR | SMALL | replicas(6), 4, 2, "Insufficient nvidia.com/gpu", id="shares"),
        pytest.param(FOUR | {f"{QWEN}.resources.cpu": "3"} | replicas(4), 2, 2, "Insufficient cpu", id="cpu"),
        pytest.param(
            FOUR | {f"{QWEN}.resources.memoryGib": 12} | replicas(4), 2, 2, "Insufficient memory", id="memory"
        ),
        pytest.param(
            {f"{QWEN}.efaInterfaces": 1},
            0,
            1,
            "Insufficient vpc.amazonaws.com/efa, Insufficient hugepages-2Mi",
            id="efa",
        ),
        pytest.param(
            WITH_EFA | {f"{QWEN}.efaInterfaces": 1} | replicas(3), 2, 1, "Insufficient hugepages-2Mi", id="huge-pages"
        ),
        pytest.param({f"{QWEN}.resourceName": "nvidia.com/no"}, 0, 1, "Insufficient nvidia.com/no", id="another-name"),
        pytest.param(
            {f"{GROUP}.size": {"max": 1}}, 0, 1, "node(s) didn't match Pod's node affinity/selector", id="no-node"
        ),
        pytest.param(
            {f"{GROUP}.taints": [TAINT], f"{QWEN}.tolerations": []},
            0,
            1,
            "node(s) had untolerated taint(s) team=ml:NoSchedule",
            id="a-taint",
        ),
        pytest.param(
            {f"{GROUP}.dynamicResourceAllocation": True} | replicas(2), 1, 1, "cannot allocate all claims", id="claims"
        ),
        pytest.param({f"{QWEN}.tolerations": []}, 1, 0, None, id="who-asks-for-a-gpu-tolerates-its-taint"),
    ],
)
def test_pods_that_find_a_place_and_those_that_wait(patch, placed, pending, reason):
    (found,) = room(patch).workloads

    assert (found.placed, found.pending, found.reason) == (placed, pending, reason)


def test_workloads_of_one_group_take_from_each_other():
    other = {"workloads.vllm.other": {**MODEL, "replicas": 3}}

    first, second = room(FOUR | FOUR_GPUS | {f"{GROUP}.sharing.replicas": 2} | other | replicas(6)).workloads

    assert (first.placed, second.placed, second.pending) == (6, 2, 1)
    assert (first.more, first.at_max) == (0, 6 + 7)


@pytest.mark.parametrize(
    ("pods", "placed", "more", "at_max"),
    [pytest.param(2, 2, 2, 4, id="a-pair"), pytest.param(6, 4, 0, 4, id="more-than-a-node")],
)
def test_pods_that_have_to_be_together_do_not_use_a_second_node(pods, placed, more, at_max):
    pair = {"workloads": {"dcgmProfTester": {"pair": {"nodeGroup": "gpu", "pods": pods}}}}
    (found,) = room(FOUR | pair | {f"{GROUP}.size": {"desired": 2, "max": 3}}).workloads

    assert (found.placed, found.more, found.at_max) == (placed, more, at_max)


def test_memory_of_other_programs_is_not_known():
    add = {"workloads.cudaVectorAdd.add": {"nodeGroup": "gpu"}}
    found = room(FOUR | LLAMA | replicas(2) | add)

    assert [one.memory_left_gib is None for one in found.workloads] == [False, True]
    assert [share.memory_left_gib for share in found.shares] == [None]


def test_a_longer_context_than_the_longest_does_not_fit():
    settings = check(FOUR | LLAMA).settings
    group, workload = resolve_stack(settings).groups["gpu"], settings.workloads.vllm["qwen"]

    def servers(context):
        longer = workload.model_copy(update={"max_model_len": context})
        return vllm_fit(longer, group).servers_per_gpu

    longest = longest_context(workload, group)
    assert longest == 15062
    assert (servers(longest), servers(longest + 1)) == (4, 3)


@pytest.mark.parametrize(
    ("patch", "longest"),
    [
        pytest.param(LLAMA, 131072, id="that-of-the-model"),
        pytest.param(LLAMA | {f"{QWEN}.concurrentSequences": 100_000}, 5, id="many-at-once"),
        pytest.param({f"{QWEN}.model": "meta-llama/Llama-3.3-70B-Instruct"}, 0, id="weights-alone-are-too-much"),
        pytest.param(UNKNOWN_MODEL, None, id="nobody-knows"),
    ],
)
def test_the_longest_context(patch, longest):
    settings = check(patch).settings

    assert longest_context(settings.workloads.vllm["qwen"], resolve_stack(settings).groups["gpu"]) == longest


SHARINGS = st.one_of(
    st.none(),
    st.builds(
        lambda how, n: {"strategy": how, "replicas": n}, st.sampled_from(["timeSlicing", "mps"]), st.integers(2, 8)
    ),
)
WORKLOADS = st.builds(
    lambda model, replicas, cpu, memory, gpus: {
        "model": model,
        "nodeGroup": "gpu",
        "replicas": replicas,
        "tensorParallelSize": gpus,
        "resources": {"cpu": f"{cpu}m", "memoryGib": memory},
    },
    st.sampled_from(["Qwen/Qwen2.5-0.5B-Instruct", "meta-llama/Llama-3.2-1B", "nobody/nothing"]),
    st.integers(1, 40),
    st.integers(0, 9000),
    st.integers(1, 40),
    st.sampled_from([1, 1, 1, 2]),
)


@given(
    kind=st.sampled_from(["g6.2xlarge", "g6.12xlarge", "g6f.xlarge", "p5.48xlarge", "p6e-gb200.36xlarge"]),
    sharing=SHARINGS,
    workloads=st.lists(WORKLOADS, max_size=3),
    desired=st.integers(0, 3),
    further=st.integers(0, 2),
)
def test_nothing_is_lost_and_nothing_is_given_twice(kind, sharing, workloads, desired, further):
    settings = check(
        {
            f"{GROUP}.instanceType": kind,
            f"{GROUP}.sharing": sharing or REMOVED,
            f"{GROUP}.size": {"desired": desired, "max": desired + further},
            "workloads": {"vllm": {f"w{index}": each for index, each in enumerate(workloads)}},
        }
    ).settings
    resolved = resolve_stack(settings)

    found = headroom_of(resolved, "gpu")

    for share in found.shares:
        assert share.taken + share.left == share.offered <= share.offered_at_max
        assert share.left >= 0
        whole = share.share.gib and share.share.gib * (share.share.sharers if share.take_turns else 1)
        assert share.memory_left_gib is None or 0 <= share.memory_left_gib <= whole
    for one in found.workloads:
        alone = vllm_fit(settings.workloads.vllm[one.asked.name], resolved.groups["gpu"])
        assert one.placed + one.pending == one.asked.pods
        assert one.placed + one.more <= alone.pods_at_desired
        assert one.at_max <= alone.pods_at_max
        assert (one.reason is None) == (one.pending == 0)


def test_a_server_takes_all_that_vllm_may_use_of_its_share():
    settings = check(FOUR | LLAMA).settings
    fit = vllm_fit(settings.workloads.vllm["qwen"], resolve_stack(settings).groups["gpu"])

    assert fit.taken_gib == pytest.approx(model_memory.usable_gib(22888) / 4, abs=1e-6)
