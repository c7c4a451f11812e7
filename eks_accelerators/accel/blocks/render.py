"""What the commands of `accel blocks` find out, for a terminal."""

from collections.abc import Iterable
from decimal import Decimal

from rich.console import Console

from eks_accelerators.accel.blocks.calendar_text import picture
from eks_accelerators.accel.blocks.output import moment, percent, short
from eks_accelerators.accel.reports.blocks import (
    BlockReport,
    BlockStatusReport,
    CalendarReport,
    FoundOffering,
    ListReport,
    SearchReport,
    ShowReport,
    StatusReport,
    UnaskedRegion,
)
from eks_accelerators.accel.tables import Row, print_table


def print_search(report: SearchReport, out: Console) -> None:
    """What is on sale, where nothing is, and how to buy the cheapest."""
    wanted = report.wanted
    what = f"{wanted.instance_count} x {wanted.instance_type} for {wanted.hours // 24} days"
    if report.offerings:
        print_table(f"On sale: {what}", [_offering(each) for each in report.offerings], out)
    if report.without:
        out.print(f"None on sale ({what}): {', '.join(report.without)}", soft_wrap=True)
    _print_unasked(report.unasked, out)
    if report.to_buy:
        out.print(f"To buy the cheapest: {report.to_buy}", soft_wrap=True)
    for each in report.assumptions:
        out.print(f"Assumed: {each}", soft_wrap=True)


def print_list(report: ListReport, out: Console) -> None:
    """The blocks, and the purchases whose outcome was not known."""
    if report.blocks:
        print_table("Capacity Blocks", [_block(block) for block in report.blocks], out)
    elif not report.unasked:
        out.print(f"No Capacity Block in {', '.join(report.regions)}", soft_wrap=True)
    for attempts, what, style in (
        (report.found, "Bought by a run whose answer was lost", "bold green"),
        (report.unclear, "Unclear", "red"),
    ):
        for each in attempts:
            line = f"{what}: {each.what} ({each.offering}), {moment(each.at)} UTC"
            out.print(line, style=style, soft_wrap=True)
    _print_unasked(report.unasked, out)


def print_block(report: ShowReport, out: Console) -> None:
    """A line for each property, tag and extension."""
    out.print(f"Capacity Block {report.id}", style="bold")
    for name, value in report.as_data().items():
        if name not in ("schema", "id", "tags", "extensions"):
            out.print(f"  {name:14}{_or_unknown(value)}", soft_wrap=True)
    for key, value in sorted(report.tags.items()):
        out.print(f"  tag           {key}={value}", soft_wrap=True)
    for each in report.extensions:
        out.print(f"  extension     {each.id} from {each.start.isoformat()}, {each.status}", soft_wrap=True)


def print_status(report: StatusReport, out: Console) -> None:
    """A table of the blocks that are active."""
    if report.blocks:
        print_table("Status of active Capacity Blocks", [_status(each) for each in report.blocks], out)
    else:
        out.print(report.none_said, soft_wrap=True)


def print_calendar(report: CalendarReport, out: Console) -> None:
    """The picture, and what is missing in it."""
    drawn = picture(report.lanes, report.first, report.last, report.now) if report.lanes else "No Capacity Block"
    out.print(drawn, soft_wrap=True)
    _print_unasked(report.unasked, out)
    if report.page:
        out.print(f"Written: {report.page}", soft_wrap=True)


def _print_unasked(unasked: Iterable[UnaskedRegion], out: Console) -> None:
    for each in unasked:
        out.print(f"Could not ask {each.region}: {each.message}", style="red", soft_wrap=True)


def _offering(offer: FoundOffering) -> Row:
    currency = "" if offer.currency == "USD" else f" {offer.currency}"
    return {
        "offering": offer.id,
        "zone": offer.zone,
        "start (UTC)": moment(offer.start),
        "end (UTC)": moment(offer.end),
        "hours": short(offer.hours),
        "$ up front": f"{offer.upfront_fee:,.2f}{currency}",
        "$/hour of\ninstance": _two(offer.per_instance_hour),
        "$/hour of\naccelerator": _two(offer.per_accelerator_hour),
        "of on-\ndemand": percent(offer.of_on_demand),
        "note": " ".join(offer.notes),
    }


def _two(value: Decimal | None) -> str:
    return "unknown" if value is None else f"{value:,.2f}"


def _block(block: BlockReport) -> Row:
    return {
        "reservation": block.id,
        "what": f"{'?' if block.instance_count is None else block.instance_count} x {block.instance_type}",
        "zone": block.zone,
        "state": block.state,
        "start (UTC)": moment(block.start),
        "end (UTC)": moment(block.end),
        "for": block.used_by or "",
    }


def _status(block: BlockStatusReport) -> Row:
    return {
        "reservation": "\n".join(block.reservation),
        "interconnect": _or_unknown(block.interconnect),
        "instances": _or_unknown(block.instances),
        "available": _or_unknown(block.available),
        "unavailable": _or_unknown(block.unavailable),
    }


def _or_unknown(value: object) -> str:
    return "unknown" if value is None else str(value)
