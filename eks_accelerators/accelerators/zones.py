"""Availability Zones, by name (`us-east-2a`, differs between accounts) or by ID (`use2-az1`, does not)."""

import re
from collections.abc import Mapping, Sequence

from eks_accelerators.accelerators import data

_ZONE_ID = re.compile(r"[a-z]{3,5}\d-az\d")
_EDGES = (
    ("Wavelength Zone", re.compile(r"[a-z-]+-\d-wl\d-[a-z]{3}-wlz-\d|[a-z]{3,5}\d-wl\d-[a-z]{3}-wlz\d")),
    ("Local Zone", re.compile(r"[a-z-]+-\d-[a-z]{3}-\d[a-z]|[a-z]{3,5}\d-[a-z]{3}\d-az\d")),
)
"""What is no Availability Zone, by name (`us-west-2-lax-1a`, `us-east-1-wl1-bos-wlz-1`) or by ID (`usw2-lax1-az1`).

Source: AWS, available-local-zones and available-wavelength-zones, 2026-11-23.
"""


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


def edge(zone: str) -> str | None:
    """`Local Zone` or `Wavelength Zone`, where ``zone`` is written as one; else None."""
    return next((kind for kind, form in _EDGES if form.fullmatch(zone)), None)


def known(region: str, *, ids: bool) -> Sequence[str] | None:
    """Every zone that accounts have in ``region``, as IDs or as names; None where that is not known here.

    A name stands for the letters that some account has: in the oldest regions one account has fewer of them.
    """
    numbers = _id_numbers().get(region)
    if numbers is None:
        return None
    if ids:
        return [f"{zone_id_prefix(region)}-az{number}" for number in numbers]
    return [f"{region}{chr(ord('a') + number)}" for number in range(max(numbers))]


def known_as_of() -> str:
    """The day on which AWS's list of zones was read, as `2026-11-23`."""
    return str(data.load("zones")["id_numbers_as_of"])


def _id_numbers() -> Mapping[str, Sequence[int]]:
    numbers: Mapping[str, Sequence[int]] = data.load("zones")["id_numbers"]
    return numbers
