"""The memory law of a logical core: the documented numbers, and what holds whatever the numbers are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eks_accelerators.accelerators.model_memory import GIB, ModelShape, shape_of
from eks_accelerators.accelerators.neuron import NeuronPlugin
from eks_accelerators.accelerators.neuron_memory import core_memory

NEW, OLD = NeuronPlugin.VLLM_NEURON, NeuronPlugin.NXD_INFERENCE
LLAMA_1B = shape_of("meta-llama/Llama-3.2-1B-Instruct")
LLAMA_8B = shape_of("meta-llama/Llama-3.1-8B-Instruct")
LLAMA_70B = shape_of("meta-llama/Llama-3.3-70B-Instruct")
assert LLAMA_1B and LLAMA_8B and LLAMA_70B  # noqa: PT018  (for the types)

CASES = [
    # name, plugin, model, GiB of a core, cores, longest context, sequences, fits
    ("1b-on-one-core-of-trn2", NEW, LLAMA_1B, 24, 1, 4096, 8, True),
    ("1b-on-a-device-of-trn2", NEW, LLAMA_1B, 24, 4, 4096, 8, True),
    ("1b-with-half-a-bank", NEW, LLAMA_1B, 12, 8, 4096, 8, True),
    ("1b-and-too-many-tokens", NEW, LLAMA_1B, 24, 1, 131072, 2, False),
    ("70b-on-a-device", NEW, LLAMA_70B, 24, 4, 4096, 1, False),
    ("70b-on-sixteen-cores", NEW, LLAMA_70B, 24, 16, 16384, 8, True),
    ("1b-on-a-device-of-inf2", OLD, LLAMA_1B, 16, 2, 4096, 8, True),
    ("8b-on-a-device-of-inf2", OLD, LLAMA_8B, 16, 2, 4096, 4, True),
    ("8b-on-one-core-of-inf2", OLD, LLAMA_8B, 16, 1, 4096, 4, False),
]


@pytest.mark.parametrize(
    ("plugin", "shape", "gib", "cores", "length", "sequences", "fits"),
    [c[1:] for c in CASES],
    ids=[c[0] for c in CASES],
)
def test_what_fits(plugin, shape, gib, cores, length, sequences, fits, snapshot):
    memory = core_memory(plugin, shape, gib, tensor_parallel_size=cores, max_model_len=length, sequences=sequences)

    assert memory.fits is fits
    assert memory.arithmetic == snapshot


shapes = st.builds(
    ModelShape,
    parameters=st.integers(10**6, 10**12),
    layers=st.integers(1, 128),
    attention_heads=st.just(64),
    kv_heads=st.sampled_from([1, 2, 4, 8, 16]),
    head_size=st.sampled_from([64, 128]),
    bytes_per_parameter=st.just(2),
    max_model_len=st.just(131072),
    gated=st.just(False),
)


@given(shapes, st.sampled_from([NEW, OLD]), st.floats(4, 96), st.sampled_from([1, 2, 4, 8, 16, 64]), st.integers(1, 64))
def test_what_fits_is_within_the_memory(shape, plugin, gib, cores, sequences):
    memory = core_memory(plugin, shape, gib, tensor_parallel_size=cores, max_model_len=4096, sequences=sequences)

    if memory.fits:
        assert memory.weights + memory.kv_cache_needed <= memory.budget < memory.whole
        assert memory.kv_cache_tokens >= sequences * 4096 - 1  # the last token may be lost by rounding
        assert plugin is OLD or memory.kv_cache >= 1


@given(shapes, st.floats(4, 96), st.integers(1, 64))
def test_more_cores_never_need_more_of_each(shape, gib, sequences):
    few, many = (
        core_memory(NEW, shape, gib, tensor_parallel_size=cores, max_model_len=4096, sequences=sequences)
        for cores in (2, 4)
    )

    assert many.weights <= few.weights
    assert many.kv_cache_needed <= few.kv_cache_needed
    assert not few.fits or many.fits


def test_the_example_that_the_law_was_read_with():
    """One core of a Trainium2: weights of 2.3 GiB, and 0.30 of the budget at 32 KiB a token."""
    memory = core_memory(NEW, LLAMA_1B, 24, tensor_parallel_size=1, max_model_len=4096, sequences=8)

    assert memory.weights == pytest.approx(2.3, abs=0.01)
    assert memory.kv_cache == pytest.approx(0.30 * 0.9 * 24)
    assert memory.kv_cache_tokens == int(memory.kv_cache * GIB) // (32 * 1024)
