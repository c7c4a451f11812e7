"""What AWS says of a reservation, held against what a node group asks for."""

from dataclasses import replace
from datetime import timedelta

import pytest

from eks_accelerators.accelerators.capacity_blocks import REQUESTED_QUANTITY_TAG, Reservation, reservation_problems
from tests.conftest import NOW

GOOD = Reservation(
    id="cr-0123456789abcdef0",
    reservation_type="capacity-block",
    state="active",
    instance_type="p5.48xlarge",
    instance_count=4,
    zone="us-east-2b",
    zone_id="use2-az2",
    start=NOW - timedelta(days=1),
    end=NOW + timedelta(days=1),
)
WANTED = {"instance_type": "p5.48xlarge", "max_size": 4, "zones": ["us-east-2a", "us-east-2b"], "now": NOW}


@pytest.mark.parametrize(
    ("reservation", "wanted"),
    [
        pytest.param({}, {}, id="as-asked"),
        pytest.param({"state": "scheduled"}, {}, id="not-yet-begun"),
        pytest.param({"instance_count": None}, {"max_size": 99}, id="size-unknown"),
        pytest.param({}, {"zones": ["use2-az2"]}, id="zone-by-id"),
        pytest.param({"end": NOW + timedelta(minutes=41)}, {}, id="just-before-the-drain"),
        pytest.param({}, {"expected": {"end": GOOD.end.isoformat(), "zone": "use2-az2", "start": None}}, id="expected"),
    ],
)
def test_reservations_that_suit(reservation, wanted):
    assert reservation_problems(replace(GOOD, **reservation), **{**WANTED, **wanted}) == []


@pytest.mark.parametrize(
    ("reservation", "wanted", "expected"),
    [
        pytest.param({"reservation_type": "default"}, {}, "is an on-demand reservation", id="on-demand"),
        pytest.param({"state": "expired"}, {}, "is expired (ended 2026-11-21", id="expired"),
        pytest.param({"state": "payment-failed"}, {}, "the upfront fee is not paid", id="not-paid"),
        pytest.param({"end": NOW + timedelta(minutes=40)}, {}, "drains it 40 minutes before", id="drains"),
        pytest.param({"instance_type": "p5en.48xlarge"}, {}, "holds p5en.48xlarge", id="other-type"),
        pytest.param({}, {"max_size": 5}, "size.max 5 exceeds the 4 instances", id="too-few-instances"),
        pytest.param({}, {"zones": ["us-east-2a"]}, "has no subnet (it has us-east-2a)", id="other-zone"),
        pytest.param({}, {"expected": {"zone": "us-east-2a"}}, "is in us-east-2b (use2-az2), not", id="expected-zone"),
        pytest.param({}, {"expected": {"end": "2026-12-31T11:30:00Z"}}, "has end 2026-11-21", id="expected-end"),
        pytest.param({}, {"expected": {"start": "2026-12-31T11:30:00"}}, "has start 2026-11-19", id="no-time-zone"),
    ],
)
def test_reservations_that_do_not(reservation, wanted, expected):
    (problem,) = reservation_problems(replace(GOOD, **reservation), **{**WANTED, **wanted})

    assert expected in str(problem)


@pytest.mark.parametrize(
    ("reported", "tags", "size"),
    [
        pytest.param(4, {}, 4, id="active"),
        pytest.param(0, {REQUESTED_QUANTITY_TAG: "8"}, 8, id="scheduled-blocks-report-zero"),
        pytest.param(0, {}, None, id="unknown"),
    ],
)
def test_the_size_of_a_reservation(reported, tags, size):
    assert Reservation.size(reported, tags) == size
