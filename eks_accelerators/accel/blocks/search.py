"""`accel blocks search`."""

import shlex
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from rich.console import Console

from eks_accelerators.accel.aws import Reached, Whom, aws_of, users_region
from eks_accelerators.accel.blocks.output import moment, money, percent, print_json, short
from eks_accelerators.accel.blocks.stack import Chosen, chosen
from eks_accelerators.accel.blocks.status import CommandRefusedError, Status
from eks_accelerators.accel.render_text import console
from eks_accelerators.accel.report import SCHEMA
from eks_accelerators.accel.simulate.moments import parse_moment
from eks_accelerators.accel.tables import Row, print_table
from eks_accelerators.accelerators import clock, instance_types
from eks_accelerators.capacity.aws_calls.aws import AT_ONCE
from eks_accelerators.capacity.blocks.offering import Offering
from eks_accelerators.capacity.blocks.offering_memory import remember
from eks_accelerators.capacity.blocks.search import AT_ONCE as OF_REGIONS
from eks_accelerators.capacity.blocks.search import BlockRequirements, Found, search_everywhere
from eks_accelerators.capacity.blocks.search import search as search_in


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """What the user wrote."""

    stack: str | None = None
    group: str | None = None
    instance_type: str | None = None
    count: int | None = None
    days: int | None = None
    earliest: str | None = None
    latest: str | None = None
    regions: tuple[str, ...] = ()
    all_regions: bool = False


def search(whom: Whom | None, asked: SearchOptions, *, as_json: bool) -> Status:
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
            found = search_everywhere(reached.aws, wanted, home or "us-east-1")
        else:
            regions = asked.regions or ((home,) if home else ())
            if not regions:
                raise CommandRefusedError("in which region? Name it with --region, or ask them all with --all-regions")
            found = search_in(reached.aws, wanted, regions)
        remember(reached.folder, found.offerings)
        if as_json:
            print_json(_data(found, wanted, reached))
        else:
            _print(found, wanted, reached, asked, console())
    return Status.UNANSWERED if found.unasked else Status.DONE


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


def notes(found: Found, offering: Offering) -> list[str]:
    """What distinguishes the offering."""
    marks = (("cheapest", found.cheapest), ("earliest", found.earliest))
    return [word for word, best in marks if best is not None and best.id == offering.id]


def _print(found: Found, wanted: BlockRequirements, reached: Reached, asked: SearchOptions, out: Console) -> None:
    what = f"{wanted.instance_count} x {wanted.instance_type} for {wanted.hours // 24} days"
    if found.offerings:
        print_table(f"On sale: {what}", [_row(found, offering) for offering in found.offerings], out)
    if found.without:
        out.print(f"None on sale ({what}): {', '.join(found.without)}", soft_wrap=True)
    for region, failure in found.unasked:
        out.print(f"Could not ask {region}: {failure.line}", style="red", soft_wrap=True)
    if best := found.cheapest:
        words = ["accel", "blocks", "buy", best.id, "--max-price", str(best.fee)]
        words[1:1] = ["--simulated"] if reached.folder else []
        words += [
            word
            for option, value in (("--stack", asked.stack), ("--group", asked.group))
            if value
            for word in (option, value)
        ]
        out.print(f"To buy the cheapest: {shlex.join(words)}", soft_wrap=True)
    for each in reached.assumed:
        out.print(f"Assumed: {each}", soft_wrap=True)


def _row(found: Found, offering: Offering) -> Row:
    currency = "" if offering.currency == "USD" else f" {offering.currency}"
    return {
        "offering": offering.id,
        "zone": offering.zone,
        "start (UTC)": moment(offering.start),
        "end (UTC)": moment(offering.end),
        "hours": short(offering.hours),
        "$ up front": f"{offering.fee:,.2f}{currency}",
        "$/hour of\ninstance": f"{offering.per_instance_hour:,.2f}",
        "$/hour of\naccelerator": _two(offering.per_accelerator_hour),
        "of on-\ndemand": percent(offering.of_on_demand),
        "note": " ".join(notes(found, offering)),
    }


def _two(value: Decimal | None) -> str:
    return "unknown" if value is None else f"{value:,.2f}"


def _data(found: Found, wanted: BlockRequirements, reached: Reached) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "simulated": reached.folder is not None,
        "assumptions": list(reached.assumed),
        "wanted": {
            "instanceType": wanted.instance_type,
            "instanceCount": wanted.instance_count,
            "hours": wanted.hours,
            "from": wanted.earliest.isoformat() if wanted.earliest else None,
            "to": wanted.latest.isoformat() if wanted.latest else None,
        },
        "offerings": [{**offering_data(each), "notes": notes(found, each)} for each in found.offerings],
        "without": list(found.without),
        "unasked": [
            {"region": region, "reason": failure.reason.value, "message": failure.line}
            for region, failure in found.unasked
        ],
    }


def offering_data(offering: Offering) -> dict[str, Any]:
    """The offering as documented JSON."""
    return {
        "id": offering.id,
        "region": offering.region,
        "zone": offering.zone,
        "instanceType": offering.instance_type,
        "instanceCount": offering.instance_count,
        "start": offering.start.isoformat(),
        "end": offering.end.isoformat(),
        "hours": short(offering.hours),
        "upfrontFee": str(offering.fee),
        "currency": offering.currency,
        "perInstanceHour": money(offering.per_instance_hour),
        "perAcceleratorHour": money(offering.per_accelerator_hour),
        "onDemandPerInstanceHour": money(offering.on_demand),
    }
