"""What is on sale, in every region at once. A region without offerings is not one that could not be asked."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

import botocore.session

from eks_accelerators.accelerators import capacity_blocks as terms
from eks_accelerators.accelerators import instance_types
from eks_accelerators.accelerators.block_extensions import MAXIMUM_HOURS
from eks_accelerators.capacity.aws_calls import Answer, Aws, Call, Failure
from eks_accelerators.capacity.aws_calls.call import PascalCase
from eks_accelerators.capacity.blocks.offering import Offering, OfferingAnswer, offering_of

AT_ONCE = 48
"""Calls in flight, more than there are regions: EC2 counts requests in each region by itself."""


@dataclass(frozen=True, slots=True)
class BlockRequirements:
    """What is looked for. The block begins from ``earliest`` on, and has ended by ``latest``."""

    instance_type: str
    instance_count: int
    hours: int
    earliest: datetime | None = None
    latest: datetime | None = None

    def problems(self, now: datetime) -> list[str]:
        """Why AWS cannot have such a block on sale. Empty where it can."""
        return [
            *_type_problems(self.instance_type),
            *_count_problems(self.instance_count),
            *_duration_problems(self.hours),
            *_window_problems(self.earliest, self.latest, now),
        ]

    def call(self, region: str) -> Call[list[OfferingAnswer]]:
        """The call `DescribeCapacityBlockOfferings` for these requirements in ``region``."""
        window = {"StartDateRange": self.earliest, "EndDateRange": self.latest}
        return Call(
            "ec2",
            "describe_capacity_block_offerings",
            region,
            "CapacityBlockOfferings",
            list[OfferingAnswer],
            {
                "InstanceType": self.instance_type,
                "InstanceCount": self.instance_count,
                "CapacityDurationHours": self.hours,
                **{key: value for key, value in window.items() if value},
            },
        )


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Offerings, the earliest first, and regions by what they answered."""

    offerings: tuple[Offering, ...]
    without: tuple[str, ...]
    """Regions that answered and have no offering."""
    unasked: tuple[tuple[str, Failure], ...]
    """Regions that could not be asked, and why."""

    @property
    def cheapest(self) -> Offering | None:
        """The offering that costs least by the hour, among those in USD."""
        return min((o for o in self.offerings if o.currency == "USD"), key=lambda o: o.per_instance_hour, default=None)

    @property
    def earliest(self) -> Offering | None:
        """The offering that begins first."""
        return self.offerings[0] if self.offerings else None


class _Region(PascalCase):
    region_name: str


def search(aws: Aws, wanted: BlockRequirements, regions: Iterable[str]) -> SearchResult:
    """Offerings that meet ``wanted`` in any of ``regions``, which are asked in parallel."""
    return _found(wanted, aws.ask_all(wanted.call(region) for region in sorted(set(regions))))


def search_everywhere(aws: Aws, wanted: BlockRequirements, home: str) -> SearchResult:
    """Ask every region that is enabled in the account, in the partition of ``home``.

    Which are enabled is asked at the same time as the offerings: a region that is not refuses, and is left out.
    """
    enabled_call = Call("ec2", "describe_regions", home, "Regions", list[_Region])
    calls: list[Call[Any]] = [enabled_call, *(wanted.call(region) for region in known_regions(home))]
    enabled, *answers = aws.ask_all(calls)
    if enabled.failure:
        return _found(wanted, answers)
    names = {region.region_name for region in enabled.value}
    new = names - {answer.call.region for answer in answers}
    answers += aws.ask_all(wanted.call(region) for region in sorted(new))
    return _found(wanted, [answer for answer in answers if answer.call.region in names])


@cache
def known_regions(home: str) -> tuple[str, ...]:
    """Regions of EC2 in the partition of ``home`` that botocore knows."""
    session = botocore.session.Session()
    partition = session.get_partition_for_region(home)
    return tuple(sorted(session.get_available_regions("ec2", partition)))


def _found(wanted: BlockRequirements, answers: Sequence[Answer[list[OfferingAnswer]]]) -> SearchResult:
    offerings = [
        offering_of(offer, answer.call.region, wanted.hours) for answer in answers for offer in answer.found or ()
    ]
    return SearchResult(
        tuple(sorted(offerings, key=lambda offer: (offer.start, offer.fee, offer.id))),
        tuple(answer.call.region for answer in answers if not answer.failure and not answer.found),
        tuple((answer.call.region, answer.failure) for answer in answers if answer.failure),
    )


def _type_problems(name: str) -> list[str]:
    kind = instance_types.find(name)
    if kind is None:
        return [str(instance_types.UnknownInstanceTypeError(name))]
    if not kind.sold_as_capacity_block:
        return [f"{name} is not sold as Capacity Blocks; {', '.join(terms.sold_types())} are"]
    return []


def _count_problems(count: int) -> list[str]:
    if not 1 <= count <= terms.MAXIMUM_INSTANCES:
        return [f"a Capacity Block holds 1 to {terms.MAXIMUM_INSTANCES} instances, not {count}"]
    return []


def _duration_problems(hours: int) -> list[str]:
    if terms.duration_allowed(hours):
        return []
    allowed = [hour for hour in range(24, MAXIMUM_HOURS + 1, 24) if terms.duration_allowed(hour)]
    near = [hour for hour in allowed if hour < hours][-1:] + [hour for hour in allowed if hour > hours][:1]
    lengths = " or ".join(f"{hour // 24} ({hour} hours)" for hour in near)
    return [f"no Capacity Block lasts {hours} hours: {terms.DURATION_RULE}. Ask for days: {lengths}"]


def _window_problems(earliest: datetime | None, latest: datetime | None, now: datetime) -> list[str]:
    if earliest and latest and latest <= earliest:
        return [f"the window ends ({latest:%Y-%m-%d %H:%M} UTC) before it begins ({earliest:%Y-%m-%d %H:%M} UTC)"]
    if latest and latest <= now:
        return [f"the window ends in the past: {latest:%Y-%m-%d %H:%M} UTC"]
    if earliest and earliest > now + terms.LATEST_LEAD:
        return [
            f"Capacity Blocks start at most 8 weeks ahead, by {now + terms.LATEST_LEAD:%Y-%m-%d}; "
            f"the window begins {earliest:%Y-%m-%d}"
        ]
    return []
