"""Availability Zones, by name (`us-east-2a`, differs between accounts) or by ID (`use2-az1`, does not)."""

import re

from eks_accelerators.accelerators import data

_ZONE_ID = re.compile(r"[a-z]{3,5}\d-az\d")


def is_zone_id(zone: str) -> bool:
    """Whether ``zone`` is written as a zone ID rather than a zone name."""
    return _ZONE_ID.fullmatch(zone) is not None


def zone_id_prefix(region: str) -> str:
    """The start of the region's zone IDs: `us-east-2` gives `use2`, `us-gov-west-1` gives `usgw1`."""
    area, direction, number = region.rsplit("-", 2)
    short = {"northeast": "ne", "northwest": "nw", "southeast": "se", "southwest": "sw"}
    return f"{area.replace('-gov', 'g')}{short.get(direction, direction[:1])}{number}"


def belongs_to(zone: str, region: str) -> bool:
    """Whether ``zone``, name or ID, can lie in ``region``."""
    if is_zone_id(zone):
        return zone.startswith(f"{zone_id_prefix(region)}-az")
    return re.fullmatch(re.escape(region) + "[a-z]", zone) is not None


def without_control_plane(zone: str) -> bool:
    """Whether EKS places no control plane in the zone; known for zone IDs only."""
    return zone in data.load("zones")["without_eks_control_plane"]
