"""Extensions of Capacity Blocks: on sale, and bought. One is on sale for each length that the terms allow."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

from eks_accelerators.accelerators.block_extensions import CLOSES, MAXIMUM_HOURS, OPENS
from eks_accelerators.accelerators.capacity_blocks import USABLE_STATES, duration_allowed
from eks_accelerators.simulator.aws import market
from eks_accelerators.simulator.aws.backend import Backend
from eks_accelerators.simulator.aws.capacity_blocks import DRY_RUN, NO_RESERVATION, block_of, refuse_dry_run, state_of
from eks_accelerators.simulator.aws.model import CapacityBlockRecord
from eks_accelerators.simulator.aws.operations import operations_of
from eks_accelerators.simulator.aws.refusals import ApiRefusal
from eks_accelerators.simulator.chapters import Chapter

operation = operations_of(
    Chapter(__doc__, source="EC2 API (botocore 1.44.5) and EC2 User Guide `capacity-blocks-extend`, read 2026-11-20.")
)

NO_EXTENSION_OFFERING = ApiRefusal(
    "InvalidCapacityBlockExtensionOfferingId.NotFound",
    "The Capacity Block extension offering '{offering}' does not exist.",
)


@operation("ec2", "describe_capacity_block_extension_offerings", refusals=(NO_RESERVATION,))
def describe_extension_offerings(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """The one extension of that length, where the block can be extended by it."""
    block = block_of(account, parameters["CapacityReservationId"])
    offer = _offering(account, block, parameters["CapacityBlockExtensionDurationHours"])
    return {"CapacityBlockExtensionOfferings": [offer] if offer else []}


@operation(
    "ec2",
    "purchase_capacity_block_extension",
    refusals=(
        NO_EXTENSION_OFFERING,
        DRY_RUN,
        NO_RESERVATION,
    ),
)
def purchase_extension(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Buy an extension: paid at once, and the block ends later."""
    block, wanted = (
        block_of(account, parameters["CapacityReservationId"]),
        parameters["CapacityBlockExtensionOfferingId"],
    )
    hours = wanted.rpartition("-")[2]
    offer = _offering(account, block, int(hours)) if hours.isdigit() else None
    if offer is None or offer["CapacityBlockExtensionOfferingId"] != wanted:
        raise NO_EXTENSION_OFFERING(offering=wanted)
    refuse_dry_run(parameters)
    bought = {key: value for key, value in offer.items() if key not in ("StartDate", "Tenancy")}
    bought |= {
        "CapacityReservationId": block.id,
        "CapacityBlockExtensionStatus": "payment-succeeded",
        "CapacityBlockExtensionPurchaseDate": account.state.now,
    }
    block.extensions.append(bought)
    block.end = offer["CapacityBlockExtensionEndDate"]
    return {"CapacityBlockExtensions": [bought]}


@operation("ec2", "describe_capacity_block_extension_history")
def describe_extension_history(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Extensions that were bought, by the IDs of their reservations."""
    wanted = parameters.get("CapacityReservationIds")
    blocks = [block for block in account.state.blocks.values() if not wanted or block.id in wanted]
    return {"CapacityBlockExtensions": [each for block in blocks for each in block.extensions]}


def _offering(account: Backend, block: CapacityBlockRecord, hours: int) -> dict[str, Any] | None:
    now, whole = account.state.now, block.end + timedelta(hours=hours) - block.start
    in_time = block.end - OPENS <= now <= block.end - CLOSES
    usable = state_of(block, now) in USABLE_STATES
    rate = market.rate(block.instance_type, account.state.region)
    if (
        not usable
        or not in_time
        or not duration_allowed(hours)
        or whole > timedelta(hours=MAXIMUM_HOURS)
        or rate is None
    ):
        return None
    return {
        "CapacityBlockExtensionOfferingId": f"cbe-{block.id.removeprefix('cr-')}-{len(block.extensions)}-{hours}",
        "InstanceType": block.instance_type,
        "InstanceCount": block.instance_count,
        "AvailabilityZone": block.zone,
        "AvailabilityZoneId": block.zone_id,
        "StartDate": block.start,
        "CapacityBlockExtensionStartDate": block.end,
        "CapacityBlockExtensionEndDate": block.end + timedelta(hours=hours),
        "CapacityBlockExtensionDurationHours": hours,
        "UpfrontFee": str((rate * Decimal("0.7") * block.instance_count * hours).quantize(Decimal("0.01"))),
        "CurrencyCode": "USD",
        "Tenancy": "default",
    }
