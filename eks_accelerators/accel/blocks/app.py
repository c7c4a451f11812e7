"""The commands of `accel blocks`. Thin: they parse, call and render; what they need they import late."""

from pathlib import Path
from typing import Annotated

import typer

from eks_accelerators.accel.emit import Format
from eks_accelerators.accel.option_numbers import whole_number
from eks_accelerators.accel.parameters import AsJson

blocks = typer.Typer(
    help="Capacity Blocks: what is on sale, and buying it once.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

InStack = Annotated[str | None, typer.Option("--stack", metavar="STACK", help="Name of a stack, or path of its file.")]
InGroup = Annotated[
    str | None,
    typer.Option("--group", metavar="NAME", help="A node group of the stack: its type, and its largest size."),
]
OfType = Annotated[str | None, typer.Option("--type", metavar="TYPE", help="Instance type, such as p5.48xlarge.")]
Count = Annotated[int | None, typer.Option("--count", metavar="N", parser=whole_number, help="Number of instances.")]
Days = Annotated[
    int | None,
    typer.Option("--days", metavar="N", parser=whole_number, help="Length: 1 to 14 days, or 21, 28 ... 182."),
]
Regions = Annotated[
    list[str] | None, typer.Option("--region", metavar="REGION", help="Region to ask; may be given several times.")
]
AllRegions = Annotated[bool, typer.Option("--all-regions", help="Ask every region of the account.")]


@blocks.command()
def search(
    context: typer.Context,
    of_type: OfType = None,
    count: Count = None,
    days: Days = None,
    stack: InStack = None,
    group: InGroup = None,
    earliest: Annotated[
        str | None,
        typer.Option("--from", metavar="TIME", help="Starts from then on: 2026-12-01, 2026-12-01T11:30, +3d."),
    ] = None,
    latest: Annotated[str | None, typer.Option("--to", metavar="TIME", help="Has ended by then.")] = None,
    region: Regions = None,
    all_regions: AllRegions = False,
    as_json: AsJson = False,
) -> None:
    """What is on sale, where, when, and for how much."""
    from eks_accelerators.accel.blocks.search import SearchOptions, search
    from eks_accelerators.accel.blocks.status import exit_with

    asked = SearchOptions(stack, group, of_type, count, days, earliest, latest, tuple(region or ()), all_regions)
    exit_with(lambda: search(context.obj, asked, Format.of(as_json)))


@blocks.command()
def buy(
    context: typer.Context,
    offering: Annotated[str, typer.Argument(metavar="OFFERING", help="ID of an offering that `search` has shown.")],
    max_price: Annotated[str, typer.Option("--max-price", metavar="USD", help="The most that may be paid up front.")],
    confirm: Annotated[
        str | None, typer.Option(metavar="USD", help="The exact price, in place of typing it when asked.")
    ] = None,
    stack: InStack = None,
    group: InGroup = None,
    block: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Key under capacityBlocks that gets the ID; by default the group's."),
    ] = None,
    purpose: Annotated[
        str, typer.Option(metavar="TEXT", help="Tells apart two purchases that are alike on purpose.")
    ] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check everything, and buy nothing.")] = False,
    of_type: OfType = None,
    count: Count = None,
    days: Days = None,
    region: Annotated[
        str | None, typer.Option(metavar="REGION", help="Where the offering is, if `search` has not shown it.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Buy a block, once. It is paid at once, and can be neither cancelled nor refunded."""
    from eks_accelerators.accel.blocks.buy import PurchaseOptions, buy
    from eks_accelerators.accel.blocks.status import exit_with

    asked = PurchaseOptions(
        offering, max_price, confirm, stack, group, block, purpose, dry_run, of_type, count, days, region
    )
    exit_with(lambda: buy(context.obj, asked, Format.of(as_json)))


@blocks.command()
def clear(
    context: typer.Context,
    offering: Annotated[
        str, typer.Argument(metavar="OFFERING", help="The offering whose purchase has no known outcome.")
    ],
    stack: InStack = None,
    as_json: AsJson = False,
) -> None:
    """Say that an unclear purchase has bought nothing. One hour after it, where AWS shows no such block."""
    from eks_accelerators.accel.blocks.clear import clear
    from eks_accelerators.accel.blocks.status import exit_with

    exit_with(lambda: clear(context.obj, offering, stack, Format.of(as_json)))


Reservation = Annotated[
    str, typer.Argument(metavar="RESERVATION", help="ID of a reservation, such as cr-0123456789abcdef0.")
]


@blocks.command("list")
def list_(
    context: typer.Context,
    stack: InStack = None,
    region: Regions = None,
    all_regions: AllRegions = False,
    as_json: AsJson = False,
) -> None:
    """Blocks that were bought. Purchases whose outcome nobody knows, too."""
    from eks_accelerators.accel.blocks.reservations import ReservationQuery, list_blocks
    from eks_accelerators.accel.blocks.status import exit_with

    exit_with(
        lambda: list_blocks(context.obj, ReservationQuery(stack, tuple(region or ()), all_regions), Format.of(as_json))
    )


@blocks.command()
def show(
    context: typer.Context,
    reservation: Reservation,
    stack: InStack = None,
    region: Regions = None,
    as_json: AsJson = False,
) -> None:
    """One block: size, window, tags, extensions."""
    from eks_accelerators.accel.blocks.reservations import ReservationQuery, show
    from eks_accelerators.accel.blocks.status import exit_with

    exit_with(lambda: show(context.obj, reservation, ReservationQuery(stack, tuple(region or ())), Format.of(as_json)))


@blocks.command()
def extend(
    context: typer.Context,
    reservation: Reservation,
    days: Annotated[
        int | None,
        typer.Option(
            metavar="N", parser=whole_number, help="What is on sale for so many days: 1 to 14, or 21, 28 ... 182."
        ),
    ] = None,
    until: Annotated[
        str | None, typer.Option(metavar="TIME", help="The end that is wanted: 2026-12-06, or with its time.")
    ] = None,
    max_price: Annotated[
        str | None,
        typer.Option("--max-price", metavar="USD", help="With --until: buy it, for so much at most."),
    ] = None,
    confirm: Annotated[
        str | None, typer.Option(metavar="USD", help="The exact price, in place of typing it when asked.")
    ] = None,
    stack: InStack = None,
    region: Regions = None,
    as_json: AsJson = False,
) -> None:
    """What it costs to make a block longer. With --until and --max-price, buys it."""
    from eks_accelerators.accel.blocks.extend import Extension, extend
    from eks_accelerators.accel.blocks.reservations import ReservationQuery
    from eks_accelerators.accel.blocks.status import exit_with

    wanted = Extension(reservation, days, until, max_price, confirm)
    exit_with(lambda: extend(context.obj, wanted, ReservationQuery(stack, tuple(region or ())), Format.of(as_json)))


@blocks.command()
def status(
    context: typer.Context,
    reservation: Annotated[str | None, typer.Argument(metavar="[RESERVATION]", help="Of this block alone.")] = None,
    stack: InStack = None,
    region: Regions = None,
    as_json: AsJson = False,
) -> None:
    """Interconnect and free instances of the blocks that are active."""
    from eks_accelerators.accel.blocks.reservations import ReservationQuery, status
    from eks_accelerators.accel.blocks.status import exit_with

    exit_with(
        lambda: status(context.obj, reservation, ReservationQuery(stack, tuple(region or ())), Format.of(as_json))
    )


@blocks.command()
def watch(
    context: typer.Context,
    reservation: Reservation,
    every: Annotated[int, typer.Option(metavar="SECONDS", min=5, help="How often to ask.")] = 60,
    stack: InStack = None,
    region: Regions = None,
    as_json: AsJson = False,
) -> None:
    """Wait until a block is delivered."""
    from eks_accelerators.accel.blocks.reservations import ReservationQuery, watch
    from eks_accelerators.accel.blocks.status import exit_with

    exit_with(
        lambda: watch(
            context.obj, reservation, ReservationQuery(stack, tuple(region or ())), Format.of(as_json), every=every
        )
    )


@blocks.command()
def calendar(
    context: typer.Context,
    stack: InStack = None,
    region: Regions = None,
    all_regions: AllRegions = False,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Write it as a page too.")] = None,
    as_json: AsJson = False,
) -> None:
    """Blocks over time, and the gaps between them."""
    from eks_accelerators.accel.blocks.reservations import ReservationQuery, show_calendar
    from eks_accelerators.accel.blocks.status import exit_with

    exit_with(
        lambda: show_calendar(
            context.obj, ReservationQuery(stack, tuple(region or ()), all_regions), html, Format.of(as_json)
        )
    )
