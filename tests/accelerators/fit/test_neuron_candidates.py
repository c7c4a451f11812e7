"""What `accel fit` says of Neuron devices: one device or all, by the law of a logical core, of models that are listed."""

import pytest

from eks_accelerators.accelerators import fit, instance_types, model_memory
from eks_accelerators.settings.load import parse
from eks_accelerators.settings.problems import errors

REGION = "us-east-2"
LLAMA_8B, LLAMA_70B = "meta-llama/Llama-3.1-8B-Instruct", "meta-llama/Llama-3.3-70B-Instruct"


def server(model, length=4096, sequences=4):
    shape = model_memory.shape_of(model)
    assert shape
    return fit.ServerNeeds(shape, length, sequences, millicores=1000, memory_mib=6144)


def found(model, name, **need):
    return list(fit.neuron_candidates(server(model, **need), instance_types.get(name), REGION))


@pytest.mark.parametrize(
    ("model", "name", "devices", "servers"),
    [
        pytest.param(LLAMA_8B, "inf2.xlarge", [1], [1], id="the-only-device"),
        pytest.param(LLAMA_8B, "inf2.48xlarge", [1, 12], [12, 1], id="one-or-all"),
        pytest.param(LLAMA_70B, "trn2.48xlarge", [16], [1], id="all-alone"),
        pytest.param(LLAMA_70B, "inf2.xlarge", [], [], id="none"),
    ],
)
def test_servers_on_a_node(model, name, devices, servers):
    made = found(model, name)

    assert [one.way.gpus_per_server for one in made] == devices
    assert [one.servers for one in made] == servers
    assert all(one.needed_gib <= one.share.gib for one in made)


def test_what_is_missing_is_said_with_the_arithmetic():
    reason = fit.refusal(server(LLAMA_70B), instance_types.get("inf2.xlarge"))

    assert reason.startswith("with all 1 devices: 16.00 GiB per logical core x 0.90 = 14.40; 14.40 - 65.71 weights")


@pytest.mark.parametrize(
    ("model", "name", "considered"),
    [
        pytest.param("meta-llama/Llama-3.2-1B-Instruct", "trn2.48xlarge", True, id="recipe"),
        pytest.param("meta-llama/Llama-3.2-1B-Instruct", "inf2.xlarge", False, id="not-of-the-old-plugin"),
        pytest.param("Qwen/Qwen3-8B", "inf2.xlarge", True, id="of-the-old-plugin"),
        pytest.param("Qwen/Qwen3-8B", "trn2.48xlarge", False, id="not-yet-of-the-new-one"),
        pytest.param("openai/gpt-oss-20b", "trn2.48xlarge", False, id="with-settings-of-its-own"),
        pytest.param(None, "trn2.48xlarge", False, id="of-a-file"),
    ],
)
def test_models_that_a_plugin_lists_are_considered(model, name, considered):
    assert (fit.not_considered(instance_types.get(name), REGION, model) is None) is considered


@pytest.mark.parametrize("name", ["inf2.xlarge", "inf2.24xlarge", "trn1.32xlarge", "trn2.48xlarge"])
@pytest.mark.parametrize("model", [LLAMA_8B, LLAMA_70B])
def test_the_rules_of_a_stack_agree(model, name):
    """Two ways that know nothing of each other: what fits by the one has no error by the other, and the other way round."""
    kind = instance_types.get(name)
    fitting = {one.way.gpus_per_server for one in found(model, name)}
    for devices in {1, kind.accelerator.count}:
        workload = {
            "model": model,
            "nodeGroup": "neuron",
            "replicas": 1,
            "devices": devices,
            "concurrentSequences": 4,
            "huggingFaceToken": {"configSecret": "token"},
            "resources": {"cpu": "1", "memoryGib": 6, "memoryLimitGib": 10},
        }
        values = {
            "owner": "someone",
            "network": {"create": {"zones": ["us-east-2a", "us-east-2b"]}},
            "nodeGroups": {"neuron": {"instanceType": name, "size": {"desired": 1, "max": 1}}},
            "workloads": {"neuronVllm": {"llama": workload}},
        }
        wrong = [p for p in errors(parse(values, REGION).problems) if p.path.startswith("workloads.")]
        assert (devices in fitting) is (not wrong), [str(problem) for problem in wrong]
