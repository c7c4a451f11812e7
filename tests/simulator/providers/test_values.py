"""What a refresh takes for drift."""

import pytest

from eks_accelerators.simulator.providers.values import observed

INPUTS = {"replicas": 2, "labels": {"app": "a"}, "annotations": {}, "taints": []}


@pytest.mark.parametrize(
    ("live", "seen"),
    [
        pytest.param(INPUTS, INPUTS, id="as-it-was"),
        pytest.param({**INPUTS, "uid": "1", "labels": {"app": "a", "hash": "5d8f"}}, INPUTS, id="a-server-s-own"),
        pytest.param({"replicas": 2, "labels": {"app": "a"}}, INPUTS, id="empty-and-not-kept"),
        pytest.param({**INPUTS, "taints": ["a"]}, {**INPUTS, "taints": ["a"]}, id="no-longer-empty"),
        pytest.param({**INPUTS, "replicas": 1}, {**INPUTS, "replicas": 1}, id="changed"),
        pytest.param({"replicas": 2}, {"replicas": 2, "annotations": {}, "taints": []}, id="gone"),
    ],
)
def test_what_lives_in_the_place_of_inputs(live, seen):
    assert observed(INPUTS, live) == seen
