"""Everything that is looked at before a Capacity Block is bought. All of it reads; a doubt is a refusal."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

from eks_accelerators.accelerators.block_tags import BLOCK_TAG, OFFERING_TAG, REQUEST_TAG, STACK_TAG
from eks_accelerators.capacity.aws_calls import Aws, Call
from eks_accelerators.capacity.aws_calls.call import PascalCase
from eks_accelerators.capacity.blocks.account_reservations import AccountReservation, held
from eks_accelerators.capacity.blocks.errors import NotBoughtError
from eks_accelerators.capacity.blocks.ledger import Attempt, Ledger, PurchaseOutcome
from eks_accelerators.capacity.blocks.lost_purchases import FAILED, settle_open
from eks_accelerators.capacity.blocks.offering import Offering, offering_of
from eks_accelerators.capacity.blocks.owner import Owner, owner_of
from eks_accelerators.capacity.blocks.quota import quota_problems
from eks_accelerators.capacity.blocks.search import BlockRequirements
from eks_accelerators.capacity.blocks.spending import Spending, caller_account, dry_run

_WINDOW = timedelta(minutes=1)


@dataclass(frozen=True)
class Order:
    """What the user wants bought. ``shown`` is the offering as it was shown, where it was."""

    offering: str
    region: str
    wanted: BlockRequirements
    ceiling: Decimal
    shown: Offering | None = None
    stack: str | None = None
    block: str | None = None
    """Key under `capacityBlocks` that gets the ID."""
    purpose: str = ""
    """Tells apart two requests that are alike on purpose."""
    of_stack: Mapping[str, str] = field(default_factory=dict)
    """Reservations that the stack file names, by their keys."""
    suits: Callable[[Offering, str], list[str]] = lambda _offering, _zone_id: []
    """Why an offering, in the zone with that ID, does not suit the node group."""

    @property
    def current(self) -> str | None:
        """The reservation that the key names now."""
        return self.of_stack.get(self.block) if self.block else None


@dataclass(frozen=True)
class Ready:
    """A purchase that may be made."""

    offering: Offering
    spending: Spending


@dataclass(frozen=True)
class AlreadyBought:
    """There is a reservation of this request, or of this offering."""

    reservation: str
    attempt: Attempt | None
    in_the_way: tuple[str, ...] = ()
    """Why its ID must not be written into the stack file."""


class _Zone(PascalCase):
    zone_name: str
    zone_id: str


def prepare(aws: Aws, ledger: Ledger, order: Order) -> Ready | AlreadyBought:
    """Look at everything. Raises `NotBoughtError` with every reason, or `UnansweredError` where AWS does not say."""
    account = caller_account(aws, order.region)
    settled = settle_open(aws, ledger, account)
    blocks = held(aws, order.region)
    if bought := _bought_before(order, account, blocks, ledger):
        return _with_obstacles(bought, order, blocks)
    if settled:
        raise NotBoughtError(settled.lines)
    offering = look_up(aws, order)
    request = request_key(order, account, offering)
    if bought := _bought_as(request, blocks, ledger):
        return _with_obstacles(bought, order, blocks)
    zone_id = _zone_id(aws, offering)
    problems = [
        *_changes(order, offering),
        *_price_problems(order, offering),
        *quota_problems(
            aws, offering.instance_type, offering.instance_count, offering.start, offering.end, blocks, order.region
        ),
        *_overlaps(order, offering, blocks),
        *_current_in_use(order, blocks),
        *order.suits(offering, zone_id),
    ]
    if problems:
        raise NotBoughtError(problems)
    spending = _spending(order, account, offering, request)
    dry_run(aws, spending)
    return Ready(offering, spending)


def look_up(aws: Aws, order: Order) -> Offering:
    """The offering as it is on sale now; raises `NotBoughtError` where it is not."""
    wanted, start = order.wanted, order.shown.start if order.shown else None
    near = BlockRequirements(
        wanted.instance_type, wanted.instance_count, wanted.hours, start - _WINDOW if start else None
    )
    answers = aws.ask_anew(near.call(order.region)).value
    found = [offering_of(each, order.region, wanted.hours) for each in answers]
    offering = next((each for each in found if each.id == order.offering), None)
    if offering is None:
        raise NotBoughtError([f"{order.offering} is not on sale any more. Search again, and choose another"])
    return offering


def request_key(order: Order, account: str, offering: Offering) -> str:
    """The same for two requests for the same: whatever the ID and the price of the offering that serves them."""
    parts = (
        *(account, order.region, order.stack or "", order.block or "", order.purpose),
        *(offering.instance_type, offering.instance_count, order.wanted.hours, offering.start.isoformat()),
    )
    return hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()[:24]


def _bought_before(
    order: Order, account: str, blocks: Sequence[AccountReservation], ledger: Ledger
) -> AlreadyBought | None:
    """A purchase of this very offering."""
    for block in blocks:
        if block.tags.get(OFFERING_TAG) == order.offering and block.state not in FAILED:
            return AlreadyBought(block.id, _attempt_of(block.id, ledger))
    for attempt in ledger.attempts():
        same = (attempt.account, attempt.offering) == (account, order.offering) and not attempt.extends
        if same and attempt.outcome is PurchaseOutcome.BOUGHT and not _failed(attempt, blocks):
            return AlreadyBought(str(attempt.reservation), attempt)
    return None


def _bought_as(request: str, blocks: Sequence[AccountReservation], ledger: Ledger) -> AlreadyBought | None:
    """A purchase for the same request, by whatever offering."""
    for block in blocks:
        if block.tags.get(REQUEST_TAG) == request and block.state not in FAILED:
            return AlreadyBought(block.id, _attempt_of(block.id, ledger))
    for attempt in ledger.attempts():
        if attempt.request == request and attempt.outcome is PurchaseOutcome.BOUGHT and not _failed(attempt, blocks):
            return AlreadyBought(str(attempt.reservation), attempt)
    return None


def _with_obstacles(bought: AlreadyBought, order: Order, blocks: Sequence[AccountReservation]) -> AlreadyBought:
    others = [block for block in blocks if block.id != bought.reservation]
    return replace(bought, in_the_way=(*_owned_elsewhere(bought, order, blocks), *_current_in_use(order, others)))


def _owned_elsewhere(bought: AlreadyBought, order: Order, blocks: Sequence[AccountReservation]) -> list[str]:
    """Another stack, or another key, that has the block already."""
    if order.current == bought.reservation:
        return []
    named = next((key for key, each in order.of_stack.items() if each == bought.reservation), None)
    tags = next((block.tags for block in blocks if block.id == bought.reservation), {})
    owner = Owner(order.stack, named) if named else owner_of(tags, bought.attempt)
    if owner.may_be(order.stack, order.block):
        return []
    return [
        f"It was bought for {owner}, and one block serves one node group. Choose another offering; if the block is to "
        "move, write its ID into the stack file yourself."
    ]


def _attempt_of(reservation: str, ledger: Ledger) -> Attempt | None:
    return next((each for each in ledger.attempts() if each.reservation == reservation and not each.extends), None)


def _failed(attempt: Attempt, blocks: Sequence[AccountReservation]) -> bool:
    return any(block.id == attempt.reservation and block.state in FAILED for block in blocks)


def _changes(order: Order, offering: Offering) -> list[str]:
    """What is not as it was shown, or asked for."""
    if order.shown is None:
        return []
    differing = [
        field.name for field in fields(Offering) if getattr(order.shown, field.name) != getattr(offering, field.name)
    ]
    return [
        f"{offering.id} has changed: {name.replace('_', ' ')} was {getattr(order.shown, name)} and is "
        f"{getattr(offering, name)}. Search again"
        for name in differing
    ]


def _price_problems(order: Order, offering: Offering) -> list[str]:
    if offering.currency != "USD":
        return [f"{offering.id} is priced in {offering.currency}; only USD is bought here"]
    if offering.fee > order.ceiling:
        return [f"{offering.id} costs {offering.fee} USD, above the limit of {order.ceiling} USD"]
    if offering.segments > 1:
        return [f"{offering.id} comes in {offering.segments} segments, which a node group cannot use as one block"]
    return []


def _overlaps(order: Order, offering: Offering, blocks: Sequence[AccountReservation]) -> list[str]:
    return [
        f"the stack {order.stack} holds {block.id} already: {block.instance_type} from {block.start:%Y-%m-%d %H:%M} to "
        f"{block.end:%Y-%m-%d %H:%M} UTC, at the same time"
        for block in blocks
        if order.stack is not None
        and (block.id in order.of_stack.values() or block.tags.get(STACK_TAG) == order.stack)
        and block.instance_type == offering.instance_type
        and not block.is_over
        and block.overlaps(offering.start, offering.end)
    ]


def _current_in_use(order: Order, blocks: Sequence[AccountReservation]) -> list[str]:
    return [
        f"capacityBlocks.{order.block} names {block.id}, which is {block.state} until {block.end:%Y-%m-%d %H:%M} UTC. "
        "Name another key with --block"
        for block in blocks
        if block.id == order.current and not block.is_over
    ]


def _zone_id(aws: Aws, offering: Offering) -> str:
    call = Call("ec2", "describe_availability_zones", offering.region, "AvailabilityZones", list[_Zone])
    return next((zone.zone_id for zone in aws.ask(call).value if zone.zone_name == offering.zone), "")


def _spending(order: Order, account: str, offering: Offering, request: str) -> Spending:
    named = {OFFERING_TAG: offering.id, REQUEST_TAG: request, STACK_TAG: order.stack, BLOCK_TAG: order.block}
    tags = {key: value for key, value in named.items() if value}
    specification: dict[str, Any] = {
        "ResourceType": "capacity-reservation",
        "Tags": [{"Key": key, "Value": value} for key, value in tags.items()],
    }
    return Spending(
        operation="purchase_capacity_block",
        parameters={
            "CapacityBlockOfferingId": offering.id,
            "InstancePlatform": "Linux/UNIX",
            "TagSpecifications": [specification],
        },
        account=account,
        region=order.region,
        request=request,
        offering=offering.id,
        what=(
            f"{offering.instance_count} x {offering.instance_type} in {offering.zone}, {offering.start:%Y-%m-%d %H:%M} to "
            f"{offering.end:%Y-%m-%d %H:%M} UTC, for {offering.fee} USD"
        ),
        stack=order.stack,
        block=order.block,
    )
