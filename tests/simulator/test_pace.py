"""Simulated time as wall time, and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eks_accelerators.simulator.pace import Pace


@pytest.mark.parametrize(
    ("factor", "simulated", "wall", "whole"),
    [
        (60, 1800, 30, 30),  # half an hour in half a minute
        (1, 15, 15, 15),
        (30, 45, 1.5, 2),
        (60, 15, 0.25, 1),  # a field of whole seconds cannot say less than one
        (60, 0, 0, 0),  # none stays none
        (0.5, 10, 20, 20),  # slower than life
    ],
)
def test_seconds(factor, simulated, wall, whole):
    pace = Pace(factor)
    assert pace.wall(simulated) == wall
    assert pace.whole_wall_seconds(simulated) == whole
    assert pace.simulated(wall) == simulated


@given(st.floats(0.001, 10_000), st.floats(0, 1e9))
def test_there_and_back(factor, seconds):
    assert Pace(factor).simulated(Pace(factor).wall(seconds)) == pytest.approx(seconds)


@pytest.mark.parametrize("factor", [0, -1, float("inf"), float("nan")])
def test_a_factor_that_is_none(factor):
    with pytest.raises(ValueError, match="a finite number above 0"):
        Pace(factor)
