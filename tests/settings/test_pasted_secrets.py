"""A secret that is pasted into the stack file, at whatever place and in whatever spelling, is refused and not shown."""

import json

import pytest
import yaml
from typer.testing import CliRunner

from eks_accelerators.accel.cli import app
from eks_accelerators.settings import secret_keys
from tests.settings.example import check
from tests.settings.stack_files import document

TOKENS = ("hf_aBcDeFgHiJkLmNoPqRsT", "nvapi-SECRETdefghij", "nvapi-secretdefghij", "nvapi-SECRET_def/ghi")
NIM = {"model": "meta-llama/Llama-3.2-1B-Instruct", "nodeGroup": "gpu"}
QWEN = "workloads.vllm.qwen"

PLACES = {
    "token": lambda secret: {f"{QWEN}.huggingFaceToken": secret},
    "token-as-a-name": lambda secret: {f"{QWEN}.huggingFaceToken": {"configSecret": secret}},
    "token-as-a-secret": lambda secret: {f"{QWEN}.huggingFaceToken": {"existingSecret": secret}},
    "token-as-a-secret-of-aws": lambda secret: {f"{QWEN}.huggingFaceToken": {"secretsManager": {"name": secret}}},
    "token-in-snake-case": lambda secret: {f"{QWEN}.hugging_face_token": secret},
    "token-below-snake-case": lambda secret: {f"{QWEN}.hugging_face_token": {"existing_secret": secret}},
    "token-misspelt": lambda secret: {f"{QWEN}.huggingfaceTokn": {"value": secret}},
    "key-of-ngc": lambda secret: {"workloads.nim.n": {**NIM, "ngcKey": secret}},
    "key-of-ngc-as-a-name": lambda secret: {"workloads.nim.n": {**NIM, "ngcKey": {"configSecret": secret}}},
    "key-of-ngc-as-a-secret": lambda secret: {"workloads.nim.n": {**NIM, "ngcKey": {"existingPullSecret": secret}}},
    "key-of-ngc-in-snake-case": lambda secret: {"workloads.nim.n": {**NIM, "ngc_key": {"config_secret": secret}}},
    "key-of-ngc-in-a-list": lambda secret: {"workloads.nim.n": {**NIM, "ngcKey": [secret]}},
    "number-of-servers": lambda secret: {f"{QWEN}.replicas": secret},
    "variable": lambda secret: {f"{QWEN}.environment": [secret]},
}


@pytest.mark.parametrize("secret", TOKENS)
@pytest.mark.parametrize("place", PLACES)
def test_it_is_refused_and_not_shown(place, secret):
    problems = check(PLACES[place](secret)).problems

    assert problems
    assert secret not in repr(problems)
    assert secret.lower() not in "".join(map(str, problems))


@pytest.mark.parametrize("output", [(), ("--markdown",), ("--json",)])
@pytest.mark.parametrize("place", ["token-below-snake-case", "key-of-ngc-as-a-name"])
def test_nor_is_it_in_any_output(tmp_path, place, output):
    path = tmp_path / "Pulumi.any.yaml"
    path.write_text(yaml.safe_dump(document(PLACES[place](TOKENS[1]))), encoding="utf-8")

    ended = CliRunner().invoke(app, ["check", str(path), *output])

    assert ended.exit_code == 2
    assert TOKENS[1] not in ended.output


UNLIKE_A_WORD = {
    "key-of-aws": "AKIAIOSFODNN7EXAMPLE",
    "secret-key-of-aws": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "token-of-github": "ghp_aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789",
    "token-of-hugging-face": "hf_aBcDeFgHiJkLmNoPqRsT",
    "hexadecimal": "0123456789abcdef0123456789abcdef01234567",
}
SHOWN = (
    "Socket",
    "^docker0,lo",
    "/opt/amazon/efa/share/aws-ofi-nccl/xml/p5.48xl-topo.xml",
    "mlx5_0:1,mlx5_1:1,mlx5_2:1",
)


@pytest.mark.parametrize("value", [*UNLIKE_A_WORD.values(), *SHOWN])
def test_the_value_of_a_variable_is_shown_unless_it_may_be_a_secret(value):
    job = {
        "nodeGroup": "gpu",
        "nodes": 1,
        "acceleratorsPerNode": 1,
        "program": "train.py",
        "env": {"NCCL_IB_HCA": value},
    }
    (problem,) = [
        each for each in check({"workloads.pytorchJob.train": job}).problems if each.code == "training-variable"
    ]

    assert problem.found == (f"NCCL_IB_HCA={value}" if value in SHOWN else "NCCL_IB_HCA=[hidden]")
    assert value in SHOWN or value not in repr(problem)


def test_the_fix_names_the_secret_that_is_meant():
    (problem,) = [
        each
        for each in check({"workloads.nim.n": {**NIM, "ngcKey": TOKENS[1]}}).problems
        if each.code == "secret-inline"
    ]

    assert problem.fix == "run `pulumi config set --secret ngcKey` and write `ngcKey: {configSecret: ngcKey}`"
    assert problem.message == "a key must not stand in the stack file"
    assert list(secret_keys.sources("ngcKey")) == [
        *("configSecret", "existingSecret", "existingPullSecret", "secretsManager")
    ]


def test_keys_are_those_of_the_schema_and_of_no_other_spelling():
    (problem,) = [each for each in check({f"{QWEN}.max_model_len": 4096}).problems if each.code == "unknown-key"]

    assert (problem.path, problem.fix) == (f"{QWEN}.max_model_len", "did you mean `maxModelLen`?")
    assert json.dumps(problem.allowed).count("max_model_len") == 0
