import pytest

from eks_accelerators.settings.paths import dotted, split


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (("nodeGroups", "l4", "taints", 0, "key"), "nodeGroups.l4.taints[0].key"),
        (("labels", "example.com/team"), 'labels["example.com/team"]'),
        (("0", 0), "0[0]"),
        (("",), '[""]'),
    ],
)
def test_paths_are_written_and_read(parts, text):
    assert dotted(parts) == text
    assert split(text) == parts
