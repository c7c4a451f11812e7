"""What an offering comes to by the hour."""

from datetime import timedelta
from decimal import Decimal

import pytest

from tests.capacity.blocks.offers import START, offering


def test_by_instance_and_by_accelerator():
    found = offering(fee=Decimal("11520"))

    assert found.hours == 72
    assert found.per_instance_hour == 40
    assert found.per_accelerator_hour == 5
    assert found.on_demand == Decimal("55.04")
    assert round(found.of_on_demand, 2) == Decimal("0.73")


def test_hours_are_those_of_the_offering_and_not_those_asked_for():
    assert offering(end=START + timedelta(hours=71, minutes=30)).hours == Decimal("71.5")


@pytest.mark.parametrize(
    ("changes", "unknown"),
    [
        pytest.param({"currency": "CNY"}, ["of_on_demand"], id="another-currency"),
        pytest.param({"instance_type": "p5e.48xlarge"}, ["on_demand", "of_on_demand"], id="no-list-price"),
        pytest.param(
            {"instance_type": "p9.48xlarge"},
            ["per_accelerator_hour", "on_demand", "of_on_demand"],
            id="a-type-that-is-not-in-the-table",
        ),
    ],
)
def test_unknown_is_not_zero(changes, unknown):
    found = offering(**changes)

    assert [
        name for name in ("per_accelerator_hour", "on_demand", "of_on_demand") if getattr(found, name) is None
    ] == unknown
