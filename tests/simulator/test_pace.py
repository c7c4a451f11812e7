"""Simulated time as wall time, and back."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eks_accelerators.simulator.pace import Pace, PacedClock


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


NOON, MIDNIGHT = 1_795_348_800.0, 1_795_305_600.0


def test_moments_are_as_far_apart_as_the_pace_says():
    """The simulation begins at midnight, while it is noon on the wall."""
    clock = PacedClock(Pace(60), wall_begin=NOON, simulated_begin=MIDNIGHT)

    assert clock.simulated(NOON + 30) == MIDNIGHT + 1800
    assert clock.wall(MIDNIGHT + 3600) == NOON + 60


def test_a_clock_that_begins_now():
    clock = PacedClock.beginning_now(Pace(1000), MIDNIGHT)

    assert MIDNIGHT <= clock.now() < MIDNIGHT + 60_000
    assert PacedClock.beginning_now(Pace(1)).simulated_begin == pytest.approx(time.time(), abs=60)
