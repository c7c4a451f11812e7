"""Which configuration a node's programs take (V18)."""

import pytest

from eks_accelerators.accelerators.device_plugin import NoConfigurationError, select


@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        pytest.param((("a", "b"), "b"), "b", id="label"),
        pytest.param((("a", "b"), "b", "a"), "b", id="label-before-default"),
        pytest.param((("a", "b"), None, "a"), "a", id="default"),
        pytest.param((("a", "b"), "", "a"), "a", id="empty-label"),
        pytest.param((("a", "default"), None), "default", id="named"),
        pytest.param((("a",), None), "a", id="single"),
        pytest.param((("a", "b"), None, "", ("empty",)), None, id="empty"),
        pytest.param((("a",), None, "", ("empty", "single")), None, id="in-order"),
    ],
)
def test_the_one_that_is_taken(arguments, key):
    assert select(*arguments) == key


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param((("a", "b"), "c", "a"), r"label .* names 'c'.*it has: a, b", id="unknown-label"),
        pytest.param((("a", "b"), None, "c"), r"config.default names 'c'", id="unknown-default"),
        pytest.param((("a", "b"), None), "no default is given", id="several-and-no-default"),
        pytest.param(((), None), "has no configuration", id="none-at-all"),
        pytest.param((("a", "b"), None, "", ("first",)), "'first' is no fallback strategy", id="unknown-strategy"),
    ],
)
def test_none_is_taken(arguments, words):
    with pytest.raises(NoConfigurationError, match=words):
        select(*arguments)
