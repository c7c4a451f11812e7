import pytest

from eks_accelerators.accelerators.suggest import closest


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        pytest.param("nodeGroup", "nodeGroups", id="letter-missing"),
        pytest.param("NODEGROUPS", "nodeGroups", id="case"),
        pytest.param("network", "network", id="right-already"),
        pytest.param("kubernetes", None, id="nothing-near"),
        pytest.param("", None, id="empty"),
    ],
)
def test_closest(word, expected):
    assert closest(word, ["nodeGroups", "network"]) == expected


def test_nothing_is_near_where_nothing_is_allowed():
    assert closest("anything", []) is None
