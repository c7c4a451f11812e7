"""An extension of a Capacity Block: what is on sale, and everything that is looked at before it is bought."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from pydantic import AwareDatetime

from eks_accelerators.accelerators.block_extensions import CLOSES, MAXIMUM_HOURS, OPENS
from eks_accelerators.accelerators.capacity_blocks import DURATION_RULE, USABLE_STATES, duration_allowed
from eks_accelerators.capacity.aws_calls import Aws, Call
from eks_accelerators.capacity.aws_calls.call import PascalCase
from eks_accelerators.capacity.blocks.account_reservations import AccountReservation, held
from eks_accelerators.capacity.blocks.errors import NotBoughtError
from eks_accelerators.capacity.blocks.ledger import Attempt, Ledger, PurchaseOutcome
from eks_accelerators.capacity.blocks.lost_purchases import BoughtExtension, history_call, settle_open
from eks_accelerators.capacity.blocks.offering import Fee
from eks_accelerators.capacity.blocks.quota import quota_problems
from eks_accelerators.capacity.blocks.spending import Spending, caller_account, dry_run


class ExtensionOffering(PascalCase):
    """An extension on sale, as EC2 answers it."""

    capacity_block_extension_offering_id: str
    instance_type: str
    instance_count: int
    capacity_block_extension_start_date: AwareDatetime
    capacity_block_extension_end_date: AwareDatetime
    capacity_block_extension_duration_hours: int
    upfront_fee: Fee
    currency_code: str

    @property
    def per_instance_hour(self) -> Decimal:
        """The fee by instance and hour."""
        return self.upfront_fee / (self.instance_count * self.capacity_block_extension_duration_hours)


@dataclass(frozen=True)
class Extensible:
    """A block, and its extensions on sale."""

    block: AccountReservation
    offerings: tuple[ExtensionOffering, ...]


@dataclass(frozen=True)
class Extended:
    """An extension that a run has bought whose answer was lost: the very one that is wanted."""

    attempt: Attempt


def extensions(aws: Aws, region: str, reservation: str, hours: int, now: datetime) -> Extensible:
    """What is on sale for the block. Raises `NotBoughtError` where it cannot be extended by so many hours."""
    block = _block(aws, region, reservation)
    history = aws.ask_anew(history_call(region, reservation)).value
    pending = [each for each in history if each.capacity_block_extension_status == "payment-pending"]
    if problems := [
        *_block_problems(block, hours, now),
        *(f"{reservation} has an extension that is not paid yet" for _ in pending),
    ]:
        raise NotBoughtError(problems)
    parameters = {"CapacityReservationId": reservation, "CapacityBlockExtensionDurationHours": hours}
    operation = "describe_capacity_block_extension_offerings"
    call = Call("ec2", operation, region, "CapacityBlockExtensionOfferings", list[ExtensionOffering], parameters)
    return Extensible(block, tuple(sorted(aws.ask_anew(call).value, key=lambda offer: offer.upfront_fee)))


def prepare_extension(
    aws: Aws, ledger: Ledger, region: str, reservation: str, until: datetime, ceiling: Decimal, now: datetime
) -> tuple[ExtensionOffering, Spending] | Extended:
    """Look at everything before the block is made to end at ``until``, in UTC.

    The end is a part of the request: whoever asks for the same end again gets no second extension. Raises `NotBoughtError`, or
    `UnansweredError` where AWS is silent.
    """
    account = caller_account(aws, region)
    request = hashlib.sha256(f"{account}\n{reservation}\n{until.isoformat()}".encode()).hexdigest()[:24]
    if settled := settle_open(aws, ledger, account):
        if mine := next((attempt for attempt in settled.found if attempt.request == request), None):
            return Extended(mine)
        raise NotBoughtError(settled.lines)
    hours = _hours(aws, ledger, region, reservation, until, request)
    found = extensions(aws, region, reservation, hours, now)
    if not found.offerings:
        raise NotBoughtError([f"no extension of {reservation} until {until:%Y-%m-%d %H:%M} UTC is on sale"])
    offer, block = found.offerings[0], found.block
    begins, ends = offer.capacity_block_extension_start_date, offer.capacity_block_extension_end_date
    others = [each for each in held(aws, region) if each.id != block.id]
    problems = quota_problems(aws, offer.instance_type, offer.instance_count, begins, ends, others, region)
    problems += _offer_problems(offer, block.end, until, ceiling)
    if problems:
        raise NotBoughtError(problems)
    spending = Spending(
        operation="purchase_capacity_block_extension",
        parameters={
            "CapacityBlockExtensionOfferingId": offer.capacity_block_extension_offering_id,
            "CapacityReservationId": reservation,
        },
        account=account,
        region=region,
        request=request,
        offering=offer.capacity_block_extension_offering_id,
        what=f"{reservation} from {begins:%Y-%m-%d %H:%M} to {ends:%Y-%m-%d %H:%M} UTC, for {offer.upfront_fee} USD",
        extends=reservation,
    )
    dry_run(aws, spending)
    return offer, spending


def _offer_problems(offer: ExtensionOffering, block_ends: datetime, until: datetime, ceiling: Decimal) -> Iterator[str]:
    """What is wrong with the price of an extension, or with its time."""
    begins, ends = offer.capacity_block_extension_start_date, offer.capacity_block_extension_end_date
    if offer.currency_code != "USD":
        yield f"the extension is priced in {offer.currency_code}; only USD is bought here"
    elif offer.upfront_fee > ceiling:
        yield f"the extension costs {offer.upfront_fee} USD, above the limit of {ceiling} USD"
    if begins != block_ends:
        yield f"the extension begins {begins:%Y-%m-%d %H:%M} UTC, the block ends {block_ends:%Y-%m-%d %H:%M} UTC"
    if ends != until:
        yield f"the extension ends {ends:%Y-%m-%d %H:%M} UTC, and not {until:%Y-%m-%d %H:%M} UTC"


def _block(aws: Aws, region: str, reservation: str) -> AccountReservation:
    block = next((each for each in held(aws, region) if each.id == reservation), None)
    if block is None:
        raise NotBoughtError([f"there is no Capacity Block {reservation} in {region}"])
    return block


def _hours(aws: Aws, ledger: Ledger, region: str, reservation: str, until: datetime, request: str) -> int:
    """By how many hours the block is to be extended. Raises `NotBoughtError` where it was already, as AWS or the ledger says."""
    block = _block(aws, region, reservation)
    history = aws.ask_anew(history_call(region, reservation)).value
    if until <= block.end or _is_bought(history, ledger, until, request):
        raise NotBoughtError([f"{reservation} is extended until {max(until, block.end):%Y-%m-%d %H:%M} UTC already"])
    hours, rest = divmod(until - block.end, timedelta(hours=1))
    if rest:
        raise NotBoughtError(
            [f"{reservation} ends {block.end:%Y-%m-%d %H:%M} UTC; an extension lasts whole days: {DURATION_RULE}"]
        )
    return hours


def _is_bought(history: list[BoughtExtension], ledger: Ledger, until: datetime, request: str) -> bool:
    """Whether that end was paid for, even if the block does not have it yet: by AWS's history, or by the ledger alone."""
    if any(each.capacity_block_extension_end_date == until and not each.failed for each in history):
        return True
    unpaid = {each.capacity_block_extension_offering_id for each in history if each.failed}
    return any(
        attempt.request == request and attempt.outcome is PurchaseOutcome.BOUGHT and attempt.offering not in unpaid
        for attempt in ledger.attempts()
    )


def _block_problems(block: AccountReservation, hours: int, now: datetime) -> list[str]:
    if block.state not in USABLE_STATES:
        return [f"{block.id} is {block.state}; a block can be extended while it is {' or '.join(USABLE_STATES)}"]
    problems = []
    if not duration_allowed(hours):
        problems.append(f"no extension lasts {hours} hours: {DURATION_RULE}")
    if block.end - block.start + timedelta(hours=hours) > timedelta(hours=MAXIMUM_HOURS):
        problems.append(f"{block.id} would last longer than {MAXIMUM_HOURS // 24} days")
    if not block.end - OPENS <= now <= block.end - CLOSES:
        problems.append(
            f"{block.id} can be extended from {block.end - OPENS:%Y-%m-%d %H:%M} to {block.end - CLOSES:%Y-%m-%d %H:%M} UTC"
        )
    return problems
