"""A text whose aliases stand for too much is refused before anything is made of it, in next to no time."""

import time

import pytest
import yaml

from eks_accelerators.accelerators import yaml_limits

LAUGHS = "a0: &a0 lol\n" + "".join(
    f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]\n" for level in range(1, 11)
)
"""Ten levels of ten aliases, in under 1 kB: ten thousand million values."""


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(LAUGHS, id="billion-laughs"),
        pytest.param("a: &a {x: &x [1, 2]}\nb: [" + "*a, " * 5_000 + "]", id="one-alias-often"),
        pytest.param("a: &a " + "x" * 100_000 + "\nb: [" + "*a, " * 20 + "]", id="much-text"),
        pytest.param("base: &base {a: 1, b: 2, c: 3}\n" + "x: {<<: *base}\n" * 3_000, id="merged"),
        pytest.param("[" * 101 + "]" * 101, id="deep"),
        pytest.param("[" * 1_000_000, id="very-deep"),
        pytest.param("{a: " * 1_000_000, id="very-deep-mappings"),
    ],
)
def test_refused(text):
    began = time.process_time()

    with pytest.raises(yaml.YAMLError) as refused:
        yaml_limits.load(text)

    assert refused.value.problem in ("its aliases stand for too much", "nested too deeply")
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param("a: &a {x: 1}\nb: *a\nc: [*a, *a]", {"a": {"x": 1}, "b": {"x": 1}, "c": [{"x": 1}] * 2}, id="few"),
        pytest.param("a: &a 1\nb: &a 2\nc: *a", None, id="an-anchor-used-twice"),
        pytest.param("[" * 100 + "]" * 100, None, id="as-deep-as-may-be"),
        pytest.param("x: [" + "1, " * 50_000 + "]", {"x": [1] * 50_000}, id="long-and-without-aliases"),
    ],
)
def test_taken(text, value):
    yaml_limits.refuse_excess(text)

    assert value is None or yaml_limits.load(text) == value


def test_a_text_that_holds_itself_is_the_reader_s_to_refuse():
    yaml_limits.refuse_excess("&a [*a, *b]")
