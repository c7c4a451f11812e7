"""The purchase matrix: wherever it breaks, nothing is bought twice, and no ID is lost_purchases."""

import re
from datetime import timedelta

import pytest
from botocore.exceptions import ConnectionClosedError, EndpointConnectionError, NoCredentialsError, ReadTimeoutError
from botocore.parsers import ResponseParserError

from eks_accelerators.accelerators.iam_actions import blocks_policy
from eks_accelerators.capacity.aws_calls import Aws, Call
from eks_accelerators.capacity.blocks import ledger as ledgers
from eks_accelerators.capacity.blocks import lost_purchases
from eks_accelerators.capacity.blocks.errors import NotBoughtError
from eks_accelerators.capacity.blocks.ledger import Ledger, LedgerError, PurchaseOutcome
from eks_accelerators.capacity.blocks.purchase import AlreadyBought
from tests.capacity.blocks.offers import NOW, OFFER, answer
from tests.capacity.blocks.shop import BOUGHT, PURCHASE, Shop, bought, order
from tests.capacity.fakes import refusal
from tests.docs.pages import ROOT

HOUR = timedelta(hours=1)


class Killed(BaseException):
    """The process ends here."""


def outcomes(folder):
    return [attempt.outcome for attempt in ledgers.attempts(folder)]


def unsold(fault):
    """A purchase that fails and was not made; its dry run is fine."""

    def reply(parameters):
        if parameters.get("DryRun"):
            return refusal("DryRunOperation", status=412)
        if isinstance(fault, Killed):
            raise fault
        return fault

    return Shop(faults={PURCHASE: reply})


def test_killed_before_the_call(tmp_path):
    shop = unsold(Killed())
    with pytest.raises(Killed):
        bought(shop, tmp_path)
    assert outcomes(tmp_path) == [PurchaseOutcome.INTENDED]

    shop.faults.clear()
    with pytest.raises(NotBoughtError, match="has no known outcome"):
        bought(shop, tmp_path)
    assert shop.purchases == 0


def test_killed_after_the_call_and_before_its_answer(tmp_path):
    shop = Shop(lost=Killed())
    with pytest.raises(Killed):
        bought(shop, tmp_path)
    assert outcomes(tmp_path) == [PurchaseOutcome.INTENDED]

    again = bought(shop, tmp_path)

    assert isinstance(again, AlreadyBought)
    assert (again.reservation, shop.purchases, outcomes(tmp_path)) == (BOUGHT, 1, [PurchaseOutcome.BOUGHT])


def test_killed_after_the_answer_and_before_it_was_written_down(tmp_path, monkeypatch):
    shop = Shop()

    def die(*_, **__):
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(Ledger, "settle", die)
        with pytest.raises(Killed):
            bought(shop, tmp_path)

    again = bought(shop, tmp_path)

    assert (again.reservation, again.attempt.offering, shop.purchases) == (BOUGHT, OFFER, 1)


def test_killed_after_it_was_written_down_and_before_the_stack_file_was(tmp_path):
    shop = Shop()
    bought(shop, tmp_path)

    again = bought(shop, tmp_path)

    assert (again.reservation, again.attempt.written, shop.purchases) == (BOUGHT, False, 1)


def test_a_disk_that_is_full_after_the_answer_loses_no_id(tmp_path, monkeypatch):
    shop = Shop()

    def full(*_, **__):
        raise LedgerError("no space left")

    with monkeypatch.context() as patched:
        patched.setattr(Ledger, "settle", full)
        attempt = bought(shop, tmp_path)

    assert (attempt.outcome, attempt.reservation) == (PurchaseOutcome.BOUGHT, BOUGHT)
    assert bought(shop, tmp_path).reservation == BOUGHT
    assert shop.purchases == 1


def test_a_disk_that_is_full_before_the_call_buys_nothing(tmp_path, monkeypatch):
    shop = Shop()

    def full(*_, **__):
        raise LedgerError("no space left")

    monkeypatch.setattr(Ledger, "intend", full)
    with pytest.raises(LedgerError):
        bought(shop, tmp_path)
    assert shop.purchases == 0


UNCLEAR = {
    "time-out": ReadTimeoutError(endpoint_url="https://ec2"),
    "reset": ConnectionClosedError(endpoint_url="https://ec2"),
    "500": refusal("InternalError", status=500),
    "503": refusal("Unavailable", status=503),
    "garbage": ResponseParserError("<html>"),
    "a-page-of-a-proxy": refusal("404", status=404),
    "a-surprise": ZeroDivisionError(),
}


@pytest.mark.parametrize("fault", UNCLEAR.values(), ids=UNCLEAR)
def test_an_answer_that_was_lost_is_found_in_aws(tmp_path, fault):
    shop = Shop(lost=fault)

    attempt = bought(shop, tmp_path)

    assert (attempt.outcome, attempt.reservation, shop.purchases) == (PurchaseOutcome.BOUGHT, BOUGHT, 1)


def test_an_answer_without_an_id_is_found_in_aws(tmp_path):
    shop = Shop(lost={})

    assert bought(shop, tmp_path).reservation == BOUGHT


@pytest.mark.parametrize("fault", UNCLEAR.values(), ids=UNCLEAR)
def test_what_aws_does_not_show_stays_unclear_and_nothing_else_is_bought(tmp_path, fault):
    shop = unsold(fault)

    attempt = bought(shop, tmp_path)
    assert attempt.outcome is PurchaseOutcome.UNCLEAR

    shop.faults.clear()
    shop.offers.append(answer("cb-0fffffffffffffff0"))
    for another in (order(), order(offering="cb-0fffffffffffffff0", shown=None, stack=None, block=None)):
        with pytest.raises(NotBoughtError, match=f"say so with: accel blocks clear {OFFER}"):
            bought(shop, tmp_path, another)
    assert shop.purchases == 0


def test_what_shows_late_is_found_by_the_next_run(tmp_path):
    shop = Shop(lost=ReadTimeoutError(endpoint_url="https://ec2"))
    shop.faults["ec2.describe_capacity_reservations"] = lambda _: {"CapacityReservations": []}
    assert bought(shop, tmp_path).outcome is PurchaseOutcome.UNCLEAR

    shop.faults.clear()

    assert bought(shop, tmp_path).reservation == BOUGHT
    assert (shop.purchases, outcomes(tmp_path)) == (1, [PurchaseOutcome.BOUGHT])


def test_where_aws_cannot_be_asked_afterwards_it_stays_unclear(tmp_path):
    shop = Shop(lost=ReadTimeoutError(endpoint_url="https://ec2"))
    answers = iter([{"CapacityReservations": []}])
    shop.faults["ec2.describe_capacity_reservations"] = lambda _: next(answers, refusal("Unavailable", status=503))

    assert bought(shop, tmp_path).outcome is PurchaseOutcome.UNCLEAR


REFUSED = {
    "denied": refusal("UnauthorizedOperation", status=403),
    "throttled": refusal("RequestLimitExceeded", status=400),
    "expired": refusal("ExpiredToken", status=400),
    "sold": refusal("InvalidCapacityBlockOfferingId.NotFound", status=400),
    "no-connection": EndpointConnectionError(endpoint_url="https://ec2"),
    "no-credentials": NoCredentialsError(),
}


@pytest.mark.parametrize("fault", REFUSED.values(), ids=REFUSED)
def test_a_no_is_a_no_and_the_next_run_may_buy(tmp_path, fault):
    shop = unsold(fault)
    attempt = bought(shop, tmp_path)
    assert attempt.outcome is PurchaseOutcome.REFUSED
    assert attempt.note

    shop.faults.clear()

    assert bought(shop, tmp_path).outcome is PurchaseOutcome.BOUGHT
    assert outcomes(tmp_path) == [PurchaseOutcome.REFUSED, PurchaseOutcome.BOUGHT]


def test_a_lost_purchase_that_shows_is_told_before_another_is_made(tmp_path):
    shop = Shop(lost=Killed())
    with pytest.raises(Killed):
        bought(shop, tmp_path)
    shop.lost = None
    shop.offers.append(answer("cb-0fffffffffffffff0", StartDate=NOW + timedelta(days=20)))
    another = order(offering="cb-0fffffffffffffff0", shown=None, block="next")

    with pytest.raises(
        NotBoughtError, match=f"answer was lost was made, as {BOUGHT}, for capacityBlocks.training of the"
    ):
        bought(shop, tmp_path, another)
    assert shop.purchases == 1

    assert bought(shop, tmp_path, another).outcome is PurchaseOutcome.BOUGHT


def test_two_at_once(tmp_path):
    with ledgers.alone(tmp_path), pytest.raises(LedgerError, match="another purchase is being made"):
        bought(Shop(), tmp_path)


def cleared(shop, folder, now):
    with Aws(shop) as aws, ledgers.alone(folder) as ledger:
        (attempt,) = [each for each in ledger.attempts() if each.outcome.is_open]
        return lost_purchases.clear(aws, ledger, attempt, now)


def test_the_user_may_say_that_nothing_was_bought_when_aws_has_shown_nothing_for_an_hour(tmp_path):
    shop = unsold(UNCLEAR["time-out"])
    bought(shop, tmp_path)
    with pytest.raises(NotBoughtError, match="Clear it after 2026-11-20 13:00 UTC"):
        cleared(shop, tmp_path, NOW + HOUR - timedelta(seconds=1))

    assert cleared(shop, tmp_path, NOW + HOUR).outcome is PurchaseOutcome.CLEARED

    shop.faults.clear()
    assert bought(shop, tmp_path).outcome is PurchaseOutcome.BOUGHT


def test_the_user_may_not_say_so_where_aws_shows_it(tmp_path):
    shop = Shop(lost=Killed())
    with pytest.raises(Killed):
        bought(shop, tmp_path)

    with pytest.raises(NotBoughtError, match=f"it was bought, as {BOUGHT}"):
        cleared(shop, tmp_path, NOW + HOUR)
    assert outcomes(tmp_path) == [PurchaseOutcome.BOUGHT]


ASKED_BESIDE = ("eks_accelerators/capacity/service_quotas.py", "eks_accelerators/capacity/aws_calls/identity.py")


def test_the_policy_of_blocks_allows_their_operations_and_no_more():
    """Tags on a purchase take `ec2:CreateTags` besides."""
    files = [*(ROOT / "eks_accelerators" / "capacity" / "blocks").glob("*.py"), *map(ROOT.joinpath, ASKED_BESIDE)]
    named = {each for file in files for each in re.findall(r'"((?:describe|get|purchase)_[a-z_]+)"', file.read_text())}
    allowed = {action for each in blocks_policy()["Statement"] for action in each["Action"]}

    told = {Call("ec2", operation, "us-east-2", "", object).name.partition(":")[2] for operation in named}
    assert told | {"CreateTags"} == {action.partition(":")[2] for action in allowed}
