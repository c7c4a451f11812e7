"""Blocks over time: lanes, and the gaps in them."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from eks_accelerators.capacity.blocks.account_reservations import AccountReservation
from eks_accelerators.capacity.blocks.calendar import Gap, lanes

DAY = timedelta(days=1)
FIRST = datetime(2026, 12, 1, 11, 30, tzinfo=UTC)


def block(identifier, start, days, state="scheduled", kind="p5.48xlarge"):
    return AccountReservation(
        identifier, None, "us-east-2", state, kind, 4, 0, "us-east-2a", "", start, start + days * DAY, {}
    )


NOVEMBER = block("cr-1", FIRST - 3 * DAY, 3, "active")
DECEMBER, LATER = block("cr-2", FIRST, 2), block("cr-3", FIRST + 4 * DAY, 3)
OTHER = block("cr-4", FIRST, 7, kind="trn1.32xlarge")
USERS = {"cr-1": "h100", "cr-2": "h100", "cr-3": "h100"}


def test_blocks_of_a_group_are_a_lane_and_what_nobody_uses_comes_after():
    group, unused = lanes([LATER, OTHER, DECEMBER, NOVEMBER], USERS)

    assert (group.name, group.blocks) == ("h100", (NOVEMBER, DECEMBER, LATER))
    assert group.gaps == (Gap(FIRST + 2 * DAY, FIRST + 4 * DAY),)
    assert (unused.name, unused.blocks, unused.gaps) == ("trn1.32xlarge", (OTHER,), ())


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(1, 14)), min_size=1, max_size=8))
def test_every_moment_of_a_lane_is_in_a_block_or_in_a_gap(starts):
    blocks = [block(f"cr-{index}", FIRST + start * DAY, days) for index, (start, days) in enumerate(starts)]
    (lane,) = lanes(blocks, {})

    for day in range(min(start for start, _ in starts), max(start + days for start, days in starts)):
        moment = FIRST + day * DAY
        assert any(b.start <= moment < b.end for b in lane.blocks) != any(g.start <= moment < g.end for g in lane.gaps)
