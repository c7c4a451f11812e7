"""Blocks that were bought: `accel blocks list`, `show`, `status`, `watch` and `calendar`."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from eks_accelerators.accel.aws import ANY_REGION, Reached, Whom, aws_of
from eks_accelerators.accel.blocks.calendar_html import page
from eks_accelerators.accel.blocks.output import moment
from eks_accelerators.accel.blocks.search import home_region
from eks_accelerators.accel.blocks.stack import Chosen, chosen
from eks_accelerators.accel.blocks.status import CommandRefusedError
from eks_accelerators.accel.emit import Format, emit
from eks_accelerators.accel.exit_status import ExitStatus
from eks_accelerators.accel.render_text import console
from eks_accelerators.accel.reports.blocks import (
    BlockReport,
    CalendarReport,
    GapReport,
    LaneReport,
    ListReport,
    ShowReport,
    StatusReport,
    UnaskedRegion,
    WatchReport,
)
from eks_accelerators.accelerators import clock
from eks_accelerators.accelerators.block_tags import STACK_TAG
from eks_accelerators.capacity.aws_calls import UnansweredError
from eks_accelerators.capacity.blocks import calendar
from eks_accelerators.capacity.blocks import ledger as ledgers
from eks_accelerators.capacity.blocks.account_reservations import AccountReservation, held
from eks_accelerators.capacity.blocks.lost_purchases import Settled, history_call, settle_open
from eks_accelerators.capacity.blocks.search import known_regions
from eks_accelerators.capacity.blocks.state_folder import state_folder
from eks_accelerators.capacity.blocks.status import statuses


@dataclass(frozen=True, slots=True)
class ReservationQuery:
    """In which regions Capacity Blocks are looked for: the stack's, those that are named, or all."""

    stack: str | None = None
    regions: tuple[str, ...] = ()
    all_regions: bool = False


@dataclass(frozen=True, slots=True)
class Looking:
    """Where is looked, and for whom."""

    reached: Reached
    stack: Chosen | None
    regions: tuple[str, ...]

    def held(self) -> tuple[list[AccountReservation], list[UnaskedRegion]]:
        """Blocks in the regions, and the regions that could not be asked, with the reason."""
        blocks, unasked = [], []
        for region in self.regions:
            try:
                blocks += held(self.reached.aws, region)
            except UnansweredError as error:
                unasked.append(UnaskedRegion(region=region, message=str(error)))
        return sorted(blocks, key=lambda block: (block.start, block.id)), unasked

    def one(self, reservation: str) -> AccountReservation:
        """The block with that reservation. Raises `CommandRefusedError` where there is none."""
        blocks, unasked = self.held()
        found = next((block for block in blocks if block.id == reservation), None)
        if found is None and unasked:
            raise CommandRefusedError("\n".join(f"could not ask {each.region}: {each.message}" for each in unasked))
        if found is None:
            raise CommandRefusedError(f"there is no Capacity Block {reservation} in {', '.join(self.regions)}")
        return found

    def report(self, block: AccountReservation) -> BlockReport:
        """What there is to say of a block. It is used by a node group of the stack, or by the stack it was bought for."""
        return block_report(block, self.users().get(block.id) or block.tags.get(STACK_TAG))

    def users(self) -> dict[str, str]:
        """Node groups by the reservations that they name."""
        if self.stack is None:
            return {}
        settings = self.stack.settings
        return {
            reservation: name
            for name, group in settings.node_groups.items()
            for key in group.blocks
            if key in settings.capacity_blocks and (reservation := settings.capacity_blocks[key].reservation_id)
        }


def block_report(block: AccountReservation, used_by: str | None) -> BlockReport:
    """A block that somebody uses, or nobody."""
    return BlockReport(
        id=block.id,
        block_id=block.block_id,
        region=block.region,
        zone=block.zone,
        zone_id=block.zone_id,
        state=block.state,
        instance_type=block.instance_type,
        instance_count=block.count,
        start=block.start,
        end=block.end,
        used_by=used_by or None,
    )


@contextmanager
def looking(whom: Whom | None, asked: ReservationQuery) -> Iterator[Looking]:
    """Open whoever is asked. Raises `CommandRefusedError` where no region is named."""
    stack = chosen(asked.stack)
    with aws_of(
        whom,
        stack.location if stack else None,
        stack.settings if stack else None,
        region=next(iter(asked.regions), None),
    ) as reached:
        home = home_region(reached, stack)
        regions = known_regions(home or ANY_REGION) if asked.all_regions else asked.regions or ((home,) if home else ())
        if not regions:
            raise CommandRefusedError("in which region? Name it with --region, or ask them all with --all-regions")
        yield Looking(reached, stack, tuple(regions))


def list_blocks(whom: Whom | None, asked: ReservationQuery, form: Format) -> ExitStatus:
    """Blocks, and purchases whose outcome nobody knows."""
    with looking(whom, asked) as place:
        blocks, unasked = place.held()
        settled = _settled(place)
        report = ListReport(
            blocks=tuple(place.report(block) for block in blocks),
            found=settled.found,
            unclear=settled.still_open,
            unasked=unasked,
            regions=place.regions,
        )
        emit(report, form)
    return ExitStatus.UNKNOWN if unasked else ExitStatus.DONE


def show(whom: Whom | None, reservation: str, asked: ReservationQuery, form: Format) -> ExitStatus:
    """One block, its extensions, and its status where it is active."""
    with looking(whom, asked) as place:
        block = place.one(reservation)
        history = place.reached.aws.ask_anew(history_call(block.region, block.id)).value
        more = {"available": block.available, "tags": block.tags, "extensions": history}
        emit(ShowReport(**dict(place.report(block)), **more), form)
    return ExitStatus.DONE


def status(whom: Whom | None, reservation: str | None, asked: ReservationQuery, form: Format) -> ExitStatus:
    """Interconnect and free instances of the blocks that are active."""
    with looking(whom, asked) as place:
        found = tuple(
            each
            for region in place.regions
            for each in statuses(place.reached.aws, region)
            if reservation is None or reservation in each.reservations
        )
        none_said = f"No active {reservation or 'Capacity Block'} in {', '.join(place.regions)}"
        emit(StatusReport(blocks=found, none_said=none_said), form)
    return ExitStatus.DONE


def watch(whom: Whom | None, reservation: str, asked: ReservationQuery, form: Format, *, every: int) -> ExitStatus:
    """Wait until the block is delivered. One line for each change of its state."""
    before = None
    with looking(whom, asked) as place:
        while True:
            block = place.one(reservation)
            if block.state != before and form is Format.TEXT:
                console().print(f"{moment(clock.now())} UTC  {block.id} is {block.state}", soft_wrap=True)
            before = block.state
            if block.state == "active" or block.is_over:
                break
            if place.reached.folder:
                raise CommandRefusedError(
                    f"the simulated clock stands at {moment(clock.now())} UTC and {block.id} starts {moment(block.start)} "
                    f"UTC: move it with accel simulate STACK --at {block.start:%Y-%m-%dT%H:%M}"
                )
            time.sleep(every)
        emit(WatchReport(**dict(place.report(block))), form)
    return ExitStatus.DONE if block.state == "active" else ExitStatus.REFUSED


def show_calendar(whom: Whom | None, asked: ReservationQuery, html: Path | None, form: Format) -> ExitStatus:
    """Blocks over time, in the terminal or as a page."""
    with looking(whom, asked) as place:
        blocks, unasked = place.held()
        lanes = calendar.lanes(blocks, place.users())
        now = clock.now()
        first, last = calendar.span(lanes, now)
        if html:
            title = f"Capacity Blocks{f' of {place.stack.location.name}' if place.stack else ''}"
            try:
                html.write_text(page(title, lanes, first, last, now), encoding="utf-8")
            except OSError as error:
                raise CommandRefusedError(f"{html} cannot be written: {error.strerror}") from None
        report = CalendarReport(
            lanes=tuple(lane_report(lane, place.report) for lane in lanes),
            unasked=unasked,
            first=first,
            last=last,
            now=now,
            page=str(html) if html else None,
        )
        emit(report, form)
    return ExitStatus.UNKNOWN if unasked else ExitStatus.DONE


def lane_report(lane: calendar.Lane, block: Callable[[AccountReservation], BlockReport]) -> LaneReport:
    """A lane; ``block`` gives what there is to say of each block in it."""
    return LaneReport(
        name=lane.name,
        blocks=tuple(map(block, lane.blocks)),
        gaps=tuple(
            GapReport(start=gap.start, end=gap.end, hours=round(gap.length.total_seconds() / 3600, 2))
            for gap in lane.gaps
        ),
    )


def _settled(place: Looking) -> Settled:
    """Purchases that had no known outcome: those that AWS shows by now, and the others."""
    folder = place.reached.folder or state_folder()
    if not any(attempt.outcome.is_open for attempt in ledgers.attempts(folder)):
        return Settled()
    with ledgers.alone(folder) as ledger:
        return settle_open(place.reached.aws, ledger, place.reached.account)
