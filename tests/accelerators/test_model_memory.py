from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eks_accelerators.accelerators import instance_types, model_memory
from eks_accelerators.accelerators.model_memory import ModelShape

L4_MIB = instance_types.get("g6.2xlarge").accelerator.memory_mib
LLAMA = model_memory.shape_of("meta-llama/Llama-3.2-1B")


def llama(**changes):
    return model_memory.need(LLAMA, **{"max_model_len": 4096, "concurrent_sequences": 4, **changes})


def test_weights_and_cache_follow_from_the_shape():
    assert LLAMA.weights_gib == pytest.approx(2.30, abs=0.01)
    assert LLAMA.kv_bytes_per_token == 32 * 1024
    assert llama(concurrent_sequences=1).kv_cache_gib == pytest.approx(0.125)


def test_the_context_decides_the_cache():
    assert llama(max_model_len=131072, concurrent_sequences=1).kv_cache_gib == pytest.approx(4.0)


def test_tensor_parallelism_divides_all_but_the_overhead():
    one, two = llama(), llama(tensor_parallel_size=2)

    assert two.weights_gib == one.weights_gib / 2
    assert two.kv_cache_gib == one.kv_cache_gib / 2
    assert two.overhead_gib == one.overhead_gib


FULLEST_STAGES = [
    ((80, 2), 40),
    ((80, 3), 27),
    ((126, 2), 63),
    ((126, 4), 32),
    ((61, 4), 16),
    ((36, 5), 8),
    ((24, 24), 1),
]
"""Layers and stages, and how many layers the fullest has: what `get_pp_indices` of vLLM 0.28.0 answers, called on 2026-11-22."""


@pytest.mark.parametrize(("divided", "layers"), FULLEST_STAGES)
def test_the_fullest_stage_of_a_pipeline_has_what_vllm_gives_it(divided, layers):
    of_all, stages = divided
    shape = replace(LLAMA, layers=of_all)

    assert shape.part_in_stage(stages) * of_all == pytest.approx(layers)


def test_pipeline_parallelism_divides_by_layers():
    one, two, three = (llama(pipeline_parallel_size=stages) for stages in (1, 2, 3))

    assert two.weights_gib == one.weights_gib / 2
    assert two.kv_cache_gib == one.kv_cache_gib / 2
    assert two.overhead_gib == one.overhead_gib
    assert three.weights_gib == pytest.approx(one.weights_gib * 6 / 16), "one stage has six of sixteen layers"


def test_four_servers_fit_one_l4_and_ten_do_not():
    assert 4 <= model_memory.servers_per_gpu(llama(), L4_MIB) < 10


def test_not_even_one_server_of_a_large_model_fits():
    large = model_memory.shape_of("meta-llama/Llama-3.3-70B-Instruct")
    needed = model_memory.need(large, max_model_len=4096, concurrent_sequences=1)

    assert model_memory.servers_per_gpu(needed, L4_MIB) == 0


@pytest.mark.parametrize(("servers", "utilization"), [(1, 0.92), (2, 0.46), (4, 0.23), (5, 0.18), (10, 0.09)])
def test_what_vllm_is_told_to_use(servers, utilization):
    assert model_memory.share(llama(), L4_MIB, servers).utilization == utilization


def test_a_share_too_small_for_the_weights_leaves_no_cache():
    assert model_memory.share(llama(), L4_MIB, 10).kv_cache_bytes == 0


def test_an_unknown_model_has_no_shape():
    assert model_memory.shape_of("nobody/nothing") is None


@pytest.mark.parametrize("model", model_memory.known_models())
def test_known_shapes_are_plausible(model):
    shape = model_memory.shape_of(model)

    assert shape.attention_heads % shape.kv_heads == 0
    assert 0.4e9 < shape.parameters < 1e12
    assert shape.max_model_len >= 4096


SHAPES = st.builds(
    ModelShape,
    parameters=st.integers(10**6, 10**12),
    layers=st.integers(1, 200),
    attention_heads=st.integers(1, 256),
    kv_heads=st.integers(1, 256),
    head_size=st.integers(1, 512),
    bytes_per_parameter=st.integers(1, 4),
    max_model_len=st.integers(1, 10**6),
    gated=st.booleans(),
)
NEEDS = st.builds(
    model_memory.need,
    SHAPES,
    max_model_len=st.integers(1, 10**6),
    concurrent_sequences=st.integers(1, 256),
    tensor_parallel_size=st.integers(1, 16),
)
MEMORY = st.sampled_from(sorted({k.accelerator.memory_mib for k in instance_types.every() if k.accelerator.memory_mib}))


@given(NEEDS, MEMORY)
def test_the_law(needed, memory_mib):
    servers = model_memory.servers_per_gpu(needed, memory_mib)
    usable, rounding = model_memory.usable_gib(memory_mib), 1e-9

    assert servers * needed.total_gib <= usable + rounding
    assert usable < (servers + 1) * needed.total_gib + rounding


@given(NEEDS, MEMORY, st.integers(1, 64))
def test_equal_shares_never_exceed_the_gpu(needed, memory_mib, servers):
    share = model_memory.share(needed, memory_mib, servers)

    assert servers * share.utilization <= 0.92 + 1e-9
    assert servers * share.gib <= model_memory.usable_gib(memory_mib) + 1e-9


@given(NEEDS, MEMORY)
def test_servers_that_fit_get_the_cache_they_need(needed, memory_mib):
    servers = model_memory.servers_per_gpu(needed, memory_mib)
    if servers:
        share = model_memory.share(needed, memory_mib, servers)

        assert share.kv_cache_bytes >= needed.kv_cache_gib * model_memory.GIB - 2
