"""`accel fit`: exit statuses, the JSON, fragments that are as good as said, and bad questions."""

import json

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from eks_accelerators.accel.cli import app
from eks_accelerators.accel.fit.command import answer
from eks_accelerators.accel.fit.fragment import settings_of
from eks_accelerators.accel.fit.question import CODES, asked
from eks_accelerators.accelerators import fit, instance_types, model_memory
from eks_accelerators.settings.fit import vllm_fit
from eks_accelerators.settings.load import PROJECT, parse
from eks_accelerators.settings.problems import errors
from eks_accelerators.settings.resolved_stack import resolve_stack

LLAMA = "meta-llama/Llama-3.2-1B"
CONFIG = {
    "architectures": ["LlamaForCausalLM"],
    "hidden_size": 2048,
    "num_hidden_layers": 16,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "intermediate_size": 8192,
    "vocab_size": 128256,
    "max_position_embeddings": 131072,
    "tie_word_embeddings": True,
}


def run(*arguments):
    return CliRunner().invoke(app, ["fit", *arguments])


def data(*arguments):
    return json.loads(run(*arguments, "--json").stdout)


def test_the_answer_as_data():
    result = run("--model", LLAMA, "--instances", "g6.12xlarge", "--json")
    found = json.loads(result.stdout)

    assert result.exit_code == 0
    assert found["rows"][1] == {
        "instanceType": "g6.12xlarge",
        "gpu": "L4",
        "gpusPerNode": 4,
        "sharing": "timeSlicing",
        "serversPerGpu": 5,
        "gpusPerServer": 1,
        "migProfile": None,
        "serversPerNode": 20,
        "gibEach": 4.11,
        "neededGib": 3.8,
        "kvTokensEach": 26557,
        "isolation": {"memory": "none", "compute": "turns", "fault": "shared"},
        "limitedBy": "gpuMemory",
        "usdPerHour": "4.6016",
        "usdPerServerHour": "0.2301",
    }
    assert [row["sharing"] for row in found["rows"]] == ["mps", "timeSlicing", "exclusive"]
    assert found["refused"] == found["problems"] == []
    assert found["server"] == {
        "context": 4096,
        "concurrency": 4,
        "weightsGib": 2.302,
        "overheadGib": 1.0,
        "kvCacheGib": 0.5,
        "totalGib": 3.802,
        "cpu": "1",
        "memoryGib": 6,
    }


def test_prices_are_those_of_the_region(tmp_path):
    (tmp_path / "Pulumi.east.yaml").write_text("config: {aws:region: us-east-1}\n", encoding="utf-8")
    here, there = ("--region", "us-west-2"), ("--region", "ap-northeast-1")
    prices = {where: data("--model", LLAMA, "--instances", "g6.xlarge", *where)["rows"] for where in (here, there)}

    assert prices[here][0]["usdPerHour"] == "0.8048"
    assert prices[there][0]["usdPerHour"] is None
    assert prices[there][0]["usdPerServerHour"] is None


def test_the_region_of_a_stack():
    assert data("--model", LLAMA, "--instances", "g6", "--stack", "dev")["region"] == "us-east-2"
    assert data("--model", LLAMA, "--stack", "dev", "--region", "us-east-1")["region"] == "us-east-1"


def test_a_table_for_people():
    result = run("--model", LLAMA, "--instances", "g6.12xlarge,p5.48xlarge,inf2.xlarge", "--all")

    assert result.exit_code == 0
    assert "2.30 weights + 1.00 overhead + 0.50 KV cache = 3.80 GiB per server" in result.stdout
    assert "MIG 7 x 1g.10gb" in result.stdout
    assert "not inf2.xlarge: Inferentia2: no NVIDIA GPU" in result.stdout


def test_a_long_table_is_cut_unless_all_is_asked_for():
    short, long = run("--model", LLAMA).stdout, run("--model", LLAMA, "--all").stdout
    total = len(data("--model", LLAMA)["rows"])

    assert f"{total - 20} more with --all" in short
    assert "more with" not in long
    assert len(long.splitlines()) > total


@pytest.mark.parametrize(
    ("arguments", "codes"),
    [
        pytest.param(["--model", "meta-llama/Llama-3.2-1"], ["fit-model-unknown"], id="misspelt"),
        pytest.param(["--model", ""], ["fit-model-unknown"], id="nothing"),
        pytest.param(["--model", "nowhere/config.json"], ["fit-model-config"], id="no-such-file"),
        pytest.param(["--model", LLAMA, "--context", "131073"], ["fit-context"], id="too-long"),
        pytest.param(["--model", LLAMA, "--instances", "g6,"], ["fit-instances"], id="comma-at-the-end"),
        pytest.param(["--model", LLAMA, "--instances", "g9.large"], ["fit-instances"], id="no-such-type"),
        pytest.param(["--model", LLAMA, "--region", "us-east-9"], ["fit-region"], id="no-such-region"),
        pytest.param(["--model", LLAMA, "--stack", "nowhere.yaml"], ["fit-region"], id="no-such-stack"),
        pytest.param(["--model", LLAMA, "--instances", "inf2,trn1"], ["fit-nothing"], id="no-gpu"),
        pytest.param(["--model", LLAMA, "--concurrency", "999999999"], ["fit-nothing"], id="too-many-at-once"),
        pytest.param(
            ["--model", "x", "--instances", "y", "--region", "z"],
            ["fit-model-unknown", "fit-instances", "fit-region"],
            id="all-at-once",
        ),
    ],
)
def test_bad_questions(arguments, codes):
    as_data = run(*arguments, "--json")
    found = json.loads(as_data.stdout)

    assert [problem["code"] for problem in found["problems"]] == codes
    assert found["rows"] == []
    assert found["best"] is None
    for more in ([], ["--best"], ["--json"]):
        result = run(*arguments, *more)
        assert result.exit_code == 2
        assert all(code in result.stdout for code in codes)
    assert set(codes) <= set(CODES)


@pytest.mark.parametrize("arguments", [["--context", "0"], ["--concurrency", "0"], ["--context", "x"], []])
def test_options_that_are_no_numbers(arguments):
    model = ["--model", LLAMA] if arguments else []

    assert run(*model, *arguments).exit_code == 2


def test_the_nearest_model_is_named():
    (problem,) = data("--model", "meta-llama/Llama-3.2-1")["problems"]

    assert "did you mean meta-llama/Llama-3.2-1B?" in problem["message"]


@pytest.fixture
def local(tmp_path):
    folder = tmp_path / "My.Own 1B"
    folder.mkdir()
    file = folder / "config.json"
    file.write_text(json.dumps(CONFIG), encoding="utf-8")
    return str(file)


def test_a_configuration_of_one_s_own_counts_like_the_known_model(local):
    own, known = (data("--model", model, "--instances", "g6,g6f") for model in (local, LLAMA))
    figures = ("instanceType", "sharing", "serversPerNode", "usdPerServerHour", "limitedBy")

    assert own["model"] == "My.Own 1B"
    assert [[row[key] for key in figures] for row in own["rows"]] == [
        [row[key] for key in figures] for row in known["rows"]
    ]


def test_its_fragment_says_its_shape(local):
    fragment = yaml.safe_load(run("--model", local, "--instances", "g6", "--best").stdout)["config"]
    (name, workload), *_ = fragment[f"{PROJECT}:workloads"]["vllm"].items()

    assert name == "my-own-1b"
    assert workload["modelShape"]["parameters"] == 1_235_814_400
    assert checked(fragment) == []


def checked(fragment, region="us-east-2"):
    values = {key.removeprefix(f"{PROJECT}:"): value for key, value in fragment.items()}
    network = {"create": {"zones": [f"{region}a", f"{region}b"]}}
    found = parse({"owner": "someone", "network": network, **values}, region)
    return list(errors(found.problems))


@pytest.mark.parametrize("model", model_memory.known_models())
def test_the_best_can_be_deployed(model):
    found = data("--model", model, "--context", "2048", "--concurrency", "1")

    assert checked(yaml.safe_load(found["best"]["fragment"])["config"]) == []
    assert float(found["best"]["row"]["usdPerServerHour"]) >= float(found["rows"][0]["usdPerServerHour"])


def test_what_the_rules_refuse_is_passed_over():
    """A g7 takes an image of one's own: no fragment without one can be deployed."""
    question = ("--model", LLAMA, "--instances", "g7.2xlarge", "--region", "us-west-2")
    result, best = run(*question, "--best"), data(*question)["best"]

    assert result.exit_code == 2
    assert result.stdout.endswith("# Nothing is left.\n")
    assert (best["row"], best["fragment"]) == (None, None)
    assert {one["sharing"] for one in best["passedOver"]} == {"exclusive", "mps", "timeSlicing"}
    assert all("[ami-driver-too-old]" in one["reason"] for one in best["passedOver"] if one["sharing"] == "exclusive")


def test_best_prints_the_fragment():
    question = ("--model", LLAMA, "--instances", "p5")
    result, best = run(*question, "--best"), data(*question)["best"]

    assert result.exit_code == 0
    assert result.stdout.startswith(f"# {best['row']['serversPerNode']} servers on a node, ")
    assert yaml.safe_load(result.stdout) == yaml.safe_load(best["fragment"])


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(model_memory.known_models()),
    st.integers(256, 4096),
    st.integers(1, 16),
    st.sampled_from([kind.name for kind in instance_types.every() if kind.has_nvidia_gpu]),
)
def test_what_is_said_is_what_the_check_of_a_stack_says(model, context, concurrency, instance_type):
    """Servers on a node, memory and what limits them, by the settings' own fit."""
    question = asked(model, context, concurrency, instance_type, "us-east-1", None)
    for one in fit.candidates(question.server, question.types[0], question.region):
        values = settings_of(question, one)
        network = {"create": {"zones": ["us-east-1a", "us-east-1b"]}}
        found = parse({"owner": "x", "network": network, **(values or {})}, "us-east-1") if values else None
        wrong = [p for p in errors(found.problems) if not p.code.startswith("ami-")] if found else []
        if found is None or any("sharing" in p.path for p in wrong):
            continue  # a stack file cannot say it yet
        (workload,) = found.settings.workloads.vllm.values()
        (group,) = resolve_stack(found.settings).groups.values()
        own = vllm_fit(workload, group)
        assert wrong == []
        assert (own.pods_per_node, own.share) == (one.servers, one.share)
        assert f"({one.kv_tokens:,} tokens of KV cache)" in own.arithmetic


def test_everything_that_limits_a_server_is_met():
    found = answer(asked(LLAMA, 4096, 4, None, None, None))

    assert {row.limited_by for row in found.rows} == {"gpuMemory", "gpus", "instances", "cpu", "memory", "pods"}
