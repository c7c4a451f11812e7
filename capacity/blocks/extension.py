"""An extension of a Capacity Block: what is on sale, and everything that is looked at before it is bought."""

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from pydantic import AwareDatetime

from accelerators.block_extensions import CLOSES, MAXIMUM_HOURS, OPENS
from accelerators.capacity_blocks import DURATION_RULE, USABLE_STATES, duration_allowed
from capacity.asking import Aws, Call
from capacity.asking.call import PascalCase
from capacity.blocks.held import Held, held
from capacity.blocks.ledger import Ledger
from capacity.blocks.offering import Fee
from capacity.blocks.purchase import unclear_line
from capacity.blocks.quota import quota_problems
from capacity.blocks.spending import RefusedError, Spending, caller_account, dry_run, history_call, settle_open


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

    block: Held
    offerings: tuple[ExtensionOffering, ...]


def extensions(aws: Aws, region: str, reservation: str, hours: int, now: datetime) -> Extensible:
    """What is on sale for the block. Raises `RefusedError` where it cannot be extended by so many hours."""
    block = next((each for each in held(aws, region) if each.id == reservation), None)
    if block is None:
        raise RefusedError([f"there is no Capacity Block {reservation} in {region}"])
    history = aws.ask_anew(history_call(region, reservation)).value
    pending = [each for each in history if each.capacity_block_extension_status == "payment-pending"]
    if problems := [
        *_block_problems(block, hours, now),
        *(f"{reservation} has an extension that is not paid yet" for _ in pending),
    ]:
        raise RefusedError(problems)
    parameters = {"CapacityReservationId": reservation, "CapacityBlockExtensionDurationHours": hours}
    operation = "describe_capacity_block_extension_offerings"
    call = Call("ec2", operation, region, "CapacityBlockExtensionOfferings", list[ExtensionOffering], parameters)
    return Extensible(block, tuple(sorted(aws.ask_anew(call).value, key=lambda offer: offer.upfront_fee)))


def prepare_extension(
    aws: Aws, ledger: Ledger, region: str, reservation: str, hours: int, ceiling: Decimal, now: datetime
) -> tuple[ExtensionOffering, Spending]:
    """Look at everything before an extension is bought. Raises `RefusedError`, or `UnansweredError` where AWS is silent."""
    account = caller_account(aws, region)
    if still_open := settle_open(aws, ledger, account):
        raise RefusedError([unclear_line(attempt) for attempt in still_open])
    found = extensions(aws, region, reservation, hours, now)
    if not found.offerings:
        raise RefusedError([f"no extension of {reservation} by {hours // 24} days is on sale"])
    offer, block = found.offerings[0], found.block
    begins, ends = offer.capacity_block_extension_start_date, offer.capacity_block_extension_end_date
    others = [each for each in held(aws, region) if each.id != block.id]
    problems = quota_problems(aws, offer.instance_type, offer.instance_count, begins, ends, others, region)
    if offer.currency_code != "USD":
        problems.append(f"the extension is priced in {offer.currency_code}; only USD is bought here")
    elif offer.upfront_fee > ceiling:
        problems.append(f"the extension costs {offer.upfront_fee} USD, above the limit of {ceiling} USD")
    if begins != block.end:
        problems.append(
            f"the extension begins {begins:%Y-%m-%d %H:%M} UTC, the block ends {block.end:%Y-%m-%d %H:%M} UTC"
        )
    if problems:
        raise RefusedError(problems)
    spending = Spending(
        operation="purchase_capacity_block_extension",
        parameters={
            "CapacityBlockExtensionOfferingId": offer.capacity_block_extension_offering_id,
            "CapacityReservationId": reservation,
        },
        account=account,
        region=region,
        request=hashlib.sha256(f"{account}\n{reservation}\n{block.end.isoformat()}".encode()).hexdigest()[:24],
        offering=offer.capacity_block_extension_offering_id,
        what=f"{reservation} from {begins:%Y-%m-%d %H:%M} to {ends:%Y-%m-%d %H:%M} UTC, for {offer.upfront_fee} USD",
        extends=reservation,
    )
    dry_run(aws, spending)
    return offer, spending


def _block_problems(block: Held, hours: int, now: datetime) -> list[str]:
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
