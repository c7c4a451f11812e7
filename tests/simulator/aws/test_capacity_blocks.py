"""Capacity Blocks on sale and bought: as EC2 describes them, also to the guard of a purchase, which asks boto3 itself."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import boto3
import botocore.exceptions
import pytest

from eks_accelerators.accelerators.block_tags import OFFERING_TAG
from eks_accelerators.components.capacity_block_purchase import PurchaseRefusedError, refuse_unsafe_purchase
from eks_accelerators.settings.model.capacity_blocks import Purchase
from eks_accelerators.simulator.aws.errors import AwsError
from tests.simulator.aws.accounts import RESERVATION, START, furnish, offering, opened, reservation

OFFER, DEARER, LONGER = (f"cb-0123456789abcde{digit}0" for digit in "012")
WORLD = {
    "capacityBlockOfferings": [
        offering(OFFER),
        offering(DEARER, upfrontFeeUsd="9000.51", start=(START + timedelta(days=1)).isoformat()),
        offering(LONGER, durationHours=72),
        offering("cb-0123456789abcdef0", instanceCount=8),
        offering("cb-0123456789abcdef1", instanceType="trn1.32xlarge", zone="us-east-2c"),
        offering("cb-0123456789abcdef2", start="2026-11-22T11:30:00Z"),
    ],
    "capacityReservations": [reservation()],
}
WANTED = {"InstanceType": "p5.48xlarge", "InstanceCount": 4, "CapacityDurationHours": 48}
PURCHASE = Purchase.model_construct(
    offering_id=OFFER,
    instance_type="p5.48xlarge",
    instance_count=4,
    duration_hours=48,
    start=START,
    max_upfront_fee_usd=Decimal("8000.50"),
    confirmation="",
)


@pytest.fixture
def aws(tmp_path):
    with opened(tmp_path, WORLD) as account:
        yield account


@pytest.fixture
def ec2(aws):
    """A client as the guard makes it: boto3's own."""
    return boto3.client("ec2", region_name="us-east-2")


def ids(offers):
    return [offer["CapacityBlockOfferingId"] for offer in offers["CapacityBlockOfferings"]]


def buy(ec2, offer=OFFER, **tags):
    specifications = [
        {"ResourceType": "capacity-reservation", "Tags": [{"Key": key, "Value": value} for key, value in tags.items()]}
    ]
    return ec2.purchase_capacity_block(
        CapacityBlockOfferingId=offer,
        InstancePlatform="Linux/UNIX",
        **({"TagSpecifications": specifications} if tags else {}),
    )["CapacityReservation"]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        pytest.param(WANTED, [OFFER, DEARER], id="type-size-and-length"),
        pytest.param({**WANTED, "StartDateRange": START}, [OFFER, DEARER], id="from-its-start"),
        pytest.param({**WANTED, "StartDateRange": START + timedelta(seconds=1)}, [DEARER], id="from-later"),
        pytest.param({**WANTED, "EndDateRange": START + timedelta(days=2)}, [OFFER], id="until-the-end-of-the-first"),
        pytest.param({**WANTED, "CapacityDurationHours": 72}, [LONGER], id="another-length"),
        pytest.param({**WANTED, "InstanceCount": 2}, [], id="another-size"),
        pytest.param({**WANTED, "InstanceType": "p5e.48xlarge"}, [], id="another-type"),
        pytest.param({**WANTED, "MaxResults": 100}, [OFFER, DEARER], id="page-size"),
    ],
)
def test_what_is_on_sale(ec2, asked, found):
    assert ids(ec2.describe_capacity_block_offerings(**asked)) == found


def test_all_pages_of_what_is_on_sale(ec2):
    pages = ec2.get_paginator("describe_capacity_block_offerings").paginate(**WANTED)

    assert [ids(page) for page in pages] == [[OFFER, DEARER]]


def test_an_offering_as_ec2_describes_it(ec2):
    (offer,) = ec2.describe_capacity_block_offerings(**{**WANTED, "CapacityDurationHours": 72})[
        "CapacityBlockOfferings"
    ]

    assert offer == {
        "CapacityBlockOfferingId": LONGER,
        "InstanceType": "p5.48xlarge",
        "AvailabilityZone": "us-east-2a",
        "InstanceCount": 4,
        "StartDate": START,
        "EndDate": START + timedelta(days=3),
        "CapacityBlockDurationHours": 72,
        "UpfrontFee": "8000.50",
        "CurrencyCode": "USD",
        "Tenancy": "default",
    }


def test_a_purchase_takes_the_offering_from_the_market(aws, ec2):
    made = buy(ec2, **{OFFERING_TAG: OFFER})

    assert (made["State"], made["TotalInstanceCount"], made["StartDate"], made["EndDate"]) == (
        "scheduled",
        0,
        START,
        START + timedelta(days=2),
    )
    assert ids(ec2.describe_capacity_block_offerings(**WANTED)) == [DEARER]
    with pytest.raises(botocore.exceptions.ClientError) as refused:
        buy(ec2)
    assert refused.value.response["Error"] == {
        "Code": "InvalidCapacityBlockOfferingId.NotFound",
        "Message": f"The Capacity Block offering '{OFFER}' does not exist.",
    }


def test_a_purchase_is_in_the_journal(tmp_path):
    with opened(tmp_path, WORLD):
        identifier = buy(boto3.client("ec2", region_name="us-east-2"))["CapacityReservationId"]

    with opened(tmp_path) as aws:
        assert identifier in aws.state.blocks
        assert OFFER not in aws.state.offerings


def reservations(ec2, **asked):
    found = ec2.describe_capacity_reservations(**asked)["CapacityReservations"]
    return [each["CapacityReservationId"] for each in found]


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        pytest.param([{"Name": f"tag:{OFFERING_TAG}", "Values": [OFFER]}], "bought", id="tag"),
        pytest.param([{"Name": f"tag:{OFFERING_TAG}", "Values": [DEARER, OFFER]}], "bought", id="one-of-two-values"),
        pytest.param([{"Name": f"tag:{OFFERING_TAG}", "Values": [DEARER]}], "none", id="another-value"),
        pytest.param([{"Name": "tag-key", "Values": [OFFERING_TAG]}], "bought", id="tag-key"),
        pytest.param([{"Name": "state", "Values": ["scheduled"]}], "both", id="state"),
        pytest.param(
            [{"Name": "state", "Values": ["scheduled"]}, {"Name": "tag:owner", "Values": ["me"]}], "bought", id="both"
        ),
        pytest.param([{"Name": "instance-type", "Values": ["p5.48xlarge"]}], "both", id="type"),
    ],
)
def test_reservations_by_filters(ec2, filters, found):
    bought = buy(ec2, **{OFFERING_TAG: OFFER, "owner": "me"})["CapacityReservationId"]

    expected = {"bought": [bought], "both": [RESERVATION, bought], "none": []}[found]
    assert reservations(ec2, Filters=filters, MaxResults=5) == expected


def test_reservations_by_id(ec2):
    assert reservations(ec2, CapacityReservationIds=[RESERVATION]) == [RESERVATION]
    with pytest.raises(botocore.exceptions.ClientError, match=r"InvalidCapacityReservationId\.NotFound"):
        reservations(ec2, CapacityReservationIds=["cr-0f"])


def test_a_filter_that_is_not_simulated_is_refused(aws):
    with pytest.raises(AwsError, match="The filter 'zone' is invalid"):
        aws.call("ec2", "describe_capacity_reservations", Filters=[{"Name": "zone", "Values": ["us-east-2a"]}])


@pytest.mark.parametrize(
    ("moment", "state", "total"),
    [
        pytest.param(START - timedelta(seconds=1), "scheduled", 0, id="before"),
        pytest.param(START, "active", 4, id="from-its-start"),
        pytest.param(START + timedelta(days=1, seconds=-1), "active", 4, id="to-its-end"),
        pytest.param(START + timedelta(days=1), "expired", 0, id="after"),
    ],
)
def test_a_block_by_the_clock(aws, moment, state, total):
    aws.set_clock(moment)
    (found,) = aws.call("ec2", "describe_capacity_reservations", CapacityReservationIds=[RESERVATION])[
        "CapacityReservations"
    ]

    assert found == {
        "CapacityReservationId": RESERVATION,
        "CapacityBlockId": "cb-0123456789abcde00",
        "ReservationType": "capacity-block",
        "InstanceType": "p5.48xlarge",
        "InstancePlatform": "Linux/UNIX",
        "AvailabilityZone": "us-east-2a",
        "AvailabilityZoneId": "use2-az1",
        "TotalInstanceCount": total,
        "AvailableInstanceCount": total,
        "State": state,
        "StartDate": START,
        "EndDate": START + timedelta(days=1),
        "EndDateType": "limited",
        "Tenancy": "default",
        "InstanceMatchCriteria": "targeted",
        "Tags": [{"Key": "aws:ec2capacityreservation:incrementalRequestedQuantity", "Value": "4"}],
    }


def changed(**changes):
    return PURCHASE.model_copy(update=changes)


def test_the_guard_lets_a_good_purchase_pass(ec2):
    refuse_unsafe_purchase(ec2, PURCHASE, "prod")


@pytest.mark.parametrize(
    ("purchase", "words"),
    [
        pytest.param(
            changed(max_upfront_fee_usd=Decimal("8000.49")),
            f"{OFFER} costs 8000.50 USD, above the limit of 8000.49 USD.",
            id="too-dear",
        ),
        pytest.param(changed(offering_id="cb-gone"), "cb-gone is not on sale any more", id="sold"),
        pytest.param(changed(instance_count=8), f"{OFFER} is not on sale any more", id="of-another-size"),
        pytest.param(changed(start=START + timedelta(days=1)), f"{OFFER} is not on sale any more", id="begins-before"),
    ],
)
def test_the_guard_stops_what_is_not_what_was_confirmed(ec2, purchase, words):
    with pytest.raises(PurchaseRefusedError, match=words.replace("(", r"\(")):
        refuse_unsafe_purchase(ec2, purchase, "prod")


def test_the_guard_finds_a_purchase_that_was_made(aws, ec2):
    bought = buy(ec2, **{OFFERING_TAG: OFFER})["CapacityReservationId"]
    with pytest.raises(PurchaseRefusedError, match=rf"was bought already, as {bought} \(scheduled\)"):
        refuse_unsafe_purchase(ec2, PURCHASE, "prod")

    aws.set_clock(START + timedelta(days=30))
    with pytest.raises(PurchaseRefusedError, match=rf"was bought already, as {bought} \(expired\)"):
        refuse_unsafe_purchase(ec2, PURCHASE, "prod")


def test_the_guard_reads_and_nothing_else(tmp_path, ec2):
    before = (tmp_path / "aws.jsonl").read_text()
    refuse_unsafe_purchase(ec2, PURCHASE, "prod")

    assert (tmp_path / "aws.jsonl").read_text() == before


def test_tags_of_a_block_change(aws, ec2):
    bought = buy(ec2, owner="me")["CapacityReservationId"]
    aws.call("ec2", "create_tags", Resources=[bought], Tags=[{"Key": "team", "Value": "ml"}])
    aws.call("ec2", "delete_tags", Resources=[bought], Tags=[{"Key": "owner"}])

    assert aws.state.blocks[bought].tags == {"team": "ml"}


def test_a_placement_group_stays_while_instances_are_in_it(aws):
    place = furnish(aws)
    aws.call("ec2", "create_placement_group", GroupName="together", Strategy="cluster")
    place.create(launchTemplate=place.template({"Placement": {"GroupName": "together"}}))

    with pytest.raises(AwsError, match=r"InvalidPlacementGroup\.InUse"):
        aws.call("ec2", "delete_placement_group", GroupName="together")
    place.delete()
    aws.call("ec2", "delete_placement_group", GroupName="together")
    with pytest.raises(AwsError, match=r"InvalidPlacementGroup\.Unknown"):
        aws.call("ec2", "describe_placement_groups", GroupNames=["together"])


def test_dates_from_boto3_are_those_that_were_meant(ec2):
    """boto3 sends text; a date without an offset is UTC."""
    asked = {**WANTED, "StartDateRange": datetime(2026, 12, 2, 11, 30, tzinfo=UTC).replace(tzinfo=None)}

    assert ids(ec2.describe_capacity_block_offerings(**asked)) == [DEARER]
