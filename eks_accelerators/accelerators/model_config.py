"""The shape of a model from its `config.json`, as Hugging Face's models carry it.

The file names no number of parameters: it follows from the other numbers, for the architectures known here. Source:
huggingface/transformers, configuration and modelling of each architecture (which projections have a bias, how many
norms a layer has, whether the output layer is the embedding), from general knowledge, 2026-11-21.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eks_accelerators.accelerators.model_memory import ModelShape

_LARGEST_FILE = 1024**2
_MOST = 10**9
"""No number in such a file is larger."""

_BYTES = {"bfloat16": 2, "float16": 2, "float32": 2}
"""What a parameter takes when it is served: vLLM is told to use 16 bits."""


class ModelConfigError(ValueError):
    """The file gives no shape; says why."""


@dataclass(frozen=True, slots=True)
class _Architecture:
    """Where the layers of an architecture differ. ``experts`` is the key of their number, None without experts.

    ``expert_size`` is the key of an expert's width, ``tied`` whether the output layer is the embedding unless the
    file says otherwise, ``head_size`` what the file may leave out, None for hidden size by heads.
    """

    norms: int = 2
    head_norms: bool = False
    query_key_value_bias: bool = False
    tied: bool = False
    head_size: int | None = None
    experts: str | None = None
    expert_size: str = "intermediate_size"


_ARCHITECTURES = {
    "LlamaForCausalLM": _Architecture(),
    "MistralForCausalLM": _Architecture(),
    "MixtralForCausalLM": _Architecture(experts="num_local_experts"),
    "Phi3ForCausalLM": _Architecture(),
    "Qwen2ForCausalLM": _Architecture(query_key_value_bias=True),
    "Qwen3ForCausalLM": _Architecture(head_norms=True, head_size=128),
    "Qwen3MoeForCausalLM": _Architecture(head_norms=True, experts="num_experts", expert_size="moe_intermediate_size"),
    "Gemma2ForCausalLM": _Architecture(norms=4, tied=True, head_size=256),
    "Gemma3ForCausalLM": _Architecture(norms=4, head_norms=True, tied=True, head_size=256),
}


def load(path: Path) -> ModelShape:
    """The shape that the file ``path`` describes; raises `ModelConfigError`."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ModelConfigError(f"{path}: {error.strerror}") from None
    if len(content) > _LARGEST_FILE:
        raise ModelConfigError(f"{path}: larger than {_LARGEST_FILE:,} bytes, so no config.json of a model")
    try:
        found = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ModelConfigError(f"{path}: not JSON: {error}") from None
    if not isinstance(found, dict):
        raise ModelConfigError(f"{path}: not a JSON object")
    try:
        return shape(found)
    except ModelConfigError as error:
        raise ModelConfigError(f"{path}: {error}") from None


def shape(config: Mapping[str, Any]) -> ModelShape:
    """The shape of a parsed `config.json`; raises `ModelConfigError`. Whether the model is gated is not in it."""
    kind = _architecture(config)
    dtype = config.get("dtype", config.get("torch_dtype", "bfloat16"))
    if config.get("quantization_config"):
        raise ModelConfigError("quantization_config: the weights are quantized, and their size is not counted here")
    if not isinstance(dtype, str) or dtype not in _BYTES:
        raise ModelConfigError(f"dtype: {dtype!r} is none of {', '.join(_BYTES)}")
    wanted = {"hidden_size", "num_hidden_layers", "num_attention_heads", "vocab_size", "max_position_embeddings"}
    wanted |= {kind.expert_size} | ({kind.experts} if kind.experts else set())
    missing = sorted(key for key in wanted if key not in config)
    if missing:
        raise ModelConfigError(f"missing: {', '.join(missing)}")
    numbers = {key: _positive(config, key) for key in wanted}
    heads = numbers["num_attention_heads"]
    kv_heads = _positive(config, "num_key_value_heads", heads)
    if heads % kv_heads:
        raise ModelConfigError(f"num_key_value_heads: {kv_heads} does not divide the {heads} attention heads")
    head_size = _positive(config, "head_dim", kind.head_size or numbers["hidden_size"] // heads)
    return ModelShape(
        parameters=_parameters(config, kind, numbers, kv_heads, head_size),
        layers=numbers["num_hidden_layers"],
        attention_heads=heads,
        kv_heads=kv_heads,
        head_size=head_size,
        bytes_per_parameter=_BYTES[dtype],
        max_model_len=numbers["max_position_embeddings"],
        gated=False,
    )


def _architecture(config: Mapping[str, Any]) -> _Architecture:
    named = config.get("architectures")
    if not isinstance(named, list) or len(named) != 1 or not isinstance(named[0], str):
        raise ModelConfigError(f"architectures: {named!r} is not a list of one name, such as LlamaForCausalLM")
    if named[0] not in _ARCHITECTURES:
        known = ", ".join(_ARCHITECTURES)
        raise ModelConfigError(f"architectures: {named[0]} is not known here, so nothing is counted; known: {known}")
    return _ARCHITECTURES[named[0]]


def _positive(config: Mapping[str, Any], key: str, default: int = 0) -> int:
    value = config.get(key)
    value = default if value is None else value
    if not isinstance(value, int) or isinstance(value, bool) or not 0 < value <= _MOST:
        raise ModelConfigError(f"{key}: {value!r} is not a whole number from 1 to {_MOST:,}")
    return value


def _parameters(
    config: Mapping[str, Any], kind: _Architecture, numbers: Mapping[str, int], kv_heads: int, head_size: int
) -> int:
    hidden, width = numbers["hidden_size"], numbers[kind.expert_size]
    query, key_value = numbers["num_attention_heads"] * head_size, 2 * kv_heads * head_size
    attention = hidden * (2 * query + key_value)
    if kind.query_key_value_bias:
        attention += query + key_value
    elif config.get("attention_bias"):
        attention += query + key_value + hidden
    if kind.head_norms:
        attention += 2 * head_size
    feed_forward = 3 * hidden * width + (2 * width + hidden if config.get("mlp_bias") else 0)
    if kind.experts:
        feed_forward = numbers[kind.experts] * (feed_forward + hidden)  # and a row of the router
    layer = attention + feed_forward + kind.norms * hidden
    tied = config.get("tie_word_embeddings")
    if tied is None:
        tied = kind.tied
    embeddings = 1 if tied else 2
    return numbers["num_hidden_layers"] * layer + embeddings * numbers["vocab_size"] * hidden + hidden
