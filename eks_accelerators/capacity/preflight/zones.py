"""The zones of a region, as AWS tells them to this account."""

from eks_accelerators.capacity.aws_calls import Call
from eks_accelerators.capacity.aws_calls.call import PascalCase


class Zone(PascalCase):
    """An Availability Zone: its name differs between accounts, its ID does not."""

    zone_name: str
    zone_id: str
    state: str = "available"


def call(region: str) -> Call[list[Zone]]:
    """The call `DescribeAvailabilityZones` for ``region``, without Local and Wavelength Zones."""
    filters = [{"Name": "zone-type", "Values": ["availability-zone"]}]
    return Call("ec2", "describe_availability_zones", region, "AvailabilityZones", list[Zone], {"Filters": filters})
