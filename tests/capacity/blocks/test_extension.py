"""An extension: what is looked at before it is bought, and that it is bought once."""

import contextlib
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from botocore.exceptions import ReadTimeoutError

from eks_accelerators.capacity.aws_calls import Aws
from eks_accelerators.capacity.blocks import ledger as ledgers
from eks_accelerators.capacity.blocks.errors import NotBoughtError
from eks_accelerators.capacity.blocks.extension import Extended, prepare_extension
from eks_accelerators.capacity.blocks.ledger import Ledger, LedgerError, PurchaseOutcome
from eks_accelerators.capacity.blocks.spending import spend
from tests.capacity.blocks.offers import NOW, START
from tests.capacity.blocks.shop import EXTENSION, Shop, reservation
from tests.capacity.fakes import refusal

CR, OFFER = "cr-00000000000000001", "cbe-1"
END = START + timedelta(days=3)
UNTIL = END + timedelta(days=2)


def offered(**changes):
    return {
        "CapacityBlockExtensionOfferingId": OFFER,
        "InstanceType": "p5.48xlarge",
        "InstanceCount": 4,
        "CapacityBlockExtensionStartDate": END,
        "CapacityBlockExtensionEndDate": END + timedelta(days=2),
        "CapacityBlockExtensionDurationHours": 48,
        "UpfrontFee": "7397.38",
        "CurrencyCode": "USD",
        **changes,
    }


@dataclass
class Extending:
    """A shop that extends its one block as often as it is paid for it: from its end on, by what is asked."""

    offers: list[dict[str, Any]] | None = None
    block: dict[str, Any] = field(default_factory=dict)
    fault: BaseException | None = None
    """What comes back of a purchase that is made."""
    paid: bool = True
    quota: float = 1536
    history: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.held = reservation(CR, **{"State": "active", "TotalInstanceCount": 4, **self.block})
        self.shop = Shop(reservations=[self.held], quota=self.quota, extensions=self.history)
        self.shop.faults["ec2.describe_capacity_block_extension_offerings"] = self._on_sale
        self.shop.faults[EXTENSION] = self._sell

    @property
    def purchases(self) -> int:
        return self.shop.purchases

    def get(self, service: str, region: str) -> Any:
        return self.shop.get(service, region)

    def _on_sale(self, asked):
        hours = asked["CapacityBlockExtensionDurationHours"]
        end = self.held["EndDate"]
        one = offered(
            CapacityBlockExtensionOfferingId=f"cbe-{self.purchases + 1}",
            CapacityBlockExtensionStartDate=end,
            CapacityBlockExtensionEndDate=end + timedelta(hours=hours),
            CapacityBlockExtensionDurationHours=hours,
        )
        return {"CapacityBlockExtensionOfferings": [one] if self.offers is None else self.offers}

    def _sell(self, asked):
        if asked.get("DryRun"):
            return refusal("DryRunOperation", status=412)
        self.shop.purchases += 1
        start, end = self.held["EndDate"], self.held["EndDate"] + timedelta(days=2)
        bought = extension(
            CapacityBlockExtensionOfferingId=asked["CapacityBlockExtensionOfferingId"],
            CapacityBlockExtensionStatus="payment-succeeded" if self.paid else "payment-pending",
            CapacityBlockExtensionStartDate=start,
            CapacityBlockExtensionEndDate=end,
        )
        self.history.append(bought)
        if self.paid:
            self.held["EndDate"] = end
        if self.fault:
            raise self.fault
        return {"CapacityBlockExtensions": [bought]}


def shop(offers=None, block=None, fault=None, **more):
    return Extending(offers, block or {}, fault, **more)


def extension(**changes):
    """An extension that was bought, as EC2 has it in the history."""
    return {
        "CapacityReservationId": CR,
        "CapacityBlockExtensionOfferingId": OFFER,
        "CapacityBlockExtensionStatus": "payment-pending",
        "CapacityBlockExtensionStartDate": END,
        "CapacityBlockExtensionEndDate": UNTIL,
        **changes,
    }


def extended(at, folder, *, until=UNTIL, ceiling="8000", now=NOW):
    with Aws(at) as aws, ledgers.alone(folder) as ledger:
        ready = prepare_extension(aws, ledger, "us-east-2", CR, until, Decimal(ceiling), now)
        if isinstance(ready, Extended):
            return ready
        return spend(at, aws, ledger, ready[1], now, lambda _seconds: None)


def test_a_block_is_extended(tmp_path):
    at = shop()

    attempt = extended(at, tmp_path)

    assert (attempt.outcome, attempt.reservation, at.purchases) == (PurchaseOutcome.BOUGHT, CR, 1)
    assert attempt.what == f"{CR} from 2026-12-04 11:30 to 2026-12-06 11:30 UTC, for 7397.38 USD"


@pytest.mark.parametrize(
    ("at", "changes", "reason"),
    [
        pytest.param(
            shop(offers=[]), {}, "no extension of cr-00000000000000001 until 2026-12-06 11:30 UTC is on sale", id="none"
        ),
        pytest.param(shop(), {"ceiling": "7397.37"}, "costs 7397.38 USD, above the limit of 7397.37 USD", id="dear"),
        pytest.param(shop(offers=[offered(CurrencyCode="CNY")]), {}, "is priced in CNY", id="another-currency"),
        pytest.param(
            shop(offers=[offered(CapacityBlockExtensionStartDate=END + timedelta(days=1))]),
            {},
            "the extension begins 2026-12-05 11:30 UTC, the block ends 2026-12-04 11:30 UTC",
            id="not-at-its-end",
        ),
        pytest.param(
            shop(offers=[offered(CapacityBlockExtensionEndDate=END + timedelta(days=3))]),
            {},
            "the extension ends 2026-12-07 11:30 UTC, and not 2026-12-06 11:30 UTC",
            id="another-end",
        ),
        pytest.param(shop(), {"until": END + timedelta(hours=30)}, "no extension lasts 30 hours", id="no-such-length"),
        pytest.param(
            shop(), {"until": END + timedelta(minutes=90)}, "an extension lasts whole days", id="no-whole-hours"
        ),
        pytest.param(
            shop(), {"until": END + timedelta(days=182)}, "would last longer than 182 days", id="too-long-in-all"
        ),
        pytest.param(shop(), {"now": END - timedelta(minutes=59)}, "can be extended from 2026-10-09", id="too-late"),
        pytest.param(shop(block={"State": "expired"}), {}, "is expired", id="over"),
        pytest.param(shop(quota=767), {}, "allows 767 vCPUs", id="quota"),
        pytest.param(Shop(), {}, "there is no Capacity Block cr-00000000000000001 in us-east-2", id="no-such-block"),
        pytest.param(
            shop(history=[extension(CapacityBlockExtensionEndDate=END + timedelta(days=1))]),
            {},
            "has an extension that is not paid yet",
            id="one-is-pending",
        ),
    ],
)
def test_refused(tmp_path, at, changes, reason):
    with pytest.raises(NotBoughtError, match=reason.replace("(", r"\(")):
        extended(at, tmp_path, **changes)

    assert (at.purchases, ledgers.attempts(tmp_path)) == (0, [])


class Killed(BaseException):
    """The process ends here."""


def killed_before_the_call(at, folder, monkeypatch):
    at.shop.faults[EXTENSION] = lambda asked: dies() if not asked.get("DryRun") else at._sell(asked)
    run_into_death(at, folder)
    at.shop.faults[EXTENSION] = at._sell


def killed_after_the_call(at, folder, monkeypatch):
    at.fault = Killed()
    run_into_death(at, folder)
    at.fault = None


def killed_before_the_answer_is_written_down(at, folder, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(Ledger, "settle", dies)
        run_into_death(at, folder)


def killed_when_all_is_written_down(at, folder, monkeypatch):
    extended(at, folder)


def its_answer_is_lost(at, folder, monkeypatch):
    at.fault = ReadTimeoutError(endpoint_url="https://ec2")
    attempt = extended(at, folder)
    assert (attempt.outcome, attempt.reservation) == (PurchaseOutcome.BOUGHT, CR)
    at.fault = None


def dies(*_, **__):
    raise Killed


def run_into_death(at, folder):
    with pytest.raises(Killed):
        extended(at, folder)


BROKEN_OFF = [
    killed_before_the_call,
    killed_after_the_call,
    killed_before_the_answer_is_written_down,
    killed_when_all_is_written_down,
    its_answer_is_lost,
]


@pytest.mark.parametrize("paid", [True, False], ids=["paid-at-once", "paid-later"])
@pytest.mark.parametrize("broken_off", BROKEN_OFF)
def test_wherever_it_broke_off_the_same_command_again_buys_no_second_one(tmp_path, monkeypatch, broken_off, paid):
    """Where the first was made, the next extension is on sale by then, from the new end on."""
    at = shop(paid=paid)
    broken_off(at, tmp_path, monkeypatch)
    made = at.purchases
    assert made == (broken_off is not killed_before_the_call)

    for _ in range(3):
        with contextlib.suppress(NotBoughtError):
            assert isinstance(extended(at, tmp_path), Extended)
    assert at.purchases == made


@pytest.mark.parametrize("paid", [True, False], ids=["paid-at-once", "paid-later"])
@pytest.mark.parametrize("broken_off", BROKEN_OFF[1:])
def test_another_machine_finds_it_in_the_history(tmp_path, monkeypatch, broken_off, paid):
    at = shop(paid=paid)
    broken_off(at, tmp_path / "mine", monkeypatch)

    with pytest.raises(NotBoughtError, match=f"{CR} is extended until 2026-12-06 11:30 UTC already"):
        extended(at, tmp_path / "yours")
    assert at.purchases == 1


@pytest.mark.parametrize("broken_off", [killed_after_the_call, killed_before_the_answer_is_written_down])
def test_a_run_that_finds_its_own_lost_extension_says_so_and_stops(tmp_path, monkeypatch, broken_off):
    at = shop()
    broken_off(at, tmp_path, monkeypatch)

    found = extended(at, tmp_path)

    assert isinstance(found, Extended)
    assert (found.attempt.outcome, found.attempt.extends, at.purchases) == (PurchaseOutcome.BOUGHT, CR, 1)
    with pytest.raises(NotBoughtError, match=f"{CR} is extended until 2026-12-06 11:30 UTC already"):
        extended(at, tmp_path)


def test_a_lost_extension_is_told_before_a_longer_one_is_bought(tmp_path, monkeypatch):
    at, later = shop(), UNTIL + timedelta(days=2)
    killed_after_the_call(at, tmp_path, monkeypatch)

    with pytest.raises(NotBoughtError, match=f"whose answer was lost was made, as {CR}: {CR} from 2026-12-04 11:30 to"):
        extended(at, tmp_path, until=later)
    assert at.purchases == 1

    assert extended(at, tmp_path, until=later).outcome is PurchaseOutcome.BOUGHT
    assert at.purchases == 2


def test_what_the_ledger_alone_knows_is_not_bought_again(tmp_path):
    at = shop()
    extended(at, tmp_path)
    at.history.clear()
    at.held["EndDate"] = END

    with pytest.raises(NotBoughtError, match="is extended until 2026-12-06 11:30 UTC already"):
        extended(at, tmp_path)
    assert at.purchases == 1


def test_one_that_was_never_paid_may_be_bought_again(tmp_path):
    at = shop(paid=False)
    extended(at, tmp_path)
    at.history[0]["CapacityBlockExtensionStatus"] = "payment-failed"

    assert extended(at, tmp_path).outcome is PurchaseOutcome.BOUGHT
    assert at.purchases == 2


def test_two_at_once(tmp_path):
    at = shop()
    with ledgers.alone(tmp_path), pytest.raises(LedgerError, match="another purchase is being made"):
        extended(at, tmp_path)
    assert at.purchases == 0


def test_an_unclear_extension_stops_every_purchase(tmp_path):
    at = shop(fault=ReadTimeoutError(endpoint_url="https://ec2"))
    at.shop.faults["ec2.describe_capacity_block_extension_history"] = {"CapacityBlockExtensions": []}
    assert extended(at, tmp_path).outcome is PurchaseOutcome.UNCLEAR

    with pytest.raises(NotBoughtError, match="has no known outcome"):
        extended(at, tmp_path)
    assert at.purchases == 1
