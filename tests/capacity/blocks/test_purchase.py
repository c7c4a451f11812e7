"""What is looked at before anything is bought: each doubt is a refusal, and each failure to ask is one."""

from datetime import timedelta
from decimal import Decimal

import pytest
from botocore.exceptions import ReadTimeoutError

from eks_accelerators.accelerators.block_tags import BLOCK_TAG, OFFERING_TAG, REQUEST_TAG, STACK_TAG
from eks_accelerators.capacity.aws_calls import UnansweredError
from eks_accelerators.capacity.blocks import ledger as ledgers
from eks_accelerators.capacity.blocks.errors import NotBoughtError
from eks_accelerators.capacity.blocks.ledger import PurchaseOutcome
from tests.capacity.blocks.offers import OFFER, START, answer
from tests.capacity.blocks.shop import BOUGHT, PURCHASE, Shop, bought, order, reservation
from tests.capacity.fakes import refusal

OURS, OTHER = "cr-00000000000000001", "cr-00000000000000002"


def test_a_block_is_bought_and_known_by_its_tags(tmp_path):
    shop = Shop()

    attempt = bought(shop, tmp_path)

    assert (attempt.outcome, attempt.reservation, shop.purchases) == (PurchaseOutcome.BOUGHT, BOUGHT, 1)
    tags = {tag["Key"]: tag["Value"] for tag in shop.reservations[0]["Tags"]}
    assert tags == {OFFERING_TAG: OFFER, REQUEST_TAG: attempt.request, STACK_TAG: "prod", BLOCK_TAG: "training"}
    assert ledgers.attempts(tmp_path) == [attempt]
    assert attempt.what == "4 x p5.48xlarge in us-east-2a, 2026-12-01 11:30 to 2026-12-04 11:30 UTC, for 10620.52 USD"


def test_what_was_not_shown_is_bought_by_its_words(tmp_path):
    assert bought(Shop(), tmp_path, order(shown=None)).outcome is PurchaseOutcome.BOUGHT


def tagged(identifier, tag, value, **changes):
    return reservation(identifier, Tags=[{"Key": tag, "Value": value}], **changes)


@pytest.mark.parametrize(
    ("shop", "wanted", "reason"),
    [
        pytest.param(Shop(offers=[]), order(), f"{OFFER} is not on sale any more", id="gone"),
        pytest.param(
            Shop(offers=[answer(UpfrontFee="10620.53")]),
            order(),
            "has changed: fee was 10620.52 and is 10620.53",
            id="dearer-by-a-cent",
        ),
        pytest.param(
            Shop(offers=[answer(AvailabilityZone="us-east-2b")]),
            order(),
            "has changed: zone was us-east-2a and is us-east-2b",
            id="another-zone",
        ),
        pytest.param(
            Shop(offers=[answer(StartDate=START + timedelta(hours=1))]), order(), "has changed: start was", id="later"
        ),
        pytest.param(
            Shop(offers=[answer(InstanceCount=2)]), order(), "has changed: instance count was 4 and is 2", id="smaller"
        ),
        pytest.param(
            Shop(),
            order(ceiling=Decimal("10620.51")),
            "costs 10620.52 USD, above the limit of 10620.51 USD",
            id="above-the-ceiling",
        ),
        pytest.param(
            Shop(offers=[answer(CurrencyCode="CNY")]),
            order(shown=None),
            "is priced in CNY; only USD is bought here",
            id="another-currency",
        ),
        pytest.param(
            Shop(offers=[answer(CapacityBlockOfferingSegments=[{}, {}])]),
            order(shown=None),
            "comes in 2 segments",
            id="in-segments",
        ),
        pytest.param(
            Shop(quota=767),
            order(),
            "the quota L-DA6814F2 in us-east-2 allows 767 vCPUs of Capacity Blocks",
            id="quota",
        ),
        pytest.param(
            Shop(quota=1535, reservations=[reservation(OTHER, State="active", TotalInstanceCount=4)]),
            order(),
            "need 768, beside blocks of 768 at that time",
            id="quota-beside-another-block",
        ),
        pytest.param(
            Shop(reservations=[reservation(OURS)]),
            order(of_stack={"earlier": OURS}),
            f"the stack prod holds {OURS} already",
            id="overlaps-a-block-in-the-file",
        ),
        pytest.param(
            Shop(reservations=[tagged(OTHER, STACK_TAG, "prod")]),
            order(),
            f"the stack prod holds {OTHER} already",
            id="overlaps-a-block-by-its-tag",
        ),
        pytest.param(
            Shop(reservations=[reservation(OURS, State="active", StartDate=START - timedelta(days=9), EndDate=START)]),
            order(of_stack={"training": OURS}),
            f"capacityBlocks.training names {OURS}, which is active until 2026-12-01 11:30 UTC",
            id="the-key-is-in-use",
        ),
        pytest.param(
            Shop(), order(suits=lambda _offering, zone: [f"not in {zone}"]), "not in use2-az1", id="unsuitable"
        ),
        pytest.param(
            Shop(faults={PURCHASE: refusal("InvalidParameterValue", "no")}),
            order(),
            "AWS refuses the dry run: ec2:PurchaseCapacityBlock: InvalidParameterValue: no",
            id="the-dry-run-fails",
        ),
    ],
)
def test_refused(tmp_path, shop, wanted, reason):
    with pytest.raises(NotBoughtError) as refused:
        bought(shop, tmp_path, wanted)

    assert reason in str(refused.value)
    assert (shop.purchases, ledgers.attempts(tmp_path)) == (0, [])


@pytest.mark.parametrize(
    "shop",
    [
        pytest.param(
            Shop(reservations=[reservation(OURS, State="expired", EndDate=START + timedelta(hours=1))]), id="it-is-over"
        ),
        pytest.param(
            Shop(reservations=[reservation(OURS, StartDate=START - timedelta(days=2), EndDate=START)]),
            id="it-ends-before",
        ),
        pytest.param(Shop(reservations=[reservation(OURS, InstanceType="p4d.24xlarge")]), id="another-type"),
        pytest.param(Shop(reservations=[tagged(OURS, OFFERING_TAG, OFFER, State="payment-failed")]), id="never-paid"),
        pytest.param(Shop(reservations=[reservation(OURS, ReservationType="default")]), id="not-a-block"),
    ],
)
def test_what_is_not_in_the_way(tmp_path, shop):
    assert bought(shop, tmp_path, order(of_stack={"earlier": OURS})).outcome is PurchaseOutcome.BOUGHT


FAILURES = {
    "throttled": refusal("RequestLimitExceeded"),
    "500": refusal("InternalError", status=500),
    "time-out": ReadTimeoutError(endpoint_url="https://ec2"),
    "expired": refusal("ExpiredToken"),
    "garbage": {},
    "denied": refusal("UnauthorizedOperation", status=403),
}
ASKED = [
    "sts.get_caller_identity",
    "ec2.describe_capacity_reservations",
    "ec2.describe_capacity_blocks",
    "ec2.describe_capacity_block_offerings",
    "ec2.describe_availability_zones",
    "service-quotas.get_service_quota",
]


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES)
@pytest.mark.parametrize("operation", ASKED)
def test_a_question_without_an_answer_buys_nothing(tmp_path, operation, failure):
    shop = Shop(faults={operation: failure})

    with pytest.raises(UnansweredError):
        bought(shop, tmp_path)

    assert (shop.purchases, ledgers.attempts(tmp_path)) == (0, [])


@pytest.mark.parametrize("name", [name for name in FAILURES if name != "garbage"])
def test_a_dry_run_without_an_answer_buys_nothing(tmp_path, name):
    shop = Shop(faults={PURCHASE: FAILURES[name]})

    with pytest.raises(UnansweredError):
        bought(shop, tmp_path)

    assert ledgers.attempts(tmp_path) == []


def test_a_quota_that_was_never_applied_is_the_default(tmp_path):
    shop = Shop(
        faults={
            "service-quotas.get_service_quota": refusal("NoSuchResourceException"),
            "service-quotas.get_aws_default_service_quota": {"Quota": {"Value": 0.0}},
        }
    )

    with pytest.raises(NotBoughtError, match="allows 0 vCPUs"):
        bought(shop, tmp_path)


def test_the_same_request_is_bought_once_whatever_serves_it(tmp_path):
    shop = Shop()
    bought(shop, tmp_path)
    shop.offers = [answer("cb-0fffffffffffffff0", UpfrontFee="1.00")]

    again = bought(shop, tmp_path, order(offering="cb-0fffffffffffffff0", shown=None))

    assert (again.reservation, shop.purchases) == (BOUGHT, 1)


def test_another_machine_finds_the_purchase_by_its_tags(tmp_path):
    shop = Shop()
    bought(shop, tmp_path / "mine")

    again = bought(shop, tmp_path / "yours")

    assert (again.reservation, again.attempt, shop.purchases) == (BOUGHT, None, 1)


def test_two_that_are_alike_on_purpose(tmp_path):
    shop = Shop()
    bought(shop, tmp_path, order(stack=None, block=None, purpose="first"))
    shop.offers = [answer("cb-0fffffffffffffff0")]
    second = order(offering="cb-0fffffffffffffff0", shown=None, stack=None, block=None, purpose="second")

    assert bought(shop, tmp_path, second).outcome is PurchaseOutcome.BOUGHT
    assert shop.purchases == 2


def test_an_id_that_is_in_use_is_not_overwritten_by_one_that_was_bought_before(tmp_path):
    shop = Shop()
    bought(shop, tmp_path)
    shop.reservations.append(reservation(OTHER, State="active", InstanceType="p4d.24xlarge"))

    again = bought(shop, tmp_path, order(of_stack={"training": OTHER}))

    assert again.reservation == BOUGHT
    assert [OTHER in line for line in again.in_the_way] == [True]


OTHERS = {
    "another-stack": (order(stack="dev"), "capacityBlocks.training of the stack prod"),
    "another-key": (order(block="second"), "capacityBlocks.training of the stack prod"),
    "no-stack": (order(stack=None, block=None), "capacityBlocks.training of the stack prod"),
    "another-stack-that-holds-blocks": (
        order(stack="dev", of_stack={"training": OURS}),
        "capacityBlocks.training of the stack prod",
    ),
    "a-key-of-the-file-has-it": (
        order(block="second", of_stack={"moved": BOUGHT}),
        "capacityBlocks.moved of the stack prod",
    ),
}


@pytest.mark.parametrize("where", ["the-same-machine", "another-machine"])
@pytest.mark.parametrize(("second", "owner"), OTHERS.values(), ids=OTHERS)
def test_what_was_bought_for_one_is_not_given_to_another(tmp_path, second, owner, where):
    shop = Shop()
    bought(shop, tmp_path)

    again = bought(shop, tmp_path if where == "the-same-machine" else tmp_path / "yours", second)

    assert (again.reservation, shop.purchases) == (BOUGHT, 1)
    assert [f"It was bought for {owner}," in line for line in again.in_the_way] == [True]


@pytest.mark.parametrize(
    "second",
    [
        pytest.param(order(), id="the-same-command"),
        pytest.param(order(of_stack={"training": BOUGHT}), id="its-id-is-in-the-file"),
    ],
)
def test_what_was_bought_for_it_is_its_own(tmp_path, second):
    shop = Shop()
    bought(shop, tmp_path)

    assert bought(shop, tmp_path, second).in_the_way == ()


def test_a_key_that_nobody_wrote_down_is_any_of_the_stack(tmp_path):
    shop = Shop()
    bought(shop, tmp_path, order(block=None))

    assert bought(shop, tmp_path, order()).in_the_way == ()
