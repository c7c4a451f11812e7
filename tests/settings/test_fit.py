"""How often a workload fits a node, and what limits it."""

import pytest

from eks_accelerators.settings import fit
from eks_accelerators.settings.resolved_stack import resolve_stack
from tests.settings.example import WITH_EFA, check
from tests.settings.rules.workloads import ON_INSTANCES

GROUP, QWEN = "nodeGroups.gpu", "workloads.vllm.qwen"
LLAMA = {f"{QWEN}.model": "meta-llama/Llama-3.2-1B"}
FOUR = {f"{GROUP}.sharing": {"strategy": "timeSlicing", "replicas": 4}}
MANY = {f"{QWEN}.concurrentSequences": 18}
SMALL = {f"{QWEN}.resources": {"cpu": "1", "memoryGib": 1}}


def fit_of(patch):
    settings = check(patch).settings
    return fit.vllm_fit(settings.workloads.vllm["qwen"], resolve_stack(settings).groups["gpu"])


@pytest.mark.parametrize(
    ("patch", "pods", "limit"),
    [
        pytest.param({}, 1, "nvidia.com/gpu", id="whole-gpu"),
        pytest.param({**FOUR, **SMALL}, 4, "nvidia.com/gpu", id="four-shares"),
        pytest.param({**FOUR, f"{QWEN}.resources.memoryGib": 9}, 3, "memory", id="memory-first"),
        pytest.param({**FOUR, **SMALL, f"{QWEN}.resources.cpu": "3"}, 2, "cpu", id="cpu-first"),
        pytest.param({**FOUR, **SMALL, f"{QWEN}.resources.cpu": "0m"}, 4, "nvidia.com/gpu", id="no-cpu-at-all"),
        pytest.param(
            {f"{GROUP}.instanceType": "g6.12xlarge", f"{QWEN}.tensorParallelSize": 2},
            2,
            "nvidia.com/gpu",
            id="two-gpus-each",
        ),
        pytest.param(
            {f"{GROUP}.instanceType": "g6.8xlarge", f"{QWEN}.efaInterfaces": 1},
            0,
            "vpc.amazonaws.com/efa",
            id="no-efa-there",
        ),
        pytest.param({**WITH_EFA, f"{QWEN}.efaInterfaces": 1}, 2, "hugepages-2Mi", id="huge-pages-of-efa"),
        pytest.param(
            {**WITH_EFA, f"{QWEN}.efaInterfaces": 1, f"{QWEN}.hugePagesMib": 1024}, 8, "nvidia.com/gpu", id="fewer"
        ),
        pytest.param({f"{QWEN}.hugePagesMib": 2}, 0, "hugepages-2Mi", id="no-huge-pages-without-efa"),
    ],
)
def test_pods_on_a_node(patch, pods, limit):
    found = fit_of(patch)

    assert (found.pods_per_node, found.limited_by) == (pods, limit)


def test_pods_of_the_group_at_both_sizes():
    found = fit_of({**FOUR, **SMALL, f"{GROUP}.size": {"desired": 1, "max": 3}})

    assert (found.pods_at_desired, found.pods_at_max) == (4, 12)


def test_the_arithmetic_is_shown():
    assert fit_of({**LLAMA, **FOUR}).arithmetic == (
        "2.30 weights + 1.00 overhead + 0.50 KV cache = 3.80 GiB per server, "
        "of 5.14 GiB per share (60,248 tokens of KV cache)"
    )


def test_cuda_graphs_are_counted_where_they_are_used():
    assert fit_of(LLAMA).arithmetic == (
        "2.30 weights + 1.00 overhead + 0.50 CUDA graphs + 0.50 KV cache = 4.30 GiB per server, "
        "of 20.56 GiB (549,231 tokens of KV cache)"
    )


@pytest.mark.parametrize(
    ("patch", "used"),
    [
        pytest.param({}, True, id="whole-gpu"),
        pytest.param(FOUR, False, id="share"),
        pytest.param({**FOUR, f"{QWEN}.cudaGraphs": True}, True, id="demanded-on-a-share"),
        pytest.param({f"{QWEN}.cudaGraphs": False}, False, id="turned-off"),
        pytest.param(ON_INSTANCES, True, id="mig-instance"),
        pytest.param({**ON_INSTANCES, f"{QWEN}.maxModelLen": 32768, **MANY}, False, id="mig-instance-full-of-cache"),
        pytest.param({f"{GROUP}.dynamicResourceAllocation": True}, True, id="claimed-whole"),
        pytest.param({f"{GROUP}.instanceType": "p6e-gb200.36xlarge"}, True, id="memory-not-known"),
        pytest.param({f"{QWEN}.model": "nobody/nothing"}, True, id="model-not-known"),
    ],
)
def test_servers_that_are_alone_and_have_the_memory_use_cuda_graphs(patch, used):
    assert fit_of(patch).cuda_graphs is used


@pytest.mark.parametrize("patch", [{}, FOUR])
def test_the_longest_context_that_is_told_fits_and_a_longer_one_does_not(patch):
    """Also where CUDA graphs are demanded; by default they go first."""
    demanded = {**patch, **LLAMA, **MANY, f"{QWEN}.cudaGraphs": True}
    settings = check(demanded).settings
    longest = fit.longest_context(settings.workloads.vllm["qwen"], resolve_stack(settings).groups["gpu"])

    fits = [fit_of({**demanded, f"{QWEN}.maxModelLen": tokens}) for tokens in (longest, longest + 1)]
    assert [found.servers_per_gpu >= found.sharers for found in fits] == [True, False]


def test_a_model_that_nobody_knows():
    found = fit_of({f"{QWEN}.model": "nobody/nothing"})

    assert (found.need, found.share, found.servers_per_gpu) == (None, None, None)
    assert found.arithmetic == "the memory of the model is not known"


def test_a_gpu_whose_memory_nobody_knows():
    found = fit_of({**LLAMA, f"{GROUP}.instanceType": "p6e-gb200.36xlarge"})

    assert found.servers_per_gpu is None
    assert found.arithmetic.endswith("the GPU's memory is not known")


def test_a_shape_of_one_s_own_goes_before_the_known_one():
    shape = {
        "parameters": 7_000_000_000,
        "layers": 32,
        "attentionHeads": 32,
        "kvHeads": 8,
        "headSize": 128,
        "maxModelLen": 8192,
    }

    assert fit_of({f"{QWEN}.modelShape": shape}).shape.layers == 32


@pytest.mark.parametrize(
    ("quantity", "cores"), [("2", 2.0), ("500m", 0.5), ("0", 0.0), ("00m", 0.0), ("9" * 400 + "m", float("inf"))]
)
def test_cpu_quantities(quantity, cores):
    assert fit.cpu_cores(quantity) == cores
