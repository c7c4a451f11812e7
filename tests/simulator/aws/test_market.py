"""Capacity Blocks that are made up: the same for the same clock, sold once, and kept by the journal."""

from datetime import timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eks_accelerators.accelerators.capacity_blocks import LATEST_LEAD, sold_types
from eks_accelerators.simulator.aws import market
from eks_accelerators.simulator.aws.errors import AwsError
from tests.simulator.aws.accounts import NOW, offering, opened

OPEN = {"capacityBlockMarket": True}
H100S = {"InstanceType": "p5.48xlarge", "InstanceCount": 4, "CapacityDurationHours": 72}


def on_sale(aws, **changes):
    return aws.call("ec2", "describe_capacity_block_offerings", **{**H100S, **changes})["CapacityBlockOfferings"]


def buy(aws, identifier, **parameters):
    asked = {"CapacityBlockOfferingId": identifier, "InstancePlatform": "Linux/UNIX", **parameters}
    return aws.call("ec2", "purchase_capacity_block", **asked)["CapacityReservation"]


@pytest.fixture
def shop(tmp_path):
    with opened(tmp_path, OPEN) as account:
        yield account


def test_nothing_is_made_up_unless_the_world_says_so(tmp_path):
    with opened(tmp_path, {"capacityBlockOfferings": [offering()]}) as aws:
        assert on_sale(aws) == []


def test_offerings_are_those_of_life(shop):
    found = on_sale(shop)

    assert 1 <= len(found) <= market.MOST_OFFERINGS
    assert found == on_sale(shop)
    for each in found:
        assert (each["InstanceType"], each["InstanceCount"], each["CapacityBlockDurationHours"]) == (
            "p5.48xlarge",
            4,
            72,
        )
        assert NOW < each["StartDate"] <= NOW + LATEST_LEAD
        assert (each["StartDate"].hour, each["StartDate"].minute) == (11, 30)
        assert each["EndDate"] - each["StartDate"] == timedelta(hours=72)
        part = Decimal(each["UpfrontFee"]) / (4 * 72) / Decimal("55.04")
        assert Decimal("0.6") <= round(part, 4) <= Decimal("0.8")


@pytest.mark.parametrize(
    "asked",
    [
        pytest.param({"CapacityDurationHours": 30}, id="no-such-length"),
        pytest.param({"InstanceType": "g6.xlarge"}, id="not-sold-in-blocks"),
        pytest.param({"InstanceCount": 65}, id="too-many"),
        pytest.param({"InstanceType": "trn1.32xlarge", "StartDateRange": NOW + timedelta(weeks=9)}, id="too-late"),
    ],
)
def test_what_is_never_on_sale(shop, asked):
    assert on_sale(shop, **asked) == []


@given(
    kind=st.sampled_from(sold_types()),
    count=st.integers(1, 64),
    days=st.one_of(st.integers(1, 14), st.integers(3, 26).map(lambda weeks: 7 * weeks)),
)
def test_an_offering_is_found_by_its_id(shop, kind, count, days):
    for offer in market.offerings(shop.backend, kind, count, 24 * days):
        assert market.find(shop.backend, offer.id) == offer


@given(st.text("0123456789abcdef", min_size=17, max_size=17))
def test_an_id_that_was_never_offered_is_not_found(shop, digits):
    assert market.find(shop.backend, f"cb-{digits}") is None


def test_a_dry_run_buys_nothing(tmp_path):
    with opened(tmp_path, OPEN) as aws:
        identifier = on_sale(aws)[0]["CapacityBlockOfferingId"]
        with pytest.raises(AwsError, match="DryRunOperation"):
            buy(aws, identifier, DryRun=True)
        assert aws.state.blocks == {}


def test_a_block_is_sold_once_and_still_there_tomorrow(tmp_path):
    with opened(tmp_path, OPEN) as aws:
        identifier = on_sale(aws)[0]["CapacityBlockOfferingId"]
        bought = buy(aws, identifier)["CapacityReservationId"]
        with pytest.raises(AwsError, match=r"InvalidCapacityBlockOfferingId\.NotFound"):
            buy(aws, identifier)
        assert identifier not in [each["CapacityBlockOfferingId"] for each in on_sale(aws)]

    with opened(tmp_path, OPEN) as again:
        assert list(again.state.blocks) == [bought]


def test_a_block_is_extended(tmp_path):
    with opened(tmp_path, OPEN) as aws:
        block = buy(aws, on_sale(aws)[0]["CapacityBlockOfferingId"])
        named = {"CapacityReservationId": block["CapacityReservationId"]}
        asked = {**named, "CapacityBlockExtensionDurationHours": 48}
        (offer,) = aws.call("ec2", "describe_capacity_block_extension_offerings", **asked)[
            "CapacityBlockExtensionOfferings"
        ]
        identifier = {"CapacityBlockExtensionOfferingId": offer["CapacityBlockExtensionOfferingId"]}
        with pytest.raises(AwsError, match="DryRunOperation"):
            aws.call("ec2", "purchase_capacity_block_extension", **named, **identifier, DryRun=True)
        aws.call("ec2", "purchase_capacity_block_extension", **named, **identifier)

    with opened(tmp_path, OPEN) as again:
        (longer,) = again.state.blocks.values()
        assert longer.end == block["EndDate"] + timedelta(hours=48)
        with pytest.raises(AwsError, match="NotFound"):
            again.call("ec2", "purchase_capacity_block_extension", **named, **identifier)
        history = again.call("ec2", "describe_capacity_block_extension_history", CapacityReservationIds=[longer.id])
        assert [each["UpfrontFee"] for each in history["CapacityBlockExtensions"]] == [offer["UpfrontFee"]]
