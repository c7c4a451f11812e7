"""What a model is compiled for: the usual buckets are always allowed, and what a server would refuse is named."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eks_accelerators.accelerators.neuron import NeuronPlugin
from eks_accelerators.accelerators.neuron_buckets import Buckets, buckets, doubled, problems

NEW, OLD = NeuronPlugin.VLLM_NEURON, NeuronPlugin.NXD_INFERENCE

USUAL = [
    # plugin, maxModelLen, sequences, the buckets, programs
    (NEW, 4096, 8, Buckets(NEW, (2048,), (1, 2, 4, 8), ()), 5),
    (NEW, 131072, 6, Buckets(NEW, (2048,), (1, 2, 4, 6), ()), 5),
    (NEW, 1500, 1, Buckets(NEW, (1024,), (1,), ()), 2),
    (NEW, 384, 2, Buckets(NEW, (128, 256, 384), (1, 2), ()), 5),
    (OLD, 1024, 8, Buckets(OLD, (128, 256, 512, 1024), (8,), (128, 256, 512, 1024)), 8),
]


@pytest.mark.parametrize(("plugin", "length", "sequences", "expected", "programs"), USUAL)
def test_the_usual_buckets(plugin, length, sequences, expected, programs):
    found = buckets(plugin, length, sequences)

    assert found == expected
    assert found.programs == programs


def test_the_example_of_the_documentation():
    """`max_num_batched_tokens` 8192 and the same segment, with contexts of 131,072 tokens and two of their buckets."""
    chosen = buckets(NEW, 131072, 4, prompt_tokens=(8192,), context_tokens=(4096, 16384))

    assert list(problems(chosen, 131072, 4, 16)) == []
    assert chosen.has_segments
    assert chosen.programs == 1 + 3 * (2 + 1)


@given(st.sampled_from([NEW, OLD]), st.integers(1, 2**20), st.integers(1, 4096))
def test_the_usual_ones_are_always_allowed(plugin, length, sequences):
    assert list(problems(buckets(plugin, length, sequences), length, sequences, 1)) == []


@given(st.integers(9, 20), st.integers(0, 6))
def test_powers_of_two_can_be_divided_among_cores(length, cores):
    assert list(problems(buckets(NEW, 2**length, 8), 2**length, 8, 2**cores)) == []


@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_doubled_ascends_and_ends_with_the_last(first, last):
    found = doubled(first, last)

    assert found[-1] == last
    assert all(one < after <= 2 * one for one, after in pairwise(found))


WRONG = [
    ("not-ascending", {"sequences": (4, 2, 8)}, "sequences"),
    ("other-last", {"sequences": (1, 2, 4)}, "sequences"),
    ("several-and-not-whole", {"prompt_tokens": (512, 2048)}, "prompt_tokens"),
    ("no-segment", {"prompt_tokens": (640,)}, "prompt_tokens"),
    ("context-of-the-longest", {"context_tokens": (4096,)}, "context_tokens"),
    ("context-between-tiles", {"context_tokens": (1000,)}, "context_tokens"),
    ("contexts-descend", {"context_tokens": (1024, 512)}, "context_tokens"),
]


@pytest.mark.parametrize(("given_ones", "kind"), [each[1:] for each in WRONG], ids=[each[0] for each in WRONG])
def test_what_a_server_would_refuse(given_ones, kind):
    found = list(problems(buckets(NEW, 4096, 8, **given_ones), 4096, 8, 4))

    assert {problem.kind for problem in found} == {kind}


def test_a_prompt_is_divided_among_more_cores_than_it_has_tokens():
    chosen = buckets(NEW, 64, 1)

    assert chosen.prompt_tokens == (64,)
    assert [problem.kind for problem in problems(chosen, 64, 1, 64)] == ["prompt_tokens"]
    assert list(problems(chosen, 64, 1, 32)) == []


def test_the_old_plugin_has_one_number_of_sequences_and_whole_prompts():
    chosen = buckets(OLD, 1024, 8, prompt_tokens=(512,), sequences=(4, 8), context_tokens=(256, 1024))

    assert [problem.kind for problem in problems(chosen, 1024, 8, 2)] == ["sequences", "prompt_tokens"]
