"""Where instance types are offered, and their descriptions from a region that has them.

Source: EC2 DescribeInstanceTypeOfferings and DescribeInstanceTypes (botocore 1.44.5).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from eks_accelerators.capacity.aws_calls import Call
from eks_accelerators.capacity.aws_calls.call import PascalCase
from eks_accelerators.capacity.facts.asker import Asker
from eks_accelerators.capacity.facts.type_descriptions import Described, describe_calls

SOURCE = "EC2 DescribeInstanceTypeOfferings"


class TypeOfferingAnswer(PascalCase):
    """A type in a region, or in a zone, by the zone's ID."""

    instance_type: str
    location: str


@dataclass(frozen=True, slots=True)
class Offered:
    """The types of each region that answered."""

    by_region: Mapping[str, frozenset[str]]

    def regions_of(self, name: str) -> set[str]:
        """The regions that have a type."""
        return {region for region, types in self.by_region.items() if name in types}

    @property
    def types(self) -> set[str]:
        """Every type of any region."""
        return {name for types in self.by_region.values() for name in types}


def offered(asker: Asker, regions: Iterable[str] | None = None) -> Offered:
    """Which types each region has; by default in all regions of the account."""
    asked = tuple(asker.regions if regions is None else regions)
    answers = asker.ask_all(_offerings(region, "region") for region in asked)
    return Offered(
        {
            region: frozenset(each.instance_type for each in answer)
            for region, answer in zip(asked, answers, strict=True)
            if answer is not None
        }
    )


def zone_ids(asker: Asker, region: str) -> Mapping[str, list[str]] | None:
    """The zones of a region that have each type, by IDs; None where the region does not answer."""
    answer = asker.ask(_offerings(region, "availability-zone-id"))
    if answer is None:
        return None
    found: dict[str, list[str]] = {}
    for each in answer:
        found.setdefault(each.instance_type, []).append(each.location)
    return {name: sorted(zones) for name, zones in found.items()}


def described(asker: Asker, names: Iterable[str], where: Offered) -> dict[str, tuple[Described, str]]:
    """The types called ``names``, each with the region that described it: the home region where that has it."""
    by_region: dict[str, list[str]] = {}
    for name in names:
        if regions := where.regions_of(name):
            by_region.setdefault(asker.home if asker.home in regions else min(regions), []).append(name)
    calls = [call for region, wanted in by_region.items() for call in describe_calls(region, wanted)]
    answers = asker.ask_all(calls)
    return {
        kind.instance_type: (kind, call.region)
        for call, answer in zip(calls, answers, strict=True)
        for kind in answer or ()
    }


def _offerings(region: str, location: str) -> Call[list[TypeOfferingAnswer]]:
    return Call(
        "ec2",
        "describe_instance_type_offerings",
        region,
        "InstanceTypeOfferings",
        list[TypeOfferingAnswer],
        {"LocationType": location},
    )
