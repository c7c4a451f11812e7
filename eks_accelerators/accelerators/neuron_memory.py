"""How much of the memory of a logical NeuronCore a language model needs, and what is left for its KV cache.

The law of the new plugin, for each core: ``budget = memory x utilization``, and the KV cache is what the weights leave of it,
at most 0.30 of the budget and at least 1 GiB. Source: `memory` in `data/neuron.json`, which also says what is believed.
"""

from dataclasses import dataclass
from math import floor

from eks_accelerators.accelerators import data
from eks_accelerators.accelerators.model_memory import GIB, ModelShape
from eks_accelerators.accelerators.neuron import NeuronPlugin


@dataclass(frozen=True, slots=True)
class CoreMemory:
    """Memory of one logical core in GiB: ``whole``, the ``budget`` of a server, its ``weights``, what it may take for the
    ``kv_cache``, and what its sequences need of that (``kv_cache_needed``).

    ``kv_cache_tokens`` are those of all sequences together.
    """

    whole: float
    budget: float
    weights: float
    kv_cache: float
    kv_cache_needed: float
    least_kv_cache: float
    kv_cache_tokens: int

    @property
    def kv_cache_kept(self) -> float:
        """GiB that the server really takes for the KV cache: all that it may, and by the old plugin what is needed."""
        return self.kv_cache if self.least_kv_cache else self.kv_cache_needed

    @property
    def fits(self) -> bool:
        """Whether the server starts, and holds its sequences."""
        return self.kv_cache >= max(self.kv_cache_needed, self.least_kv_cache)

    @property
    def arithmetic(self) -> str:
        """Memory of one logical core as a sum in words, in GiB."""
        cap = kv_cache_part()
        left = f"{self.budget:.2f} - {self.weights:.2f} weights"
        given = f"the smaller of {left} and {cap:.2f} x {self.budget:.2f}" if self.least_kv_cache else left
        return (
            f"{self.whole:.2f} GiB per logical core x {utilization():.2f} = {self.budget:.2f}; "
            f"{given} = {max(0.0, self.kv_cache):.2f} GiB for the KV cache ({self.kv_cache_tokens:,} tokens), "
            f"{self.kv_cache_needed:.2f} needed"
        )


def core_memory(
    plugin: NeuronPlugin,
    shape: ModelShape,
    gib_per_core: float,
    *,
    tensor_parallel_size: int,
    max_model_len: int,
    sequences: int,
) -> CoreMemory:
    """The memory of one of the ``tensor_parallel_size`` logical cores of a server, each with ``gib_per_core``.

    The KV cache has to hold ``sequences`` sequences of ``max_model_len`` tokens. The old plugin keeps room for just those.
    """
    facts = data.load("neuron")["memory"]
    new = plugin is NeuronPlugin.VLLM_NEURON
    budget = gib_per_core * utilization()
    weights = shape.weights_gib / tensor_parallel_size
    per_token = shape.kv_bytes_per_token_and_gpu(tensor_parallel_size) / GIB
    left = budget - weights
    given = min(left, kv_cache_part() * budget) if new else left
    return CoreMemory(
        whole=gib_per_core,
        budget=budget,
        weights=weights,
        kv_cache=given,
        kv_cache_needed=sequences * max_model_len * per_token,
        least_kv_cache=facts["least_kv_cache_gib"] if new else 0.0,
        kv_cache_tokens=max(0, floor(given / per_token)),
    )


def utilization() -> float:
    """Part of the memory that a server may take: `--gpu-memory-utilization`."""
    found: float = data.load("neuron")["memory"]["utilization"]
    return found


def kv_cache_part() -> float:
    """Part of the budget that the KV cache has at most: `VLLM_NEURON_KV_GMU_BUDGET_CAP_FRACTION`."""
    found: float = data.load("neuron")["memory"]["kv_cache_part"]
    return found
