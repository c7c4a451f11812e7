"""Subnets, of which moto takes zones of any region."""

from typing import Any

from eks_accelerators.simulator.aws.backend import Backend
from eks_accelerators.simulator.aws.operations import operations_of
from eks_accelerators.simulator.aws.refusals import ApiRefusal
from eks_accelerators.simulator.chapters import Chapter

operation = operations_of(Chapter(__doc__, source="EC2 API, `CreateSubnet`, also of the words."))

NOT_IN_REGION = ApiRefusal(
    "InvalidParameterValue",
    "Value ({zone}) for parameter {parameter} is invalid. Subnets can currently only be created in the "
    "following availability zones: {zones}.",
)


@operation("ec2", "create_subnet", refusals=(NOT_IN_REGION,))
def create_subnet(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Create it in a zone of the region."""
    zones = account.zones()
    for name, key in (("AvailabilityZone", "ZoneName"), ("AvailabilityZoneId", "ZoneId")):
        known = [zone[key] for zone in zones]
        if name in parameters and parameters[name] not in known:
            raise NOT_IN_REGION(
                zone=parameters[name], parameter=f"{name[0].lower()}{name[1:]}", zones=", ".join(sorted(known))
            )
    return account.moto("ec2", "create_subnet", parameters)
