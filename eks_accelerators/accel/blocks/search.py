"""`accel blocks search`."""

import shlex
from dataclasses import dataclass, replace
from datetime import datetime

from eks_accelerators.accel.aws import ANY_REGION, Reached, Whom, aws_of, users_region
from eks_accelerators.accel.blocks.stack import Chosen, chosen
from eks_accelerators.accel.blocks.status import CommandRefusedError
from eks_accelerators.accel.emit import Format, emit
from eks_accelerators.accel.exit_status import ExitStatus
from eks_accelerators.accel.reports.blocks import FoundOffering, OfferingReport, SearchReport, UnansweredSearch
from eks_accelerators.accel.simulate.moments import parse_moment
from eks_accelerators.accelerators import clock, instance_types
from eks_accelerators.accelerators.zones import is_zone_id
from eks_accelerators.capacity.aws_calls.aws import AT_ONCE
from eks_accelerators.capacity.blocks.offering import Offering
from eks_accelerators.capacity.blocks.offering_memory import remember
from eks_accelerators.capacity.blocks.search import AT_ONCE as OF_REGIONS
from eks_accelerators.capacity.blocks.search import BlockRequirements, SearchResult, search_everywhere
from eks_accelerators.capacity.blocks.search import search as search_in
from eks_accelerators.capacity.blocks.suitability import suits


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """Options of `accel blocks search`, as the user wrote them."""

    stack: str | None = None
    group: str | None = None
    instance_type: str | None = None
    count: int | None = None
    days: int | None = None
    earliest: str | None = None
    latest: str | None = None
    regions: tuple[str, ...] = ()
    all_regions: bool = False


def search(whom: Whom | None, asked: SearchOptions, form: Format) -> ExitStatus:
    """Search, and print what was found."""
    if asked.all_regions and asked.regions:
        raise CommandRefusedError("--region and --all-regions exclude each other")
    stack = chosen(asked.stack)
    kind, count, days = _what(asked, stack)
    try:
        instance_types.get(kind)  # a mistake is told before anybody is asked, signed in or not
    except instance_types.UnknownInstanceTypeError as error:
        raise CommandRefusedError(str(error)) from None
    with aws_of(
        whom,
        stack.location if stack else None,
        stack.settings if stack else None,
        region=next(iter(asked.regions), None),
        at_once=OF_REGIONS if asked.all_regions else AT_ONCE,
    ) as reached:
        now = clock.now()
        wanted = BlockRequirements(kind, count, days * 24, *_window(asked, now))
        if problems := wanted.problems(now):
            raise CommandRefusedError("\n".join(problems))
        home = home_region(reached, stack)
        if asked.all_regions:
            found = search_everywhere(reached.aws, wanted, home or ANY_REGION)
        else:
            regions = asked.regions or ((home,) if home else ())
            if not regions:
                raise CommandRefusedError("in which region? Name it with --region, or ask them all with --all-regions")
            found = search_in(reached.aws, wanted, regions)
        remember(reached.folder, found.offerings)
        emit(_report(found, wanted, reached, asked, stack), form)
    return ExitStatus.UNKNOWN if found.unasked else ExitStatus.DONE


def home_region(reached: Reached, stack: Chosen | None) -> str | None:
    """The region of the stack, of the simulated account, or of the user's AWS settings."""
    return stack.settings.region if stack else reached.region or users_region()


def _what(asked: SearchOptions, stack: Chosen | None) -> tuple[str, int, int]:
    """Type, number of instances and days, as they are written or as the node group has them."""
    kind, count = asked.instance_type, asked.count
    if asked.group:
        if stack is None:
            raise CommandRefusedError("--group is a node group of a stack: name the stack with --stack")
        group = stack.group(asked.group)
        if kind and kind != group.instance_type:
            raise CommandRefusedError(
                f"--type {kind} differs from {group.instance_type} of the node group {asked.group}"
            )
        kind, count = group.instance_type, count or group.size.max
    if kind and count is not None and asked.days is not None:
        return kind, count, asked.days
    options = (("--type", kind), ("--count", count), ("--days", asked.days))
    missing = ", ".join(option for option, value in options if value is None)
    raise CommandRefusedError(f"what is wanted? Missing: {missing}; --stack and --group give type and count")


def _window(asked: SearchOptions, now: datetime) -> tuple[datetime | None, datetime | None]:
    try:
        earliest, latest = (parse_moment(text, now) if text else None for text in (asked.earliest, asked.latest))
    except ValueError as error:
        raise CommandRefusedError(str(error)) from None
    return earliest, latest


def _report(
    found: SearchResult, wanted: BlockRequirements, reached: Reached, asked: SearchOptions, stack: Chosen | None
) -> SearchReport:
    fitting = replace(found, offerings=tuple(each for each in found.offerings if _fits(each, asked, stack)))
    return SearchReport(
        simulated=reached.folder is not None,
        assumptions=reached.assumed,
        wanted=wanted,
        offerings=tuple(
            FoundOffering(**dict(OfferingReport.model_validate(each)), notes=_notes(fitting, each))
            for each in found.offerings
        ),
        without=found.without,
        unasked=tuple(
            UnansweredSearch(region=region, reason=failure.reason.value, message=failure.line)
            for region, failure in found.unasked
        ),
        to_buy=_to_buy(fitting.cheapest, reached, asked) if fitting.cheapest else None,
    )


def _fits(offering: Offering, asked: SearchOptions, stack: Chosen | None) -> bool:
    """Whether the node group that is named could use it, as `accel blocks buy` judges; true where none is named.

    Which zone has which ID only AWS knows: where the stack has IDs, the purchase asks.
    """
    if stack is None or asked.group is None:
        return True
    settings, group = stack.settings, stack.group(asked.group)
    block = settings.capacity_blocks.get(group.capacity_block or "")
    expected = block.expect.zone if block and block.expect else None
    zone_id = next(
        (zone for zone in (expected, *(group.zones or settings.network.zones)) if zone and is_zone_id(zone)), ""
    )
    return offering.region == settings.region and not suits(settings, group, block, offering, zone_id, clock.now())


def _notes(fitting: SearchResult, offering: Offering) -> list[str]:
    """What distinguishes the offering, among those that are ``fitting``."""
    if offering not in fitting.offerings:
        return ["unsuitable"]
    marks = (("cheapest", fitting.cheapest), ("earliest", fitting.earliest))
    return [word for word, best in marks if best is not None and best.id == offering.id]


def _to_buy(best: Offering, reached: Reached, asked: SearchOptions) -> str:
    """The command that buys it."""
    words = ["accel", *(["--simulated"] if reached.folder else []), "blocks", "buy", best.id]
    words += ["--max-price", str(best.fee)]
    for option, value in (("--stack", asked.stack), ("--group", asked.group)):
        words += [option, value] if value else []
    return shlex.join(words)
