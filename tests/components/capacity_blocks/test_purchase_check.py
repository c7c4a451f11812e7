"""What AWS is asked immediately before a purchase, and which answers stop it.

The client is boto3's own, stubbed: parameters and answers are validated against the EC2 API's model.
"""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.stub import Stubber

from eks_accelerators.accelerators.block_tags import OFFERING_TAG, STACK_TAG
from eks_accelerators.components import CapacityBlockPurchase
from eks_accelerators.components.capacity_block_purchase import PurchaseRefusedError, refuse_unsafe_purchase
from eks_accelerators.components.validation import as_model
from eks_accelerators.settings.model.capacity_blocks import Purchase
from tests.components.examples import EXAMPLES, OFFERING_ID

PURCHASE = as_model(Purchase, EXAMPLES[CapacityBlockPurchase])
BOUGHT = {"CapacityReservationId": "cr-0123456789abcdef0", "State": "active"}
OFFER = {
    "CapacityBlockOfferingId": OFFERING_ID,
    "InstanceType": "p5.48xlarge",
    "InstanceCount": 4,
    "CapacityBlockDurationHours": 48,
    "UpfrontFee": "8999.99",
    "CurrencyCode": "USD",
}
BY_OFFERING = {"Filters": [{"Name": f"tag:{OFFERING_TAG}", "Values": [OFFERING_ID]}]}
SEARCH = {
    "InstanceType": "p5.48xlarge",
    "InstanceCount": 4,
    "CapacityDurationHours": 48,
    "StartDateRange": PURCHASE.start,
}


@pytest.fixture(scope="module")
def client():
    return boto3.client(
        "ec2",
        region_name="us-east-2",
        aws_access_key_id="none",
        aws_secret_access_key="none",
        config=Config(retries={"max_attempts": 0}),
    )


@dataclass
class Asked:
    """What AWS has: reservations of the offering, and offers on sale, in pages."""

    reservations: list[list[dict[str, Any]]] = field(default_factory=lambda: [[]])
    offers: list[list[dict[str, Any]]] = field(default_factory=lambda: [[OFFER]])


def ask(client, aws: Asked):
    """Run the check; only the calls stubbed here can be made, in this order and with these parameters."""
    with Stubber(client) as stub:
        for operation, key, request, pages in (
            ("describe_capacity_reservations", "CapacityReservations", BY_OFFERING, aws.reservations),
            ("describe_capacity_block_offerings", "CapacityBlockOfferings", SEARCH, aws.offers),
        ):
            for number, page in enumerate(pages):
                token = {"NextToken": f"page-{number}"} if number else {}
                more = {"NextToken": f"page-{number + 1}"} if number + 1 < len(pages) else {}
                stub.add_response(operation, {key: page, **more}, {**request, **token})
        refuse_unsafe_purchase(client, PURCHASE, "prod")
        stub.assert_no_pending_responses()


GOOD = [
    pytest.param(Asked(), id="below-the-limit"),
    pytest.param(Asked(offers=[[{**OFFER, "UpfrontFee": "9000"}]]), id="exactly-the-limit"),
    pytest.param(Asked(offers=[[{**OFFER, "CapacityBlockOfferingId": "cb-other"}, OFFER]]), id="among-others"),
    pytest.param(Asked(reservations=[[], []]), id="empty-pages"),
    pytest.param(Asked(offers=[[], [OFFER]]), id="on-the-second-page"),
]


@pytest.mark.parametrize("aws", GOOD)
def test_a_good_offering_may_be_bought(client, aws):
    ask(client, aws)


def of(stack):
    return {**BOUGHT, "Tags": [{"Key": STACK_TAG, "Value": stack}]}


REFUSED = [
    pytest.param(
        Asked(reservations=[[of("prod")]]), "(active). Write that as reservationId", id="bought-for-this-stack"
    ),
    pytest.param(
        Asked(reservations=[[of("dev")]]),
        "was bought already for the stack dev, as cr-0123456789abcdef0 (active). Choose another offering.",
        id="bought-for-another-stack",
    ),
    pytest.param(Asked(reservations=[[BOUGHT]]), "was bought already, as cr-0123456789abcdef0 (active)", id="bought"),
    pytest.param(Asked(reservations=[[{**BOUGHT, "State": "expired"}]]), "bought already", id="bought-and-expired"),
    pytest.param(Asked(reservations=[[{**BOUGHT, "State": "payment-pending"}]]), "bought already", id="not-paid-yet"),
    pytest.param(Asked(reservations=[[], [BOUGHT]]), "bought already", id="bought-on-the-second-page"),
    pytest.param(Asked(offers=[[]]), "is not on sale any more", id="nothing-on-sale"),
    pytest.param(Asked(offers=[[{**OFFER, "CapacityBlockOfferingId": "cb-other"}]]), "not on sale", id="only-others"),
    pytest.param(
        Asked(offers=[[{**OFFER, "UpfrontFee": "9000.01"}]]), "costs 9000.01 USD, above", id="a-cent-too-dear"
    ),
    pytest.param(Asked(offers=[[{**OFFER, "CurrencyCode": "CNY"}]]), "costs 8999.99 CNY", id="other-currency"),
]


@pytest.mark.parametrize(("aws", "expected"), REFUSED)
def test_everything_else_is_refused(client, aws, expected):
    with pytest.raises(PurchaseRefusedError, match=r".") as refused:
        ask(client, aws)

    assert expected in str(refused.value)


@pytest.mark.parametrize("fee", ["", "free", "NaN"])
def test_a_fee_that_is_no_number_is_refused(client, fee):
    with pytest.raises(PurchaseRefusedError):
        ask(client, Asked(offers=[[{**OFFER, "UpfrontFee": fee}]]))


def test_what_aws_refuses_to_answer_stops_the_purchase(client):
    with Stubber(client) as stub:
        stub.add_client_error("describe_capacity_reservations", "UnauthorizedOperation")
        with pytest.raises(client.exceptions.ClientError):
            refuse_unsafe_purchase(client, PURCHASE, "prod")


def test_the_limit_is_exact():
    assert Decimal("9000") == PURCHASE.max_upfront_fee_usd
