"""What the commands of `accel blocks` find out. Money is in the currency that stands beside it."""

from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, PlainSerializer, WithJsonSchema

from eks_accelerators.accel.blocks.output import moment, percent, short
from eks_accelerators.accel.detail import Detail
from eks_accelerators.accel.reports.base import Moment, ReportPart, Usd, VersionedReport, one_lined

if TYPE_CHECKING:
    from rich.console import Console

Fee = Annotated[Decimal, WithJsonSchema({"type": "string", "pattern": r"^\d+(\.\d+)?$", "title": "money"})]
Hours = Annotated[Decimal, PlainSerializer(short), WithJsonSchema({"type": "string", "pattern": r"^\d+(\.\d{1,2})?$"})]

FINAL = "It is paid at once. It cannot be cancelled, changed or refunded."


class OfferingReport(ReportPart):
    """A Capacity Block on sale."""

    id: str = Field(description="ID of the offering")
    region: str = Field(description="AWS region")
    zone: str = Field(description="Availability zone")
    instance_type: str = Field(description="EC2 instance type")
    instance_count: int = Field(description="Number of instances")
    start: Moment = Field(description="When it starts, in UTC")
    end: Moment = Field(description="When it ends")
    hours: Hours = Field(description="Length in hours")
    upfront_fee: Fee = Field(validation_alias="fee", description="What is paid at once")
    currency: str = Field(description="Currency of the amounts")
    per_instance_hour: Usd = Field(description="The fee by instance and hour")
    per_accelerator_hour: Usd | None = Field(description="By accelerator and hour; null where unknown")
    on_demand_per_instance_hour: Usd | None = Field(
        validation_alias="on_demand", description="Price of an instance on demand in USD; null where unknown"
    )
    of_on_demand: Decimal | None = Field(None, exclude=True, description="The fee as a part of that price")

    def print_terms(self, out: "Console", account: str, use: str) -> None:
        """Print what, when, where, in which account and for how much; ``use`` is where its ID goes."""
        offer = one_lined(self)
        lines = (
            ("what", f"{offer.instance_count} x {offer.instance_type}"),
            ("where", f"{offer.zone}, {offer.region}, account {account}"),
            ("when", f"{moment(offer.start)} to {moment(offer.end)} UTC, {short(offer.hours)} hours"),
            ("price", f"{offer.upfront_fee:,.2f} USD up front, {offer.per_instance_hour:,.2f} by instance and hour"),
            ("", f"{percent(offer.of_on_demand)} of on-demand"),
            ("for", use),
        )
        out.print(f"Capacity Block {offer.id}", style="bold")
        for name, value in lines:
            out.print(f"  {name:7}{value}", soft_wrap=True)
        out.print(FINAL, style="bold yellow", soft_wrap=True)


class FoundOffering(OfferingReport):
    """An offering, and what distinguishes it."""

    notes: tuple[Literal["cheapest", "earliest", "unsuitable"], ...] = Field(
        description="What distinguishes it; `unsuitable` where the node group of `--group` could not use it, as in another zone"
    )


class Wanted(ReportPart):
    """The Capacity Block that was searched for."""

    instance_type: str = Field(description="EC2 instance type")
    instance_count: int = Field(description="Number of instances")
    hours: int = Field(description="Length in hours")
    earliest: Moment | None = Field(serialization_alias="from", description="Starts from then on")
    latest: Moment | None = Field(serialization_alias="to", description="Has ended by then")


class UnaskedRegion(ReportPart):
    """A region that could not be asked."""

    region: str = Field(description="AWS region")
    message: str = Field(description="Why, for people")


class UnansweredSearch(UnaskedRegion):
    """A region that could not be asked, and a word for why."""

    reason: str = Field(description="Why, for programs")


class SearchReport(VersionedReport):
    """What is on sale, and where nothing is."""

    simulated: bool = Field(description="A simulated account was asked")
    assumptions: tuple[str, ...] = Field(description="What is made up in it")
    wanted: Wanted = Field(description="What was searched for")
    offerings: tuple[FoundOffering, ...] = Field(description="What is on sale")
    without: tuple[str, ...] = Field(description="Regions that have none")
    unasked: tuple[UnansweredSearch, ...] = Field(description="Regions that could not be asked")
    to_buy: str | None = Field(exclude=True, description="The command that buys the cheapest")


class BuyReport(VersionedReport):
    """What became of the purchase of one Capacity Block."""

    account: str = Field(description="Number of the account")
    outcome: Literal["bought", "already-bought", "dry-run", "refused", "unclear"] = Field(
        description="What became of it"
    )
    offering: OfferingReport | None = Field(None, description="What was to be bought; null where it is bought already")
    reservation: str | None = Field(None, description="ID of the reservation; null where there is none")
    problem: str | None = Field(
        None, description="What went wrong, such as a stack file that could not be written; null where nothing did"
    )
    written: str | None = Field(None, exclude=True, description="Where the ID was written")

    def print_text(self, out: "Console", _detail: Detail) -> None:
        """What became of it; what was refused or is unclear goes to standard error."""
        if self.outcome == "dry-run":
            out.print("Dry run: AWS would take the order. Nothing was bought.", soft_wrap=True)
        if self.outcome == "already-bought":
            out.print(already_bought(self.reservation), soft_wrap=True)
        if self.outcome == "bought":
            out.print(f"Bought: {self.reservation}", style="bold green", soft_wrap=True)
        if self.reservation and (line := self.problem or self.written):
            out.print(line, soft_wrap=True)


def already_bought(reservation: str | None) -> str:
    """What is said of a purchase that was made before."""
    return f"Bought already, as {reservation}. Nothing was bought now."


class BlockReport(ReportPart):
    """A Capacity Block that was bought."""

    id: str = Field(description="ID of its reservation")
    block_id: str | None = Field(description="ID of the block; null where AWS does not say")
    region: str = Field(description="AWS region")
    zone: str = Field(description="Availability zone")
    zone_id: str = Field(description="The zone's ID, which is one for all accounts")
    state: str = Field(description="State of the reservation, such as `scheduled` or `active`")
    instance_type: str = Field(description="EC2 instance type")
    instance_count: int | None = Field(description="Number of instances; null where AWS does not say")
    start: Moment = Field(description="When it starts, in UTC")
    end: Moment = Field(description="When it ends")
    used_by: str | None = Field(description="Node group or stack that it is for")


class AttemptReport(ReportPart):
    """A purchase whose answer was lost."""

    at: Moment = Field(description="When it was made")
    offering: str = Field(description="ID of the offering")
    reservation: str | None = Field(description="ID of the reservation; null where it is not known")
    region: str = Field(description="AWS region")
    stack: str | None = Field(description="Stack that it was for")
    what: str = Field(description="What was to be bought, in words")


class ListReport(VersionedReport):
    """Blocks that were bought, and purchases whose outcome was not known."""

    blocks: tuple[BlockReport, ...] = Field(description="Blocks that were bought")
    found: tuple[AttemptReport, ...] = Field(description="Purchases whose answer was lost and that were made")
    unclear: tuple[AttemptReport, ...] = Field(description="Purchases without a known outcome")
    unasked: tuple[UnaskedRegion, ...] = Field(description="Regions that could not be asked")
    regions: tuple[str, ...] = Field(exclude=True, description="All that were to be asked")


class BoughtExtensionReport(ReportPart):
    """An extension of a block."""

    id: str = Field(validation_alias="capacity_block_extension_offering_id", description="ID of its offering")
    start: Moment = Field(validation_alias="capacity_block_extension_start_date", description="When it starts, in UTC")
    status: str = Field(validation_alias="capacity_block_extension_status", description="Status of it, as AWS says it")


class ShowReport(BlockReport, VersionedReport):
    """One Capacity Block, with its extensions and what is free in it."""

    available: int | None = Field(description="Instances that are free; null where AWS does not say")
    tags: dict[str, str] = Field(description="Tags of the reservation")
    extensions: tuple[BoughtExtensionReport, ...] = Field(description="Extensions that were bought")


class ExtensionReport(ReportPart):
    """An extension on sale."""

    id: str = Field(validation_alias="capacity_block_extension_offering_id", description="ID of the offering")
    instance_type: str = Field(description="EC2 instance type")
    instance_count: int = Field(description="Number of instances")
    start: Moment = Field(validation_alias="capacity_block_extension_start_date", description="When it starts, in UTC")
    end: Moment = Field(validation_alias="capacity_block_extension_end_date", description="When it ends")
    hours: int = Field(validation_alias="capacity_block_extension_duration_hours", description="Length in hours")
    upfront_fee: Fee = Field(description="What is paid at once")
    currency: str = Field(validation_alias="currency_code", description="Currency of the amounts")
    per_instance_hour: Usd = Field(description="The fee by instance and hour")

    def print_terms(self, out: "Console", account: str, reservation: str) -> None:
        """Print what, when, in which account and for how much."""
        offer = one_lined(self)
        out.print(
            f"Extension of {reservation}: {offer.instance_count} x {offer.instance_type}", style="bold", soft_wrap=True
        )
        out.print(f"  when   {moment(offer.start)} to {moment(offer.end)} UTC, {offer.hours} hours")
        out.print(f"  where  account {account}")
        fee = f"{offer.upfront_fee:,.2f} {offer.currency}"
        out.print(f"  price  {fee} up front, {offer.per_instance_hour:,.2f} by instance and hour")
        out.print(FINAL, style="bold yellow", soft_wrap=True)


class ExtendReport(VersionedReport):
    """What an extension costs, or what became of its purchase."""

    account: str = Field(description="Number of the account")
    outcome: Literal["offered", "bought", "already-bought", "refused", "unclear"] = Field(
        description="What became of it; `offered` where nothing was to be bought"
    )
    offerings: tuple[ExtensionReport, ...] = Field(
        (), description="What is on sale; of a purchase the one that was to be bought"
    )
    problem: str | None = Field(None, description="What went wrong; null where nothing did")
    reservation: str = Field(exclude=True, description="ID of the block's reservation")
    said: str | None = Field(None, exclude=True, description="What follows, for people")

    def print_text(self, out: "Console", _detail: Detail) -> None:
        """The offerings, or what became of the purchase."""
        if self.outcome == "offered":
            for offer in self.offerings:
                offer.print_terms(out, self.account, self.reservation)
        if self.said:
            out.print(self.said, style="bold green" if self.outcome == "bought" else None, soft_wrap=True)


class BlockStatusReport(ReportPart):
    """How a block that is active does."""

    reservation: tuple[str, ...] = Field(validation_alias="reservations", description="IDs of its reservations")
    interconnect: str | None = Field(
        validation_alias="interconnect_status", description="Status of the interconnect; null where AWS does not say"
    )
    instances: int | None = Field(validation_alias="total_capacity", description="Number of instances")
    available: int | None = Field(
        validation_alias="total_available_capacity", description="Those that are free for launches"
    )
    unavailable: int | None = Field(
        validation_alias="total_unavailable_capacity", description="Those that cannot be used"
    )
    block_id: str = Field(validation_alias="capacity_block_id", description="ID of the block")


class StatusReport(VersionedReport):
    """Capacity Blocks that are active, with what AWS says of their health."""

    blocks: tuple[BlockStatusReport, ...] = Field(description="Blocks that are active")
    none_said: str = Field(exclude=True, description="What is said where there is none")


class WatchReport(BlockReport, VersionedReport):
    """The block, once it is delivered or over. The exit status is 0 where the block is active, and 2 where it is over."""

    def print_text(self, _out: "Console", _detail: Detail) -> None:
        """Nothing more: each change of its state was said when it came."""


class GapReport(ReportPart):
    """A time between two Capacity Blocks, in which there is none."""

    start: Moment = Field(description="When the block before it ends")
    end: Moment = Field(description="When the next one starts")
    hours: float = Field(description="Its length in hours")


class LaneReport(ReportPart):
    """Blocks that follow each other: of a node group, or of a type that no group uses."""

    name: str = Field(description="Node group, or instance type")
    blocks: tuple[BlockReport, ...] = Field(description="Blocks, the earliest first")
    gaps: tuple[GapReport, ...] = Field(description="Times without a block between them")


class CalendarReport(VersionedReport):
    """Capacity Blocks over time, with the gaps between them."""

    lanes: tuple[LaneReport, ...] = Field(description="A lane for each node group, then one for each other type")
    unasked: tuple[UnaskedRegion, ...] = Field(description="Regions that could not be asked")
    first: datetime = Field(exclude=True, description="Where the picture begins")
    last: datetime = Field(exclude=True, description="Where it ends")
    now: datetime = Field(exclude=True, description="The present")
    page: str | None = Field(exclude=True, description="File with the page that was written")


class ClearReport(VersionedReport):
    """Purchases that count as not made from now on."""

    cleared: tuple[str, ...] = Field(description="Offerings whose purchase counts as not made")
    what: str = Field(exclude=True, description="What it was, in words")

    def print_text(self, out: "Console", _detail: Detail) -> None:
        """What was cleared."""
        out.print(f"Cleared: {self.what}. It counts as not bought.", soft_wrap=True)
