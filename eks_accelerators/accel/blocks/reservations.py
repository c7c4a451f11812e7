"""Blocks that were bought: `accel blocks list`, `show`, `status`, `watch` and `calendar`."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eks_accelerators.accel.aws import Reached, Whom, aws_of
from eks_accelerators.accel.blocks.calendar_html import page
from eks_accelerators.accel.blocks.calendar_text import picture
from eks_accelerators.accel.blocks.output import moment, print_json
from eks_accelerators.accel.blocks.search import home_region
from eks_accelerators.accel.blocks.stack import Chosen, chosen
from eks_accelerators.accel.blocks.status import CommandRefusedError, Status
from eks_accelerators.accel.render_text import console
from eks_accelerators.accel.report import SCHEMA
from eks_accelerators.accel.tables import print_table
from eks_accelerators.accelerators import clock
from eks_accelerators.accelerators.block_tags import STACK_TAG
from eks_accelerators.capacity.aws_calls import UnansweredError
from eks_accelerators.capacity.blocks import calendar
from eks_accelerators.capacity.blocks import ledger as ledgers
from eks_accelerators.capacity.blocks.account_reservations import AccountReservation, held
from eks_accelerators.capacity.blocks.ledger import Attempt
from eks_accelerators.capacity.blocks.lost_purchases import Settled, history_call, settle_open
from eks_accelerators.capacity.blocks.search import known_regions
from eks_accelerators.capacity.blocks.state_folder import state_folder
from eks_accelerators.capacity.blocks.status import BlockStatus, statuses
from eks_accelerators.settings.printable import one_line


@dataclass(frozen=True, slots=True)
class ReservationQuery:
    """Where to look."""

    stack: str | None = None
    regions: tuple[str, ...] = ()
    all_regions: bool = False


@dataclass(frozen=True, slots=True)
class Looking:
    """Where is looked, and for whom."""

    reached: Reached
    stack: Chosen | None
    regions: tuple[str, ...]

    def held(self) -> tuple[list[AccountReservation], list[tuple[str, str]]]:
        """Blocks in the regions, and the regions that could not be asked, with the reason."""
        blocks, unasked = [], []
        for region in self.regions:
            try:
                blocks += held(self.reached.aws, region)
            except UnansweredError as error:
                unasked.append((region, str(error)))
        return sorted(blocks, key=lambda block: (block.start, block.id)), unasked

    def one(self, reservation: str) -> AccountReservation:
        """The block with that reservation. Raises `CommandRefusedError` where there is none."""
        blocks, unasked = self.held()
        found = next((block for block in blocks if block.id == reservation), None)
        if found is None and unasked:
            raise CommandRefusedError("\n".join(f"could not ask {region}: {line}" for region, line in unasked))
        if found is None:
            raise CommandRefusedError(f"there is no Capacity Block {reservation} in {', '.join(self.regions)}")
        return found

    def user(self, block: AccountReservation) -> str:
        """Who uses it: the node group of the stack, the key in its file, or the stack that it was bought for."""
        return self.users().get(block.id) or block.tags.get(STACK_TAG, "")

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
        regions = (
            known_regions(home or "us-east-1") if asked.all_regions else asked.regions or ((home,) if home else ())
        )
        if not regions:
            raise CommandRefusedError("in which region? Name it with --region, or ask them all with --all-regions")
        yield Looking(reached, stack, tuple(regions))


def list_blocks(whom: Whom | None, asked: ReservationQuery, *, as_json: bool) -> Status:
    """Blocks, and purchases whose outcome nobody knows."""
    with looking(whom, asked) as place:
        blocks, unasked = place.held()
        settled = _settled(place)
        if as_json:
            print_json(
                {
                    "schema": SCHEMA,
                    "blocks": [_data(block, place) for block in blocks],
                    "found": [_attempt(attempt) for attempt in settled.found],
                    "unclear": [_attempt(attempt) for attempt in settled.still_open],
                    "unasked": [{"region": region, "message": line} for region, line in unasked],
                }
            )
            return Status.UNANSWERED if unasked else Status.DONE
        out = console()
        if blocks:
            print_table("Capacity Blocks", [_row(block, place) for block in blocks], out)
        elif not unasked:
            out.print(f"No Capacity Block in {', '.join(place.regions)}", soft_wrap=True)
        for attempt in settled.found:
            line = (
                f"Bought by a run whose answer was lost: {attempt.what} ({attempt.offering}), {moment(attempt.at)} UTC"
            )
            out.print(line, style="bold green", soft_wrap=True)
        for attempt in settled.still_open:
            out.print(
                f"Unclear: {attempt.what} ({attempt.offering}), {moment(attempt.at)} UTC", style="red", soft_wrap=True
            )
        for region, line in unasked:
            out.print(f"Could not ask {region}: {line}", style="red", soft_wrap=True)
    return Status.UNANSWERED if unasked else Status.DONE


def show(whom: Whom | None, reservation: str, asked: ReservationQuery, *, as_json: bool) -> Status:
    """One block, its extensions, and its status where it is active."""
    with looking(whom, asked) as place:
        block = place.one(reservation)
        history = place.reached.aws.ask_anew(history_call(block.region, block.id)).value
        extensions = [
            {
                "id": each.capacity_block_extension_offering_id,
                "start": each.capacity_block_extension_start_date.isoformat(),
                "status": each.capacity_block_extension_status,
            }
            for each in history
        ]
        data = {**_data(block, place), "available": block.available, "tags": dict(block.tags), "extensions": extensions}
        if as_json:
            print_json({"schema": SCHEMA, **data})
            return Status.DONE
        out = console()
        out.print(f"Capacity Block {block.id}", style="bold")
        for name, value in data.items():
            if name not in ("id", "tags", "extensions"):
                out.print(f"  {name:14}{'unknown' if value is None else value}", soft_wrap=True)
        for key, value in sorted(block.tags.items()):
            out.print(f"  tag           {one_line(f'{key}={value}')}", soft_wrap=True)
        for each in extensions:
            out.print(f"  extension     {each['id']} from {each['start']}, {each['status']}", soft_wrap=True)
    return Status.DONE


def status(whom: Whom | None, reservation: str | None, asked: ReservationQuery, *, as_json: bool) -> Status:
    """Interconnect and free instances of the blocks that are active."""
    with looking(whom, asked) as place:
        found = [
            each
            for region in place.regions
            for each in statuses(place.reached.aws, region)
            if reservation is None or reservation in each.reservations
        ]
        if as_json:
            print_json({"schema": SCHEMA, "blocks": [_status_data(each) for each in found]})
        elif found:
            rows = [{name: _or_unknown(value) for name, value in _status_cells(each).items()} for each in found]
            print_table("Status of active Capacity Blocks", rows, console())
        else:
            which = reservation or "Capacity Block"
            console().print(f"No active {which} in {', '.join(place.regions)}", soft_wrap=True)
    return Status.DONE


def watch(whom: Whom | None, reservation: str, asked: ReservationQuery, *, every: int, as_json: bool) -> Status:
    """Wait until the block is delivered. One line for each change of its state."""
    before = None
    with looking(whom, asked) as place:
        while True:
            block = place.one(reservation)
            if block.state != before and not as_json:
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
        if as_json:
            print_json({"schema": SCHEMA, **_data(block, place)})
    return Status.DONE if block.state == "active" else Status.REFUSED


def show_calendar(whom: Whom | None, asked: ReservationQuery, html: Path | None, *, as_json: bool) -> Status:
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
        if as_json:
            print_json({"schema": SCHEMA, "lanes": [_lane(lane, place) for lane in lanes]})
        else:
            out = console()
            out.print(picture(lanes, first, last, now) if lanes else "No Capacity Block", soft_wrap=True)
            for region, line in unasked:
                out.print(f"Could not ask {region}: {line}", style="red", soft_wrap=True)
            if html:
                out.print(f"Written: {html}", soft_wrap=True)
    return Status.UNANSWERED if unasked else Status.DONE


def _settled(place: Looking) -> Settled:
    """Purchases that had no known outcome: those that AWS shows by now, and the others."""
    folder = place.reached.folder or state_folder()
    if not any(attempt.outcome.is_open for attempt in ledgers.attempts(folder)):
        return Settled()
    with ledgers.alone(folder) as ledger:
        return settle_open(place.reached.aws, ledger, place.reached.account)


def _row(block: AccountReservation, place: Looking) -> dict[str, str]:
    return {
        "reservation": block.id,
        "what": f"{'?' if block.count is None else block.count} x {block.instance_type}",
        "zone": block.zone,
        "state": block.state,
        "start (UTC)": moment(block.start),
        "end (UTC)": moment(block.end),
        "for": place.user(block),
    }


def _data(block: AccountReservation, place: Looking) -> dict[str, Any]:
    return {
        "id": block.id,
        "blockId": block.block_id,
        "region": block.region,
        "zone": block.zone,
        "zoneId": block.zone_id,
        "state": block.state,
        "instanceType": block.instance_type,
        "instanceCount": block.count,
        "start": block.start.isoformat(),
        "end": block.end.isoformat(),
        "usedBy": place.user(block) or None,
    }


def _lane(lane: calendar.Lane, place: Looking) -> dict[str, Any]:
    return {
        "name": lane.name,
        "blocks": [_data(block, place) for block in lane.blocks],
        "gaps": [
            {
                "start": gap.start.isoformat(),
                "end": gap.end.isoformat(),
                "hours": round(gap.length.total_seconds() / 3600, 2),
            }
            for gap in lane.gaps
        ],
    }


def _attempt(attempt: Attempt) -> dict[str, Any]:
    return {
        "at": attempt.at.isoformat(),
        "offering": attempt.offering,
        "reservation": attempt.reservation,
        "region": attempt.region,
        "stack": attempt.stack,
        "what": attempt.what,
    }


def _status_cells(found: BlockStatus) -> dict[str, Any]:
    return {
        "reservation": "\n".join(found.reservations),
        "interconnect": found.interconnect_status,
        "instances": found.total_capacity,
        "available": found.total_available_capacity,
        "unavailable": found.total_unavailable_capacity,
    }


def _status_data(found: BlockStatus) -> dict[str, Any]:
    return {**_status_cells(found), "reservation": list(found.reservations), "blockId": found.capacity_block_id}


def _or_unknown(value: object) -> str:
    return "unknown" if value is None else str(value)
