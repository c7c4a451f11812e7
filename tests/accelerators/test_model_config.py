"""Shapes from `config.json`: parameters as published, and every wrong file with its reason."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eks_accelerators.accelerators import model_config, model_memory
from eks_accelerators.accelerators.model_config import ModelConfigError, shape


def config(architecture, hidden, layers, heads, kv_heads, width, vocabulary, context, **more):
    return {
        "architectures": [f"{architecture}ForCausalLM"],
        "hidden_size": hidden,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "num_key_value_heads": kv_heads,
        "intermediate_size": width,
        "vocab_size": vocabulary,
        "max_position_embeddings": context,
        "torch_dtype": "bfloat16",
        **more,
    }


TIED = {"tie_word_embeddings": True}
LLAMA_8B = config("Llama", 4096, 32, 32, 8, 14336, 128256, 131072)
QWEN3 = {"head_dim": 128}
EXPERTS = {"num_experts": 128, "moe_intermediate_size": 768}

PUBLISHED = {
    "meta-llama/Llama-3.2-1B": (config("Llama", 2048, 16, 32, 8, 8192, 128256, 131072, **TIED), 1_235_814_400),
    "meta-llama/Llama-3.2-3B-Instruct": (
        config("Llama", 3072, 28, 24, 8, 8192, 128256, 131072, head_dim=128, **TIED),
        3_212_749_824,
    ),
    "meta-llama/Llama-3.1-8B": (LLAMA_8B, 8_030_261_248),
    "meta-llama/Llama-3.3-70B-Instruct": (config("Llama", 8192, 80, 64, 8, 28672, 128256, 131072), 70_553_706_496),
    "Qwen/Qwen2.5-0.5B-Instruct": (config("Qwen2", 896, 24, 14, 2, 4864, 151936, 32768, **TIED), 494_032_768),
    "Qwen/Qwen2.5-72B-Instruct": (config("Qwen2", 8192, 80, 64, 8, 29568, 152064, 32768), 72_706_203_648),
    "Qwen/Qwen3-8B": (config("Qwen3", 4096, 36, 32, 8, 12288, 151936, 40960, **QWEN3), 8_190_735_360),
    "Qwen/Qwen3-32B": (config("Qwen3", 5120, 64, 64, 8, 25600, 151936, 40960, **QWEN3), 32_762_123_264),
    "Qwen/Qwen3-30B-A3B": (
        config("Qwen3Moe", 2048, 48, 32, 4, 6144, 151936, 40960, **QWEN3, **EXPERTS),
        30_532_122_624,
    ),
    "mistralai/Mistral-7B-Instruct-v0.3": (config("Mistral", 4096, 32, 32, 8, 14336, 32768, 32768), 7_248_023_552),
    "mistralai/Mixtral-8x7B-Instruct-v0.1": (
        config("Mixtral", 4096, 32, 32, 8, 14336, 32000, 32768, num_local_experts=8),
        46_702_792_704,
    ),
    "google/gemma-2-9b-it": (config("Gemma2", 3584, 42, 16, 8, 14336, 256000, 8192, head_dim=256), 9_241_705_984),
    "google/gemma-3-1b-it": (config("Gemma3", 1152, 26, 4, 1, 6912, 262144, 32768), 999_885_952),
    "microsoft/phi-4": (config("Phi3", 5120, 40, 40, 10, 17920, 100352, 16384), 14_659_507_200),
    "microsoft/Phi-4-mini-instruct": (config("Phi3", 3072, 32, 24, 8, 8192, 200064, 131072, **TIED), 3_836_021_760),
}


@pytest.mark.parametrize("model", PUBLISHED)
def test_parameters_are_those_that_the_model_s_card_gives(model):
    given_config, parameters = PUBLISHED[model]

    assert shape(given_config).parameters == parameters


@pytest.mark.parametrize("model", PUBLISHED)
def test_the_table_says_the_same(model):
    found, known = shape(PUBLISHED[model][0]), model_memory.shape_of(model)

    assert known.parameters == pytest.approx(found.parameters, rel=1e-3)
    for key in ("layers", "attention_heads", "kv_heads", "head_size", "bytes_per_parameter", "max_model_len"):
        assert getattr(known, key) == getattr(found, key), key


def test_quantized_weights_of_the_table_are_those_of_the_card():
    assert model_memory.shape_of("openai/gpt-oss-20b").weights_gib == pytest.approx(12.8, abs=0.01)
    assert model_memory.shape_of("openai/gpt-oss-120b").weights_gib == pytest.approx(60.8, abs=0.01)


def test_biases_are_parameters():
    hidden, layers = 4096, 32
    attention = shape({**LLAMA_8B, "attention_bias": True}).parameters - shape(LLAMA_8B).parameters
    feed_forward = shape({**LLAMA_8B, "mlp_bias": True}).parameters - shape(LLAMA_8B).parameters

    assert attention == layers * (32 * 128 + 2 * 8 * 128 + hidden)
    assert feed_forward == layers * (2 * 14336 + hidden)


def without(key):
    return {name: value for name, value in LLAMA_8B.items() if name != key}


def test_what_may_be_left_out():
    assert shape(without("num_key_value_heads")).kv_heads == 32
    assert shape(without("torch_dtype")) == shape(LLAMA_8B)
    assert shape({**LLAMA_8B, "torch_dtype": "float32"}).bytes_per_parameter == 2


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (without("architectures"), "architectures: None is not a list of one name, such as LlamaForCausalLM"),
        ({**LLAMA_8B, "architectures": ["BertModel"]}, "architectures: BertModel is not known here, so nothing is"),
        ({**LLAMA_8B, "architectures": ["LlamaForCausalLM", "X"]}, "is not a list of one name"),
        (without("num_hidden_layers"), "missing: num_hidden_layers"),
        ({"architectures": ["MixtralForCausalLM"]}, "missing: hidden_size, intermediate_size, max_position_embeddings"),
        ({**LLAMA_8B, "num_hidden_layers": "32"}, "num_hidden_layers: '32' is not a whole number from 1 to"),
        ({**LLAMA_8B, "num_hidden_layers": True}, "num_hidden_layers: True is not a whole number"),
        ({**LLAMA_8B, "hidden_size": -1}, "hidden_size: -1 is not a whole number"),
        ({**LLAMA_8B, "hidden_size": None}, "hidden_size: 0 is not a whole number"),
        ({**LLAMA_8B, "vocab_size": 10**10}, "vocab_size: 10000000000 is not a whole number"),
        ({**LLAMA_8B, "num_key_value_heads": 5}, "num_key_value_heads: 5 does not divide the 32 attention heads"),
        ({**LLAMA_8B, "hidden_size": 8}, "head_dim: 0 is not a whole number"),
        ({**LLAMA_8B, "torch_dtype": "int8"}, "dtype: 'int8' is none of bfloat16, float16, float32"),
        ({**LLAMA_8B, "torch_dtype": ["bfloat16"]}, "dtype: ['bfloat16'] is none of"),
        (
            {**LLAMA_8B, "quantization_config": {"quant_method": "awq"}},
            "quantization_config: the weights are quantized",
        ),
    ],
)
def test_wrong_configurations(wrong, reason):
    with pytest.raises(ModelConfigError) as refused:
        shape(wrong)

    assert reason in str(refused.value)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        pytest.param(b"", "not JSON", id="empty"),
        pytest.param(b"\xff\xfe\x00", "not JSON", id="not-text"),
        pytest.param(b"[]", "not a JSON object", id="list"),
        pytest.param(b"[" * 100_000, "not JSON", id="deep"),
        pytest.param(b" " * (1024**2 + 1), "larger than", id="large"),
        pytest.param(b"{}", "architectures: None", id="nothing-in-it"),
    ],
)
def test_wrong_files(tmp_path, content, reason):
    file = tmp_path / "config.json"
    file.write_bytes(content)

    with pytest.raises(ModelConfigError) as refused:
        model_config.load(file)

    assert str(refused.value).startswith(f"{file}: ")
    assert reason in str(refused.value)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(ModelConfigError, match="No such file"):
        model_config.load(tmp_path / "config.json")
    with pytest.raises(ModelConfigError, match="Is a directory"):
        model_config.load(tmp_path)


def test_a_good_file(tmp_path):
    file = tmp_path / "config.json"
    file.write_text(json.dumps(LLAMA_8B), encoding="utf-8")

    assert model_config.load(file) == shape(LLAMA_8B)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(), lambda inner: st.lists(inner, max_size=3)
)


@given(st.dictionaries(st.sampled_from([*LLAMA_8B, "head_dim", "dtype", "tie_word_embeddings"]), JSON))
def test_no_other_error_is_ever_raised(changes):
    with contextlib.suppress(ModelConfigError):
        assert shape({**LLAMA_8B, **changes}).parameters > 0
