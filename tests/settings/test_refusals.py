"""What a node group would refuse, in words with the next step."""

import pytest

from eks_accelerators.settings.headroom import headroom_of
from eks_accelerators.settings.refusals import CODES, refused
from eks_accelerators.settings.resolved_stack import resolve_stack
from tests.settings.example import RESERVED, TAINT, TRAINIUM, check

GROUP, QWEN = "nodeGroups.gpu", "workloads.vllm.qwen"
LLAMA = {f"{QWEN}.model": "meta-llama/Llama-3.2-1B"}
SMALL = {f"{QWEN}.resources": {"cpu": "100m", "memoryGib": 1}}
SHARED = {f"{GROUP}.sharing": {"strategy": "timeSlicing", "replicas": 4, "renameByDefault": True}}
BY_MPS = {f"{GROUP}.sharing": {"strategy": "mps", "replicas": 4}}
LENIENT = {f"{GROUP}.sharing": {"strategy": "timeSlicing", "replicas": 4, "failRequestsGreaterThanOne": False}}
DIVIDED = {
    f"{GROUP}.instanceType": "p5.48xlarge",
    f"{GROUP}.sharing": {"strategy": "mig", "mig": {"layout": {"3g.40gb": 1, "1g.10gb": 4}}},
    f"{QWEN}.resourceName": "nvidia.com/mig-3g.40gb",
}
NO_NODE = "any pod: Pending, node(s) didn't match Pod's node affinity/selector; no node until"


def refusals(patch):
    stack = resolve_stack(check(patch).settings)
    return refused(headroom_of(stack, "gpu"), stack.workloads_on("gpu"))


CASES = {
    "no-node": [
        (
            {f"{GROUP}.size": {"max": 2}},
            [f"{NO_NODE} an autoscaler or size.desired brings one, 2 at most"],
        ),
        (RESERVED, [f"{NO_NODE} Capacity Block block starts"]),
        ({f"{GROUP}.size": {"max": 0}}, [f"{NO_NODE} size.max is raised"]),
        (
            {
                f"{GROUP}.size": {"max": 2},
                f"{GROUP}.scheduledScaling": [{"name": "morning", "recurrence": "0 6 * * *", "desired": 1}],
            },
            [f"{NO_NODE} scheduled scaling morning, an autoscaler or size.desired brings one, 2 at most"],
        ),
        ({}, []),
    ],
    "workload-beyond-headroom": [
        ({}, ["more than 1 pod of qwen: Pending, Insufficient nvidia.com/gpu; 2 nodes would hold 2"]),
        (
            SHARED | SMALL,
            ["more than 4 pods of qwen: Pending, Insufficient nvidia.com/gpu.shared; 2 nodes would hold 8"],
        ),
        (
            SHARED | SMALL | {f"{QWEN}.replicas": 6},
            ["2 of 6 pods of qwen: Pending, Insufficient nvidia.com/gpu.shared; 2 nodes would hold 8"],
        ),
        (
            {f"{GROUP}.size": {"desired": 2, "max": 2}},
            ["more than 2 pods of qwen: Pending, Insufficient nvidia.com/gpu; raise size.max"],
        ),
        (
            {f"{QWEN}.resources.cpu": "9"},
            ["1 of 1 pod of qwen: Pending, Insufficient cpu; ask for less, or use a larger type"],
        ),
        (
            {f"{GROUP}.taints": [TAINT], f"{QWEN}.tolerations": []},
            [
                "1 of 1 pod of qwen: Pending, node(s) had untolerated taint(s) team=ml:NoSchedule; "
                "tolerate team=ml:NoSchedule"
            ],
        ),
        (
            SHARED | {"workloads": {"dcgmProfTester": {"pair": {"nodeGroup": "gpu"}}}},
            [
                "more than 4 pods of pair: Pending, Insufficient nvidia.com/gpu.shared; "
                "all have to be on one node, so fewer of them, or a larger type"
            ],
        ),
        ({"workloads": {}}, []),
    ],
    "share-beyond-headroom": [
        ({"workloads": {}}, ["more than 1 nvidia.com/gpu: Pending, a node has 1; 2 nodes would have 2"]),
        (DIVIDED, ["more than 32 nvidia.com/mig-1g.10gb: Pending, a node has 32; 2 nodes would have 64"]),
        (
            {"workloads": {}, f"{GROUP}.size": {"desired": 2, "max": 2}},
            ["more than 2 nvidia.com/gpu: Pending, a node has 1; raise size.max"],
        ),
        ({}, []),
    ],
    "more-than-a-node": [
        (TRAINIUM, ["a pod that asks for 17 aws.amazon.com/neuron: Pending, a node has 16; ask for at most 16"]),
        (LENIENT, ["a pod that asks for 5 nvidia.com/gpu: Pending, a node has 4; ask for at most 4"]),
        (
            {f"{GROUP}.dynamicResourceAllocation": True},
            ["a pod that claims 2 gpu.nvidia.com: Pending, a node has 1; claim at most 1"],
        ),
        (SHARED, []),
    ],
    "two-shares": [
        (
            SHARED,
            [
                "a pod that asks for 2 nvidia.com/gpu.shared: UnexpectedAdmissionError, "
                "by failRequestsGreaterThanOne; ask for 1"
            ],
        ),
        (LENIENT, []),
        ({}, []),
    ],
    "other-resource": [
        (
            SHARED,
            [
                "a pod that asks for nvidia.com/gpu: Insufficient nvidia.com/gpu, the group advertises none; "
                "ask for nvidia.com/gpu.shared"
            ],
        ),
        (
            DIVIDED,
            [
                "a pod that asks for nvidia.com/gpu: Insufficient nvidia.com/gpu, the group advertises none; "
                "ask for nvidia.com/mig-3g.40gb or nvidia.com/mig-1g.10gb"
            ],
        ),
        (
            {f"{GROUP}.dynamicResourceAllocation": True, "workloads": {}},
            [
                "a pod that asks for nvidia.com/gpu: Insufficient nvidia.com/gpu, the group advertises none; "
                "claim a device of gpu.nvidia.com"
            ],
        ),
        ({}, []),
        (BY_MPS, []),
        (TRAINIUM, []),
    ],
    "no-toleration": [
        (
            SHARED,
            [
                "a pod without the toleration nvidia.com/gpu=true:NoSchedule: Pending, node(s) had untolerated taint(s); "
                "tolerate nvidia.com/gpu=true:NoSchedule"
            ],
        ),
        (
            {f"{GROUP}.taints": [TAINT, {"key": "soft", "effect": "PreferNoSchedule"}]},
            [
                "a pod without the toleration nvidia.com/gpu=true:NoSchedule that does not ask for nvidia.com/gpu: "
                "Pending, node(s) had untolerated taint(s); tolerate nvidia.com/gpu=true:NoSchedule",
                "a pod without the toleration team=ml:NoSchedule: Pending, node(s) had untolerated taint(s); "
                "tolerate team=ml:NoSchedule",
            ],
        ),
    ],
    "longer-context": [
        (
            SHARED | LLAMA,
            [
                "qwen with maxModelLen above 15,062: workload-memory, KV cache for 4 at once exceeds the 5.14 GiB of a share; "
                "fewer concurrentSequences or fewer replicas per GPU"
            ],
        ),
        (
            {f"{QWEN}.model": "meta-llama/Llama-3.3-70B-Instruct", f"{QWEN}.concurrentSequences": 1},
            [
                "qwen with any maxModelLen: workload-memory, KV cache for 1 at once exceeds the 20.56 GiB of L4; "
                "a GPU with more memory"
            ],
        ),
        (
            SHARED
            | {"workloads": {"triton": {"llama": {"nodeGroup": "gpu", "vllm": {"model": "meta-llama/Llama-3.2-1B"}}}}},
            [
                "llama with vllm.maxModelLen above 15,062: workload-memory, KV cache for 4 at once exceeds the 5.14 GiB of a share; "
                "fewer vllm.concurrentSequences or fewer replicas per GPU"
            ],
        ),
        (LLAMA, []),
        ({f"{QWEN}.model": "nobody/nothing"}, []),
    ],
    "memory-above-share": [
        (
            BY_MPS,
            [
                "an allocation above 5.59 GiB: fails in that pod, by the limit of its MPS client; "
                "use fewer or larger shares"
            ],
        ),
        (
            DIVIDED,
            [
                "an allocation above about 38.0 GiB on 3g.40gb: fails in that pod, its instance has no more; "
                "use fewer or larger shares",
                "an allocation above about 9.5 GiB on 1g.10gb: fails in that pod, its instance has no more; "
                "use fewer or larger shares",
            ],
        ),
        (SHARED, []),
        ({}, []),
    ],
}


@pytest.mark.parametrize(
    ("code", "patch", "said"),
    [
        pytest.param(code, *case, id=f"{code}-{index}")
        for code, cases in CASES.items()
        for index, case in enumerate(cases)
    ],
)
def test_what_would_be_refused(code, patch, said):
    assert [str(each) for each in refusals(patch) if each.code == code] == said


def test_every_code_has_a_case():
    assert tuple(CASES) == CODES


def test_a_workload_on_another_group_is_none_of_this_one_s():
    elsewhere = {"nodeGroups.other": {"instanceType": "g6.2xlarge", "size": {"max": 1}}, f"{QWEN}.nodeGroup": "other"}

    assert {each.code for each in refusals(elsewhere)} == {"share-beyond-headroom", "more-than-a-node", "no-toleration"}
