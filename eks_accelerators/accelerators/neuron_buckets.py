"""The shapes for which a model is compiled for Neuron devices: inputs are padded to the next one.

Source: `buckets` in `data/neuron.json`. A shape more is a program more to compile, and a shape less is more padding.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from eks_accelerators.accelerators import data
from eks_accelerators.accelerators.neuron import NeuronPlugin


@dataclass(frozen=True, slots=True)
class Buckets:
    """``prompt_tokens`` of one step of a prompt, ``sequences`` that are generated at a time, and ``context_tokens`` that they
    may have had so far.

    The longest context is compiled in any case by the new plugin, and is among ``context_tokens`` of the old one, which has
    one number of sequences alone.
    """

    plugin: NeuronPlugin
    prompt_tokens: tuple[int, ...]
    sequences: tuple[int, ...]
    context_tokens: tuple[int, ...]

    @property
    def has_segments(self) -> bool:
        """Whether a prompt may be taken in steps. Then there is one size of a step, that of a segment of the KV cache."""
        return (
            self.plugin is NeuronPlugin.VLLM_NEURON and len(self.prompt_tokens) == 1 and _is_segment(self.longest_step)
        )

    @property
    def longest_step(self) -> int:
        """Tokens of a prompt that are taken at once at most."""
        return self.prompt_tokens[-1]

    @property
    def programs(self) -> int:
        """Number of programs that the Neuron compiler makes of these buckets."""
        if self.plugin is NeuronPlugin.NXD_INFERENCE:
            return len(self.prompt_tokens) + len(self.context_tokens)
        return len(self.prompt_tokens) + len(self.sequences) * (len(self.context_tokens) + 1)


@dataclass(frozen=True, slots=True)
class BucketProblem:
    """What is wrong with the buckets of one ``kind`` (`prompt_tokens`, `sequences`, `context_tokens`), and what is allowed."""

    kind: str
    message: str
    allowed: str


def buckets(
    plugin: NeuronPlugin,
    max_model_len: int,
    most_sequences: int,
    *,
    prompt_tokens: Sequence[int] | None = None,
    sequences: Sequence[int] | None = None,
    context_tokens: Sequence[int] | None = None,
) -> Buckets:
    """Those that are given, and the usual ones in place of None.

    The new plugin takes prompts in segments of 2,048 tokens, or the most that `maxModelLen` allows; the old one takes whole
    prompts, in powers of two.
    """
    old = plugin is NeuronPlugin.NXD_INFERENCE
    powers = doubled(min(_facts()["smallest_prompt"], max_model_len), max_model_len)
    if prompt_tokens is None:
        segments = [size for size in _facts()["segments"] if size <= min(_facts()["usual_segment"], max_model_len)]
        prompt_tokens = powers if old or not segments else segments[-1:]
    if sequences is None:
        sequences = (most_sequences,) if old else doubled(1, most_sequences)
    if context_tokens is None:
        context_tokens = powers if old else ()
    return Buckets(plugin, tuple(prompt_tokens), tuple(sequences), tuple(context_tokens))


def doubled(first: int, last: int) -> tuple[int, ...]:
    """``first``, twice that and so on, and ``last`` at the end."""
    found = []
    while first < last:
        found.append(first)
        first *= 2
    return (*found, last)


def problems(
    chosen: Buckets, max_model_len: int, most_sequences: int, tensor_parallel_size: int
) -> Iterator[BucketProblem]:
    """Why the server would not start with ``chosen``."""
    if chosen.plugin is NeuronPlugin.NXD_INFERENCE:
        yield from _of_old_plugin(chosen, max_model_len, most_sequences)
        return
    yield from _ending_with("prompt_tokens", chosen.prompt_tokens, *_longest_step(chosen, max_model_len))
    yield from _ending_with("sequences", chosen.sequences, most_sequences, "the most sequences at a time")
    yield from _of_contexts(chosen.context_tokens, max_model_len)
    size = tensor_parallel_size
    for tokens in chosen.prompt_tokens:
        if size > 1 and (tokens <= size or tokens % size):
            yield BucketProblem(
                "prompt_tokens",
                f"{tokens} tokens cannot be divided among {size} logical cores",
                f"more than {size}, and a multiple of it",
            )


def _longest_step(chosen: Buckets, max_model_len: int) -> tuple[int, str]:
    """What the last bucket of prompts has to be, and what that is called."""
    if chosen.has_segments and chosen.longest_step <= max_model_len:
        return chosen.longest_step, "a segment"
    return max_model_len, "maxModelLen, as several buckets, and one that is no segment, take whole prompts"


def _of_old_plugin(chosen: Buckets, max_model_len: int, most_sequences: int) -> Iterator[BucketProblem]:
    if chosen.sequences != (most_sequences,):
        yield BucketProblem("sequences", "the old plugin compiles for one number of sequences", str(most_sequences))
    for kind in ("prompt_tokens", "context_tokens"):
        yield from _ending_with(kind, getattr(chosen, kind), max_model_len, "maxModelLen")


def _of_contexts(tokens: Sequence[int], max_model_len: int) -> Iterator[BucketProblem]:
    step = _facts()["context_step"]
    if not _ascend(tokens):
        yield BucketProblem("context_tokens", "they do not ascend", "each larger than the one before")
    for each in tokens:
        if each >= max_model_len or each % step:
            yield BucketProblem(
                "context_tokens",
                f"{each} is not below maxModelLen, or no multiple of {step}",
                f"multiples of {step} below {max_model_len}; the longest context is compiled in any case",
            )


def _ending_with(kind: str, found: Sequence[int], last: int, name: str) -> Iterator[BucketProblem]:
    if not _ascend(found):
        yield BucketProblem(kind, "they do not ascend", "each larger than the one before")
    if found[-1] != last:
        yield BucketProblem(kind, f"the last one is {found[-1]}", f"{last} at the end: {name}")


def _ascend(found: Sequence[int]) -> bool:
    return all(one < after for one, after in pairwise(found))


def _is_segment(tokens: int) -> bool:
    return tokens in _facts()["segments"]


def _facts() -> dict[str, Any]:
    facts: dict[str, Any] = data.load("neuron")["buckets"]
    return facts
