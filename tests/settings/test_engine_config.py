"""The engine hands every value over as text, secrets already decrypted."""

import json

from settings.load import load_engine_config
from tests.settings.example import BASE

TOKEN = "hf_AbCdEfGhIjKlMnOpQrStUvWxYz"


def engine(**changes):
    values = {key: value for key, value in BASE.items() if key != "region"} | changes
    texts = {f"p:{key}": value if isinstance(value, str) else json.dumps(value) for key, value in values.items()}
    return {"aws:region": "us-east-2", **texts}


def test_values_are_decoded():
    checked = load_engine_config(engine(), set(), "p")

    assert checked.problems == ()
    assert checked.require().settings.node_groups["gpu"].size.max == 2


def test_an_owner_that_looks_like_a_number_stays_text():
    assert load_engine_config(engine(owner="007"), set(), "p").require().settings.owner == "007"


def test_secrets_that_workloads_name_are_neither_read_nor_refused():
    workload = {**BASE["workloads"]["vllm"]["qwen"], "huggingFaceToken": {"configSecret": "token"}}
    config = engine(workloads={"vllm": {"qwen": workload}})

    unset = load_engine_config(config, set(), "p")
    assert unset.unset_secrets == ("token",)

    checked = load_engine_config({**config, "p:token": TOKEN}, {"p:token"}, "p")
    assert (checked.problems, checked.unset_secrets) == ((), ())


def test_a_secret_setting_is_refused_unread():
    (problem, *_) = load_engine_config(engine(tags=TOKEN), {"p:tags"}, "p").problems

    assert (problem.code, problem.path) == ("secret-inline", "tags")
    assert TOKEN not in str(problem)
