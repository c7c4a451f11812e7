"""`accel blocks extend`."""

import shlex
import time
from dataclasses import dataclass
from datetime import date, datetime, timedelta

import typer

from eks_accelerators.accel.aws import Whom
from eks_accelerators.accel.blocks.confirmation import confirmed, price
from eks_accelerators.accel.blocks.output import moment
from eks_accelerators.accel.blocks.reservations import Looking, ReservationQuery, looking
from eks_accelerators.accel.blocks.status import CommandRefusedError
from eks_accelerators.accel.emit import Format, emit
from eks_accelerators.accel.exit_status import ExitStatus
from eks_accelerators.accel.render_text import console
from eks_accelerators.accel.reports.blocks import ExtendReport, ExtensionReport
from eks_accelerators.accel.simulate.moments import parse_moment
from eks_accelerators.accelerators import clock
from eks_accelerators.capacity.blocks import ledger as ledgers
from eks_accelerators.capacity.blocks.account_reservations import AccountReservation
from eks_accelerators.capacity.blocks.extension import Extended, ExtensionOffering, extensions, prepare_extension
from eks_accelerators.capacity.blocks.ledger import Attempt, PurchaseOutcome
from eks_accelerators.capacity.blocks.lost_purchases import unclear_line
from eks_accelerators.capacity.blocks.spending import spend
from eks_accelerators.capacity.blocks.state_folder import state_folder


@dataclass(frozen=True, slots=True)
class Extension:
    """What the user wrote. Without ``max_price`` nothing is bought: the offerings are shown."""

    reservation: str
    days: int | None = None
    until: str | None = None
    max_price: str | None = None
    confirm: str | None = None


def extend(whom: Whom | None, wanted: Extension, asked: ReservationQuery, form: Format) -> ExitStatus:
    """Show what an extension costs, or buy it."""
    ceiling = price(wanted.max_price, "--max-price") if wanted.max_price else None
    if (wanted.days is None) == (wanted.until is None):
        raise CommandRefusedError("until when? Say either --until, such as 2026-12-06, or by how many --days")
    with looking(whom, asked) as place:
        block, aws = place.one(wanted.reservation), place.reached.aws
        until = _until(wanted, block)
        if ceiling is None:
            hours = (until - block.end) // timedelta(hours=1)
            found = extensions(aws, block.region, block.id, hours, clock.now()).offerings
            emit(_offered(wanted, found, until, place, asked), form)
            return ExitStatus.DONE
        if wanted.until is None:
            raise CommandRefusedError(
                "not bought: name the end that is wanted, so that it is bought once however often it is asked for: "
                f"--until {until:{_WRITTEN}} in place of --days {wanted.days}"
            )
        with ledgers.alone(place.reached.folder or state_folder()) as ledger:
            ready = prepare_extension(aws, ledger, block.region, block.id, until, ceiling, clock.now())
            if isinstance(ready, Extended):
                emit(_found(ready.attempt, wanted.reservation, place), form)
                return ExitStatus.DONE
            offer, spending = ready
            shown = ExtensionReport.model_validate(offer)
            if form is Format.TEXT:
                shown.print_terms(console(), place.reached.account, wanted.reservation)
            confirmed(offer.upfront_fee, wanted.confirm)
            attempt = spend(place.reached.clients(), aws, ledger, spending, clock.now(), time.sleep)
    return _finish(attempt, shown, place, form)


_WRITTEN = "%Y-%m-%dT%H:%M"


def _until(wanted: Extension, block: AccountReservation) -> datetime:
    """The end that is wanted. A day alone means the time of that day at which the block ends anyway."""
    if wanted.until is None:
        return block.end + timedelta(days=wanted.days or 0)
    try:
        if wanted.until.startswith("+"):  # would be another end each time
            raise ValueError
        if len(wanted.until) == len("2026-12-06"):
            return datetime.combine(date.fromisoformat(wanted.until), block.end.timetz())
        return parse_moment(wanted.until, block.end)
    except ValueError:
        raise CommandRefusedError(
            f"--until {wanted.until}: write a day or a time, such as {block.end:{_WRITTEN}}"
        ) from None


def _found(attempt: Attempt, reservation: str, place: Looking) -> ExtendReport:
    """What a run has bought that never heard of it. Nothing more is bought."""
    line = f"Extended already, by a run of {moment(attempt.at)} UTC whose answer was lost: {attempt.what}."
    return ExtendReport(
        account=place.reached.account,
        outcome="already-bought",
        reservation=reservation,
        said=f"{line} Nothing was bought now.",
    )


def _finish(attempt: Attempt, offer: ExtensionReport, place: Looking, form: Format) -> ExitStatus:
    said = problem = None
    match attempt.outcome:
        case PurchaseOutcome.BOUGHT:
            said, status = f"Extended: {attempt.extends} ends {moment(offer.end)} UTC", ExitStatus.DONE
        case PurchaseOutcome.REFUSED:
            problem, status = attempt.note, ExitStatus.FAILED
        case _:
            problem, status = unclear_line(attempt), ExitStatus.UNKNOWN
    report = ExtendReport(
        account=place.reached.account,
        outcome=attempt.outcome,
        offerings=(offer,),
        problem=problem,
        reservation=attempt.extends,
        said=said,
    )
    emit(report, form)
    if problem:
        typer.echo(f"not extended: {problem}" if status is ExitStatus.FAILED else problem, err=True)
    return status


def _offered(
    wanted: Extension,
    found: tuple[ExtensionOffering, ...],
    until: datetime,
    place: Looking,
    asked: ReservationQuery,
) -> ExtendReport:
    said = f"No extension of {wanted.reservation} until {moment(until)} UTC is on sale"
    if found:
        words = ["accel", *(["--simulated"] if place.reached.folder else []), "blocks", "extend", wanted.reservation]
        words += ["--until", f"{found[0].capacity_block_extension_end_date:{_WRITTEN}}"]
        words += [word for region in asked.regions for word in ("--region", region)]
        words += ["--stack", asked.stack] if asked.stack else []
        said = f"To buy it: {shlex.join([*words, '--max-price', str(found[0].upfront_fee)])}"
    return ExtendReport(
        account=place.reached.account,
        outcome="offered",
        offerings=found,
        reservation=wanted.reservation,
        said=said,
    )
