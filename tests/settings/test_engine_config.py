"""The engine hands every value over as text, secrets already decrypted."""

import json

import pytest
from yaml import safe_dump

from eks_accelerators.settings.load import load_engine_config
from tests.settings.example import BASE
from tests.settings.stack_files import check_text, document

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


def test_what_is_there_without_a_value_is_not_set(tmp_path):
    """The CLI hands over empty text for `tags:` with nothing behind it."""
    in_the_file = check_text(tmp_path, safe_dump(document({"tags": None})))
    handed_over = load_engine_config(engine(tags=""), set(), "p")

    assert in_the_file.problems == handed_over.problems == ()
    assert in_the_file.require().settings.tags == handed_over.require().settings.tags == {}


@pytest.mark.parametrize("text", ['{"team": "ml"}', "[" * 100_000, "NaN", "1e400", "ml"])
def test_text_of_json_is_what_it_says(tmp_path, text):
    """`pulumi config set eks-accelerators:tags '{"team": "ml"}'` writes the setting as one text."""
    in_the_file = check_text(tmp_path, safe_dump(document({"tags": text})))
    handed_over = load_engine_config(engine(tags=text), set(), "p")

    assert [(p.code, p.path) for p in in_the_file.problems] == [(p.code, p.path) for p in handed_over.problems]
    assert in_the_file.settings == handed_over.settings
    assert (in_the_file.settings is not None) == text.startswith("{")


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
