"""The purchase of a Capacity Block, guarded so that it happens once or not at all.

A block is paid at once and can be neither cancelled nor refunded; what looks like a harmless replacement
to an engine is a second purchase. The guards, from the outside in: the settings must repeat a sentence
that names offering and ceiling, a purchase whose start has passed is refused before anything is
registered, changes to the offering are ignored, the resource is protected and retained, and immediately
before a creation AWS is asked for the offering's price and for a purchase of it that was made already.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any, Protocol

import pulumi
import pulumi_aws as aws

from eks_accelerators.accelerators import clock
from eks_accelerators.accelerators.block_tags import BLOCK_TAG, OFFERING_TAG, STACK_TAG
from eks_accelerators.accelerators.capacity_blocks import LATEST_LEAD, duration_allowed, start_allowed
from eks_accelerators.components.arguments import CapacityBlockPurchaseArgs
from eks_accelerators.components.aws_provider import account_of_provider, provider_of
from eks_accelerators.components.base import Component
from eks_accelerators.components.validation import as_model
from eks_accelerators.settings.aws_provider import AwsProvider
from eks_accelerators.settings.model.capacity_blocks import Purchase, confirmation_sentence


class PurchaseRefusedError(pulumi.RunError):
    """The purchase must not be made; nothing was bought. Pulumi prints its words alone, and no traceback."""


@dataclass(frozen=True, slots=True)
class CapacityBlockPurchaseInputs:
    """The purchase as the settings have it, and where it is made."""

    purchase: Purchase
    region: str
    tags: dict[str, str] = field(default_factory=dict)


class CapacityBlockPurchase(Component[CapacityBlockPurchaseInputs]):
    """One purchase of one offering.

    Providers: AWS; boto3's default credentials for the questions before the purchase.

    Alone: Read `docs/capacity-blocks.md#buy-a-block-in-the-program` first. Not for programs that run unattended.
    """

    reservation_id: pulumi.Output[str]
    """ID of the reservation: write it into the settings, in place of the purchase."""

    def __init__(self, name: str, args: CapacityBlockPurchaseArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        inputs = CapacityBlockPurchaseInputs(as_model(Purchase, args), args["region"], args.get("tags", {}))
        self._create(name, inputs, opts)

    def _create(self, name: str, inputs: CapacityBlockPurchaseInputs, opts: pulumi.ResourceOptions | None) -> None:
        purchase, region = inputs.purchase, inputs.region
        _refuse_unconfirmed(purchase, clock.now())
        stack = pulumi.get_stack()
        self._register(name, opts)

        async def guard(_: pulumi.ResourceHookArgs) -> None:
            clients = await _clients_of_who_pays(self, purchase, region)
            if clients is not None:
                refuse_unsafe_purchase(clients.get("ec2", region), purchase, stack)

        # Also at preview, where a refusal costs nothing.
        hook = pulumi.ResourceHook(f"{name}-purchase", guard, pulumi.ResourceHookOptions(on_dry_run=True))
        reservation = aws.ec2.CapacityBlockReservation(
            name,
            capacity_block_offering_id=purchase.offering_id,
            instance_platform="Linux/UNIX",
            tags={**inputs.tags, OFFERING_TAG: purchase.offering_id, STACK_TAG: stack, BLOCK_TAG: name},
            opts=self.child(
                protect=True,
                retain_on_delete=True,
                ignore_changes=["capacityBlockOfferingId", "instancePlatform", "tags", "tagsAll"],
                hooks=pulumi.ResourceHookBinding(before_create=[hook]),
            ),
        )
        self.reservation_id = reservation.id
        self.register_outputs({"reservation_id": self.reservation_id})


async def _clients_of_who_pays(component: Component[Any], purchase: Purchase, region: str) -> Any:
    """Clients that ask in the account in which the provider would buy, which is told; None where a preview cannot know it.

    Raises `PurchaseRefusedError` where they would ask in another account, or nobody.
    """
    from eks_accelerators.capacity.aws_calls.clients import stand_in
    from eks_accelerators.capacity.aws_calls.identity import CannotIdentifyError, known_clients

    account = await account_of_provider(component)
    if account is None and pulumi.runtime.is_dry_run():
        pulumi.log.warn(f"which account buys {purchase.offering_id} is not known before the deployment", component)
        return None
    try:
        clients, asked = known_clients(AwsProvider() if stand_in() else await provider_of(component), region)
    except CannotIdentifyError as error:
        raise PurchaseRefusedError(f"it is not known which account would pay: {error}") from None
    if asked != account:
        raise PurchaseRefusedError(
            f"the provider would buy in the account {account}, and its offerings are asked about in {asked}. Give the roles "
            "by aws:assumeRoles in the stack file, in place of an explicit provider"
        )
    pulumi.log.info(f"{purchase.offering_id} is to be bought in {region} of the account {account}", component)
    return clients


class Ec2Client(Protocol):
    """The part of boto3's EC2 client that the guard asks."""

    def describe_capacity_reservations(self, **kwargs: Any) -> Mapping[str, Any]:
        """Reservations, expired ones included."""

    def describe_capacity_block_offerings(self, **kwargs: Any) -> Mapping[str, Any]:
        """Offerings on sale."""


def refuse_unsafe_purchase(ec2: Ec2Client, purchase: Purchase, stack: str) -> None:
    """Raise `PurchaseRefusedError` unless the offering is on sale below the ceiling and was not bought before.

    Asked twice, never answered by a purchase: the calls only read. ``stack`` is the one that wants it.
    """
    filters = [{"Name": f"tag:{OFFERING_TAG}", "Values": [purchase.offering_id]}]
    made = _every(ec2.describe_capacity_reservations, "CapacityReservations", Filters=filters)
    if made:
        tags = {tag["Key"]: tag["Value"] for tag in made[0].get("Tags", [])}
        owner = tags.get(STACK_TAG, stack)
        fix = "Write that as reservationId, and remove purchase." if owner == stack else "Choose another offering."
        raise PurchaseRefusedError(
            f"{purchase.offering_id} was bought already{'' if owner == stack else f' for the stack {owner}'}, "
            f"as {made[0]['CapacityReservationId']} ({made[0]['State']}). {fix}"
        )
    offers = _every(
        ec2.describe_capacity_block_offerings,
        "CapacityBlockOfferings",
        InstanceType=purchase.instance_type,
        InstanceCount=purchase.instance_count,
        CapacityDurationHours=purchase.duration_hours,
        StartDateRange=purchase.start,
    )
    offer = next((o for o in offers if o["CapacityBlockOfferingId"] == purchase.offering_id), None)
    if offer is None:
        raise PurchaseRefusedError(f"{purchase.offering_id} is not on sale any more. Choose a current offering.")
    fee, currency = _amount(offer["UpfrontFee"]), offer.get("CurrencyCode", "USD")
    if currency != "USD" or not fee.is_finite() or fee > purchase.max_upfront_fee_usd:
        raise PurchaseRefusedError(
            f"{purchase.offering_id} costs {fee} {currency}, above the limit of {purchase.max_upfront_fee_usd} USD."
        )


def _every(operation: Callable[..., Mapping[str, Any]], key: str, **request: Any) -> list[Mapping[str, Any]]:
    """What is found on all pages: EC2 may answer with an empty page and a token for the next."""
    found: list[Mapping[str, Any]] = []
    token: dict[str, str] = {}
    while True:
        page = operation(**request, **token)
        found += page[key]
        if not page.get("NextToken"):
            return found
        token = {"NextToken": page["NextToken"]}


def _amount(fee: str) -> Decimal:
    """The fee, not a number where it cannot be read."""
    try:
        return Decimal(fee)
    except InvalidOperation:
        return Decimal("NaN")


def _refuse_unconfirmed(purchase: Purchase, now: datetime) -> None:
    """What can be refused without AWS, before any resource is registered."""
    if purchase.confirmation != confirmation_sentence(purchase):
        raise PurchaseRefusedError(f"not confirmed: confirmation must read {confirmation_sentence(purchase)!r}")
    if not duration_allowed(purchase.duration_hours):
        raise PurchaseRefusedError(f"no Capacity Block lasts {purchase.duration_hours} hours")
    start = purchase.start if purchase.start.tzinfo else purchase.start.replace(tzinfo=UTC)
    if not start_allowed(start, now):
        raise PurchaseRefusedError(
            f"the offering starts {start.isoformat()}; purchases start between now and {LATEST_LEAD.days} days from now. "
            "A block that was bought is named by its reservation ID."
        )
