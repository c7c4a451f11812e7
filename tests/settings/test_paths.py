import pytest
from hypothesis import given
from hypothesis import strategies as st

from eks_accelerators.settings.paths import dotted, split


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (("nodeGroups", "l4", "taints", 0, "key"), "nodeGroups.l4.taints[0].key"),
        (("labels", "example.com/team"), 'labels["example.com/team"]'),
        (("0", 0), "0[0]"),
        (("",), '[""]'),
        (('a"]b\\',), '["a\\"]b\\\\"]'),
    ],
)
def test_paths_are_written_and_read(parts, text):
    assert dotted(parts) == text
    assert split(text) == parts


@given(st.lists(st.text() | st.integers(min_value=0), min_size=1).map(tuple))
def test_every_path_is_read_as_it_was(parts):
    assert split(dotted(parts)) == parts
