"""Subnets, of which moto takes zones of any region. Source: EC2 API, `CreateSubnet`, also of the words."""

from typing import Any

from eks_accelerators.simulator.aws.backend import Backend
from eks_accelerators.simulator.aws.errors import AwsError
from eks_accelerators.simulator.aws.operations import operation


@operation("ec2", "create_subnet")
def create_subnet(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Create it in a zone of the region."""
    zones = account.zones()
    for name, key in (("AvailabilityZone", "ZoneName"), ("AvailabilityZoneId", "ZoneId")):
        known = [zone[key] for zone in zones]
        if name in parameters and parameters[name] not in known:
            raise AwsError(
                "InvalidParameterValue",
                f"Value ({parameters[name]}) for parameter {name[0].lower()}{name[1:]} is invalid. Subnets can "
                f"currently only be created in the following availability zones: {', '.join(sorted(known))}.",
            )
    return account.moto("ec2", "create_subnet", parameters)
