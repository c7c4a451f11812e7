"""The commands of `accel blocks`. Thin: they parse, call and render; what they need they import late."""

from typing import Annotated

import typer

blocks = typer.Typer(
    help="Capacity Blocks: what is on sale, what was bought, and buying it once.",
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
Count = Annotated[int | None, typer.Option("--count", metavar="N", help="Number of instances.")]
Days = Annotated[int | None, typer.Option("--days", metavar="N", help="Length: 1 to 14 days, or 21, 28 ... 182.")]
Regions = Annotated[
    list[str] | None, typer.Option("--region", metavar="REGION", help="Region to ask; may be given several times.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON; docs/json.md describes it.")]


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
    all_regions: Annotated[bool, typer.Option("--all-regions", help="Ask every region of the account.")] = False,
    as_json: AsJson = False,
) -> None:
    """What is on sale, where, when, and for how much."""
    from accel.blocks.search import Asked, search
    from accel.blocks.status import exit_with

    asked = Asked(stack, group, of_type, count, days, earliest, latest, tuple(region or ()), all_regions)
    exit_with(lambda: search(context.obj, asked, as_json=as_json))


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
    from accel.blocks.buy import Asked, buy
    from accel.blocks.status import exit_with

    asked = Asked(offering, max_price, confirm, stack, group, block, purpose, dry_run, of_type, count, days, region)
    exit_with(lambda: buy(context.obj, asked, as_json=as_json))


@blocks.command()
def clear(
    context: typer.Context,
    offering: Annotated[
        str, typer.Argument(metavar="OFFERING", help="The offering whose purchase has no known outcome.")
    ],
    stack: InStack = None,
    as_json: AsJson = False,
) -> None:
    """Say that a purchase without a known outcome has bought nothing, after AWS has shown nothing of it for an hour."""
    from accel.blocks.clear import clear
    from accel.blocks.status import exit_with

    exit_with(lambda: clear(context.obj, offering, stack, as_json=as_json))
