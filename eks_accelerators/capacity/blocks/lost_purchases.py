"""Purchases whose answer was lost: looked up in AWS, told, and never made a second time."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from pydantic import AwareDatetime

from eks_accelerators.accelerators.block_tags import OFFERING_TAG, REQUEST_TAG
from eks_accelerators.capacity.aws_calls import Aws, Call
from eks_accelerators.capacity.aws_calls.call import PascalCase
from eks_accelerators.capacity.blocks.account_reservations import held
from eks_accelerators.capacity.blocks.errors import NotBoughtError
from eks_accelerators.capacity.blocks.ledger import Attempt, Ledger, PurchaseOutcome
from eks_accelerators.capacity.blocks.owner import Owner

CLEARABLE_AFTER = timedelta(hours=1)
"""From the attempt on, before which nobody may say that nothing was bought: AWS shows what was bought within minutes."""
FAILED = ("failed", "payment-failed", "cancelled")
"""States of a reservation that was never paid."""


class BoughtExtension(PascalCase):
    """An extension that was bought, as EC2 answers it."""

    capacity_block_extension_offering_id: str
    capacity_block_extension_status: str
    capacity_block_extension_end_date: AwareDatetime

    @property
    def failed(self) -> bool:
        """Whether it was never paid, so that the block ends as before."""
        return self.capacity_block_extension_status == "payment-failed"


@dataclass(frozen=True)
class Settled:
    """What became of attempts that had no known outcome. False where there were none."""

    found: tuple[Attempt, ...] = ()
    """Those that turned out to be bought."""
    still_open: tuple[Attempt, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.found or self.still_open)

    @property
    def lines(self) -> list[str]:
        """Why a run that finds them buys nothing."""
        return [*map(found_line, self.found), *map(unclear_line, self.still_open)]


def history_call(region: str, reservation: str) -> Call[list[BoughtExtension]]:
    """Extensions of a reservation that were bought."""
    parameters = {"CapacityReservationIds": [reservation]}
    operation = "describe_capacity_block_extension_history"
    return Call("ec2", operation, region, "CapacityBlockExtensions", list[BoughtExtension], parameters)


def settle_open(aws: Aws, ledger: Ledger, account: str) -> Settled:
    """Look up in AWS what became of attempts without an outcome; those stay open that AWS shows nothing of."""
    found, still = [], []
    for attempt in ledger.attempts():
        if attempt.outcome.is_open and attempt.account == account:
            if reservation := made(aws, attempt):
                found.append(
                    ledger.settle(attempt, PurchaseOutcome.BOUGHT, reservation=reservation, note="found in AWS")
                )
            else:
                still.append(attempt)
    return Settled(tuple(found), tuple(still))


def found_line(attempt: Attempt) -> str:
    """That a purchase whose answer was lost was made after all."""
    owner = f", for {Owner(attempt.stack, attempt.block)}" if attempt.stack else ""
    return (
        f"a purchase of {attempt.at:%Y-%m-%d %H:%M} UTC whose answer was lost was made, as {attempt.reservation}{owner}: "
        f"{attempt.what} ({attempt.offering}). Nothing was bought now; if this is wanted as well, run it again"
    )


def unclear_line(attempt: Attempt) -> str:
    """Why nothing can be bought before an attempt is settled."""
    return (
        f"a purchase of {attempt.at:%Y-%m-%d %H:%M} UTC has no known outcome: {attempt.what} ({attempt.offering}). "
        "AWS shows nothing of it yet. Nothing else is bought until it does; if the AWS console shows that nothing was "
        f"bought, say so with: accel blocks clear {attempt.offering}"
    )


def clear(aws: Aws, ledger: Ledger, attempt: Attempt, now: datetime) -> Attempt:
    """Take the user's word that nothing was bought. Raises `NotBoughtError` where it is too early, or AWS shows otherwise."""
    if not attempt.outcome.is_open:
        raise NotBoughtError([f"{attempt.what}: {attempt.outcome.value}; there is nothing to clear"])
    if reservation := made(aws, attempt):
        ledger.settle(attempt, PurchaseOutcome.BOUGHT, reservation=reservation, note="found in AWS")
        raise NotBoughtError([f"it was bought, as {reservation}: {attempt.what}"])
    if now < attempt.at + CLEARABLE_AFTER:
        raise NotBoughtError(
            [f"too early: AWS may still show it. Clear it after {attempt.at + CLEARABLE_AFTER:%Y-%m-%d %H:%M} UTC"]
        )
    return ledger.settle(attempt, PurchaseOutcome.CLEARED, note="by the user")


def made(aws: Aws, attempt: Attempt) -> str | None:
    """The reservation that the attempt has bought or extended, as AWS shows it now. Raises `UnansweredError`."""
    if attempt.extends:
        extensions = aws.ask_anew(history_call(attempt.region, attempt.extends)).value
        bought = {each.capacity_block_extension_offering_id for each in extensions if not each.failed}
        return attempt.extends if attempt.offering in bought else None
    return next(
        (
            block.id
            for block in held(aws, attempt.region)
            if block.state not in FAILED
            and (block.tags.get(REQUEST_TAG) == attempt.request or block.tags.get(OFFERING_TAG) == attempt.offering)
        ),
        None,
    )
