"""How often a workload fits a node, and what limits it."""

import pytest

from eks_accelerators.settings import fit
from eks_accelerators.settings.resolved_stack import resolve_stack
from tests.settings.example import WITH_EFA, check

GROUP, QWEN = "nodeGroups.gpu", "workloads.vllm.qwen"
LLAMA = {f"{QWEN}.model": "meta-llama/Llama-3.2-1B"}
FOUR = {f"{GROUP}.sharing": {"strategy": "timeSlicing", "replicas": 4}}
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
