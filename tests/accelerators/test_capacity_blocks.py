from datetime import timedelta

import pytest

from eks_accelerators.accelerators import capacity_blocks

DAY, WEEK = 24, 168


@pytest.mark.parametrize("hours", [*(DAY * d for d in range(1, 15)), *(WEEK * w for w in range(3, 27))])
def test_durations_that_are_sold(hours):
    assert capacity_blocks.duration_allowed(hours)


@pytest.mark.parametrize("hours", [-DAY, 0, 1, DAY + 1, 15 * DAY, 20 * DAY, 22 * DAY, 27 * WEEK, WEEK * 3 + 1])
def test_durations_that_are_not(hours):
    assert not capacity_blocks.duration_allowed(hours)


@pytest.mark.parametrize(
    ("lead", "allowed"),
    [
        pytest.param(timedelta(0), True, id="now"),
        pytest.param(timedelta(weeks=8), True, id="eight-weeks"),
        pytest.param(timedelta(weeks=8, seconds=1), False, id="later"),
        pytest.param(timedelta(seconds=-1), False, id="past"),
    ],
)
def test_when_a_block_may_start(now, lead, allowed):
    assert capacity_blocks.start_allowed(now + lead, now) is allowed


def test_which_types_are_sold():
    sold = capacity_blocks.sold_types()

    assert {"p5.48xlarge", "p5.4xlarge", "p4d.24xlarge", "trn1.32xlarge", "trn2.3xlarge"} <= set(sold)
    assert not {"trn1n.32xlarge", "trn1.2xlarge"} & set(sold)
    assert not any(name.startswith(("g", "inf")) for name in sold)
