"""Capacity Blocks: on sale, bought, and what their clock makes of them."""

import hashlib
from datetime import UTC, datetime, timedelta
from typing import Any

from eks_accelerators.accelerators.capacity_blocks import DRAIN_BEFORE_END, REQUESTED_QUANTITY_TAG
from eks_accelerators.simulator.aws import market
from eks_accelerators.simulator.aws.backend import Backend
from eks_accelerators.simulator.aws.model import CapacityBlockRecord, OfferingRecord
from eks_accelerators.simulator.aws.operations import operations_of
from eks_accelerators.simulator.aws.refusals import ApiRefusal
from eks_accelerators.simulator.chapters import Chapter

operation = operations_of(
    Chapter(
        __doc__,
        source=(
            "EC2 API (botocore 1.44.5) and EC2 User Guide `capacity-blocks-purchase` and `capacity-blocks-view`, read "
            "2026-11-20."
        ),
    )
)

TERMINATED_BEFORE_END = DRAIN_BEFORE_END - timedelta(minutes=10)
"""EC2 begins to terminate 30 minutes before the end. Source: EC2 User Guide `capacity-blocks-how`, read 2026-11-20."""

NO_OFFERING = ApiRefusal(
    "InvalidCapacityBlockOfferingId.NotFound", "The Capacity Block offering '{offering}' does not exist."
)
DRY_RUN = ApiRefusal("DryRunOperation", "Request would have succeeded, but DryRun flag is set.")
NO_RESERVATION = ApiRefusal(
    "InvalidCapacityReservationId.NotFound", "The capacity reservation '{reservation}' does not exist."
)
INVALID_FILTER = ApiRefusal("InvalidParameterValue", "The filter '{name}' is invalid")


def state_of(block: CapacityBlockRecord, now: datetime) -> str:
    """The block's state by the clock."""
    if block.state:
        return block.state
    if now < block.start:
        return "scheduled"
    return "active" if now < block.end else "expired"


@operation(
    "ec2",
    "describe_capacity_reservations",
    refusals=(
        NO_RESERVATION,
        INVALID_FILTER,
    ),
)
def describe_capacity_reservations(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Reservations by ID or by filters on tags; expired ones too."""
    wanted = parameters.get("CapacityReservationIds")
    for identifier in wanted or []:
        block_of(account, identifier)
    blocks = [block for block in account.state.blocks.values() if not wanted or block.id in wanted]
    for each in parameters.get("Filters", []):
        blocks = [block for block in blocks if _values(account, block, each["Name"]) & set(each["Values"])]
    return {"CapacityReservations": [_described(account, block) for block in blocks]}


@operation("ec2", "describe_capacity_block_offerings")
def describe_capacity_block_offerings(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Offerings of the asked type, size and length that have not begun."""
    hours = parameters["CapacityDurationHours"]
    earliest, latest = parameters.get("StartDateRange"), parameters.get("EndDateRange")
    kind, count = parameters.get("InstanceType", ""), parameters.get("InstanceCount", 0)
    listed = [
        offer
        for offer in account.state.offerings.values()
        if (offer.instance_type, offer.instance_count, offer.duration_hours) == (kind, count, hours)
        and offer.start > account.state.now
    ]
    offers = [
        offer
        for offer in [*listed, *(market.offerings(account, kind, count, hours) if account.state.market else [])]
        if (earliest is None or offer.start >= _moment(earliest)) and (latest is None or _end(offer) <= _moment(latest))
    ]
    return {"CapacityBlockOfferings": [_offered(offer) for offer in offers[: market.MOST_OFFERINGS]]}


@operation(
    "ec2",
    "purchase_capacity_block",
    refusals=(
        NO_OFFERING,
        DRY_RUN,
    ),
)
def purchase_capacity_block(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Buy an offering: it is sold once, paid at once and never given back."""
    wanted, state = parameters["CapacityBlockOfferingId"], account.state
    offer = state.offerings.get(wanted) or (market.find(account, wanted) if state.market else None)
    if offer is None:
        raise NO_OFFERING(offering=wanted)
    refuse_dry_run(parameters)
    state.offerings.pop(wanted, None)
    tags = {
        tag["Key"]: tag["Value"] for spec in parameters.get("TagSpecifications", []) for tag in spec.get("Tags", [])
    }
    identifier = f"cr-{hashlib.sha256(offer.id.encode()).hexdigest()[:17]}"
    block = CapacityBlockRecord(
        id=identifier,
        instance_type=offer.instance_type,
        instance_count=offer.instance_count,
        zone=offer.zone,
        zone_id=account.zone_id(offer.zone),
        start=offer.start,
        end=_end(offer),
        tags=tags,
        offering_id=offer.id,
    )
    account.state.blocks[identifier] = block
    described = _described(account, block)
    return {
        "CapacityReservation": described,
        "CapacityReservations": [described],
        "CapacityBlocks": [_block_described(account, block)],
    }


@operation("ec2", "describe_capacity_blocks")
def describe_capacity_blocks(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Every block that was bought, by the ID of the block."""
    blocks = [_block_described(account, block) for block in account.state.blocks.values()]
    return {"CapacityBlocks": _chosen(blocks, parameters)}


@operation("ec2", "describe_capacity_block_status")
def describe_capacity_block_status(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Interconnect and capacity of the blocks that are active."""
    statuses = []
    for block in account.state.blocks.values():
        if state_of(block, account.state.now) == "active":
            described = _described(account, block)
            capacity = {
                "TotalCapacity": block.instance_count,
                "TotalAvailableCapacity": described["AvailableInstanceCount"],
                "TotalUnavailableCapacity": 0,
            }
            status = {"CapacityBlockId": block_id(block), "InterconnectStatus": "ok", **capacity}
            reservation = {"CapacityReservationId": block.id, **capacity}
            statuses.append({**status, "CapacityReservationStatuses": [reservation]})
    return {"CapacityBlockStatuses": _chosen(statuses, parameters)}


def block_id(block: CapacityBlockRecord) -> str:
    """ID of the block that the reservation is part of."""
    return f"cb-{block.id.removeprefix('cr-')}"


def refuse_dry_run(parameters: dict[str, Any]) -> None:
    """Answer a dry run as EC2 does: with the error that it would have succeeded."""
    if parameters.get("DryRun"):
        raise DRY_RUN()


def _chosen(found: list[dict[str, Any]], parameters: dict[str, Any]) -> list[dict[str, Any]]:
    wanted = parameters.get("CapacityBlockIds")
    return [each for each in found if not wanted or each["CapacityBlockId"] in wanted]


def _block_described(account: Backend, block: CapacityBlockRecord) -> dict[str, Any]:
    return {
        "CapacityBlockId": block_id(block),
        "AvailabilityZone": block.zone,
        "AvailabilityZoneId": block.zone_id,
        "CapacityReservationIds": [block.id],
        "StartDate": block.start,
        "EndDate": block.end,
        "State": state_of(block, account.state.now),
        "Tags": [{"Key": key, "Value": value} for key, value in block.tags.items()],
    }


def block_of(account: Backend, identifier: str) -> CapacityBlockRecord:
    """The block whose reservation has that ID; refused as EC2 does where there is none."""
    block = account.state.blocks.get(identifier)
    if block is None:
        raise NO_RESERVATION(reservation=identifier)
    return block


def _values(account: Backend, block: CapacityBlockRecord, name: str) -> set[str]:
    """What a filter of that name looks at."""
    if name.startswith("tag:"):
        return {value for key, value in block.tags.items() if key == name.removeprefix("tag:")}
    values = {
        "tag-key": set(block.tags),
        "state": {state_of(block, account.state.now)},
        "instance-type": {block.instance_type},
    }
    if name not in values:
        raise INVALID_FILTER(name=name)
    return values[name]


def _end(offer: OfferingRecord) -> datetime:
    return offer.start + timedelta(hours=offer.duration_hours)


def _described(account: Backend, block: CapacityBlockRecord) -> dict[str, Any]:
    state = state_of(block, account.state.now)
    used = sum(
        instance.reservation_id == block.id for group in account.state.scaling_groups() for instance in group.instances
    )
    # A block that has not begun reports no capacity; the tag says how much it will have.
    count = block.instance_count if state == "active" else 0
    tags = {**block.tags, REQUESTED_QUANTITY_TAG: str(block.instance_count)}
    return {
        "CapacityReservationId": block.id,
        "CapacityBlockId": block_id(block),
        "ReservationType": "capacity-block",
        "InstanceType": block.instance_type,
        "InstancePlatform": "Linux/UNIX",
        "AvailabilityZone": block.zone,
        "AvailabilityZoneId": block.zone_id,
        "TotalInstanceCount": count,
        "AvailableInstanceCount": max(0, count - used),
        "State": state,
        "StartDate": block.start,
        "EndDate": block.end,
        "EndDateType": "limited",
        "Tenancy": "default",
        "InstanceMatchCriteria": "targeted",
        "Tags": [{"Key": key, "Value": value} for key, value in tags.items()],
    }


def _offered(offer: OfferingRecord) -> dict[str, Any]:
    return {
        "CapacityBlockOfferingId": offer.id,
        "InstanceType": offer.instance_type,
        "InstanceCount": offer.instance_count,
        "AvailabilityZone": offer.zone,
        "StartDate": offer.start,
        "EndDate": _end(offer),
        "CapacityBlockDurationHours": offer.duration_hours,
        "UpfrontFee": offer.upfront_fee_usd,
        "CurrencyCode": "USD",
        "Tenancy": "default",
    }


def _moment(value: Any) -> datetime:
    moment = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
