"""A stack file is read as the Pulumi CLI reads it; the CLI's answers are recorded, and asked for again."""

import json
import os
import time

import pytest

from eks_accelerators.settings import SettingsError, stack_file
from eks_accelerators.settings.pulumi_values import as_engine_config
from eks_accelerators.simulator import engines
from tests.settings.pulumi_cli.cases import FILES, STRICTER, VALUES
from tests.settings.pulumi_cli.record import Cli, asked, recorded

ANSWERS = recorded()


def ours(path, text):
    """What the CLI's answer is held against: texts by key, or None where we refuse the file."""
    path.write_text(text, encoding="utf-8", newline="")
    try:
        config = stack_file.read(path).config
    except SettingsError:
        return None
    return as_engine_config(config)


def comparable(answer):
    """JSON as its values, which say whether a number is whole; all other text as it is."""
    return answer and {key: as_json(text) for key, text in answer.items()}


def as_json(text):
    try:
        return json.dumps(json.loads(text), sort_keys=True) if text.startswith(("[", "{")) else text
    except ValueError:
        return text


@pytest.mark.parametrize("value", VALUES)
def test_values(tmp_path, value):
    answer = ours(tmp_path / "Pulumi.t.yaml", f"config:\n  p:a: {value}\n  p:o: {{k: {value}}}\n")

    if value in STRICTER:
        assert answer is None
        assert ANSWERS[value] is not None
    elif value == "{secure: x}":  # what is in it only the CLI knows
        assert answer == {"p:a": '{"secure": "x"}', "p:o": '{"k": {"secure": "x"}}'}
    else:
        assert comparable(answer) == comparable(ANSWERS[value])


@pytest.mark.parametrize("name", FILES)
def test_files(tmp_path, name):
    answer = ours(tmp_path / "Pulumi.t.yaml", FILES[name])

    if name in STRICTER or ANSWERS[name] == {}:
        assert answer is None
    else:
        assert comparable(answer) == comparable(ANSWERS[name])


@pytest.mark.parametrize("name", [name for name in FILES if "aliases" in name or "deeply" in name])
def test_nothing_takes_long(tmp_path, name):
    began = time.process_time()
    ours(tmp_path / "Pulumi.t.yaml", FILES[name])

    assert time.process_time() - began < 1


def test_every_answer_is_of_a_case():
    assert set(ANSWERS) == {*VALUES, *FILES}


WORDS = [text for text in VALUES if "\\" not in text]


def test_what_is_written_is_read_again():
    words = [text for text in WORDS if text != "<<"]  # no key, also in quotes: the CLI merges
    document = {"config": {f"p:a{number}": {"k": text, text: 1} for number, text in enumerate(words)}}

    assert stack_file.load(stack_file.dump(document)) == document


@pytest.fixture
def pulumi():
    found = engines.optional("pulumi")
    if found is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("missing pulumi. Run `make engines`")
    return found


@pytest.mark.engines
@pytest.mark.thorough
def test_the_cli_still_answers_so(tmp_path, pulumi):
    assert asked(pulumi, tmp_path) == ANSWERS


@pytest.mark.engines
def test_the_cli_reads_what_is_written(tmp_path, pulumi):
    config = {f"p:a{number}": text for number, text in enumerate(WORDS)}

    assert Cli(pulumi, tmp_path).config(stack_file.dump({"config": config})) == config
