"""A whole and a difference are as much as both wholes: what a snapshot of a difference guards is everything."""

import json
from operator import itemgetter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.differences import INSTEAD, NOT_HERE, applied, by_name, difference, listed, same

CASES = {
    "nothing": ({"a": 1}, {"a": 1}, {}),
    "a-value": ({"a": 1, "b": {"c": 1, "d": 2}}, {"a": 1, "b": {"c": 1, "d": 3}}, {"b": {"d": 3}}),
    "only-here": ({"a": 1}, {"a": 1, "b": {"c": 1}}, {"b": {"c": 1}}),
    "only-there": ({"a": 1, "b": {"c": 1}}, {"a": 1}, {"b": NOT_HERE}),
    "null-is-a-value": ({"a": 1}, {"a": None}, {"a": None}),
    "lists-are-told-whole": ({"a": [1, 2]}, {"a": [1, 3]}, {"a": [1, 3]}),
    "but-for-as-many-mappings": ({"a": [{"b": 1}, {"c": 1}]}, {"a": [{"b": 1}, {}]}, {"a": {"[1]": {"c": NOT_HERE}}}),
    "a-mapping-for-a-list": ({"a": [{}]}, {"a": {"[0]": 1}}, {"a": {INSTEAD: {"[0]": 1}}}),
    "a-new-key-in-its-place": ({"a": 1, "c": 3}, {"a": 1, "b": 2, "c": 3}, {"b": 2}),
    "another-order": ({"a": 1, "b": 2}, {"b": 2, "a": 1}, {INSTEAD: {"b": 2, "a": 1}}),
    "no-number-is-a-truth-value": ({"a": 1}, {"a": True}, {"a": True}),
    "text-that-means-something-here": ({"a": 1}, {"a": NOT_HERE}, {INSTEAD: {"a": NOT_HERE}}),
    "a-key-that-means-something-here": ({}, {INSTEAD: 1}, {INSTEAD: {INSTEAD: 1}}),
}


@pytest.mark.parametrize(("whole", "other", "told"), CASES.values(), ids=CASES)
def test_what_is_told(whole, other, told):
    assert difference(whole, other) == told


words = st.sampled_from(["a", "b", "c", "[0]", "[1]", NOT_HERE, INSTEAD])
trees = st.recursive(
    st.none() | st.booleans() | st.integers(0, 2) | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=4),
    max_leaves=12,
)


@given(trees, trees)
def test_a_whole_with_a_difference_is_the_other(whole, other):
    assert json.dumps(applied(whole, difference(whole, other))) == json.dumps(other)


@given(trees, trees, trees)
def test_two_that_differ_are_told_by_two_differences(whole, one, two):
    told = difference(whole, one), difference(whole, two)

    assert same(*told) == same(one, two)


def test_items_meet_by_their_names():
    items = [{"type": "b", "name": "x"}, {"type": "a", "name": "x"}]
    named = by_name(items, itemgetter("type"))

    assert named == {"b": items[0], "a": items[1]}
    assert listed(named) == items
    with pytest.raises(AssertionError, match="x is there twice"):
        by_name(items, itemgetter("name"))
