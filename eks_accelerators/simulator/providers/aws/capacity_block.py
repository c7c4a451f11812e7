"""The purchase of a Capacity Block."""

from typing import Any

from eks_accelerators.simulator.aws.errors import AwsError
from eks_accelerators.simulator.chapters import Chapter
from eks_accelerators.simulator.providers.aws import tags
from eks_accelerators.simulator.providers.calls import Calls
from eks_accelerators.simulator.providers.kind import Created, Kind, is_gone
from eks_accelerators.simulator.providers.resource_facts import ONE_CALL, Permissions, ResourceFacts, UsualTime

CHAPTER = Chapter(__doc__, source="terraform-provider-aws `ec2_capacity_block_reservation.go`, read 2026-11-20.")


class CapacityBlockReservationKind(Kind):
    """`aws.ec2.CapacityBlockReservation`: to make it buys; to delete it only forgets; one that ended is not found."""

    token = "aws:ec2/capacityBlockReservation:CapacityBlockReservation"
    properties = frozenset({"capacityBlockOfferingId", "instancePlatform", "tags"})
    changeable = frozenset({"tags"})
    calls = tags.CALLS | frozenset({"ec2.describe_capacity_reservations", "ec2.purchase_capacity_block"})
    facts = ResourceFacts(
        called="Capacity Block",
        replacing=("capacityBlockOfferingId", "instancePlatform"),
        grave={
            "replace": "a Capacity Block is bought, and never refunded",
            "remove": "a Capacity Block that is paid for, and not refunded, is no longer managed",
            "add": "a Capacity Block is bought, and never refunded",
        },
        permissions=(Permissions("any", ("ec2:DescribeCapacityBlockOfferings",)),),
        durations=ONE_CALL | {"create": UsualTime(30, "estimate-capacity-block")},
    )

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        bought = aws.call(
            "ec2",
            "purchase_capacity_block",
            CapacityBlockOfferingId=inputs["capacityBlockOfferingId"],
            InstancePlatform=inputs["instancePlatform"],
            **tags.specification("capacity-reservation", inputs.get("tags")),
        )["CapacityReservation"]
        return Created(bought["CapacityReservationId"], reservation_properties(bought))

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        found = described(aws, identifier)
        if found is None or found["State"] in ("expired", "cancelled"):
            return None
        return {"tags": tags.mapping(found["Tags"])}

    def update(self, aws: Calls, identifier: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        tags.retag(aws, identifier, old, new)
        return {}

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        """A Capacity Block cannot be given back."""


def described(aws: Calls, identifier: str) -> dict[str, Any] | None:
    """The reservation as EC2 describes it, or None where there is none."""
    try:
        found = aws.call("ec2", "describe_capacity_reservations", CapacityReservationIds=[identifier])
    except AwsError as error:
        if is_gone(error):
            return None
        raise
    result: dict[str, Any] = found["CapacityReservations"][0]
    return result


def reservation_properties(found: dict[str, Any]) -> dict[str, Any]:
    """A reservation of EC2 as the properties that the provider's resource and its look-up share."""
    return {
        "availabilityZone": found["AvailabilityZone"],
        "instanceType": found["InstanceType"],
        "instanceCount": found["TotalInstanceCount"],
        "reservationType": found["ReservationType"],
        "startDate": found["StartDate"].strftime("%Y-%m-%dT%H:%M:%SZ"),
        "endDate": found["EndDate"].strftime("%Y-%m-%dT%H:%M:%SZ"),
        "tenancy": found["Tenancy"],
    }


KINDS: tuple[Kind, ...] = (CapacityBlockReservationKind(),)
