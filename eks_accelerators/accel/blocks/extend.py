"""`accel blocks extend`."""

import shlex
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

import typer

from eks_accelerators.accel.aws import Whom
from eks_accelerators.accel.blocks.confirmation import confirmed, price
from eks_accelerators.accel.blocks.output import moment, money, print_json
from eks_accelerators.accel.blocks.reservations import Looking, ReservationQuery, looking
from eks_accelerators.accel.blocks.status import CommandRefusedError, Status
from eks_accelerators.accel.render_text import console
from eks_accelerators.accel.report import SCHEMA
from eks_accelerators.accel.simulate.moments import parse_moment
from eks_accelerators.accelerators import clock
from eks_accelerators.capacity.blocks import ledger as ledgers
from eks_accelerators.capacity.blocks.account_reservations import AccountReservation
from eks_accelerators.capacity.blocks.extension import Extended, ExtensionOffering, extensions, prepare_extension
from eks_accelerators.capacity.blocks.ledger import Attempt, Outcome
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


def extend(whom: Whom | None, wanted: Extension, asked: ReservationQuery, *, as_json: bool) -> Status:
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
            _offered(wanted, found, until, place, asked, as_json=as_json)
            return Status.DONE
        if wanted.until is None:
            raise CommandRefusedError(
                "not bought: name the end that is wanted, so that it is bought once however often it is asked for: "
                f"--until {until:{_WRITTEN}} in place of --days {wanted.days}"
            )
        with ledgers.alone(place.reached.folder or state_folder()) as ledger:
            ready = prepare_extension(aws, ledger, block.region, block.id, until, ceiling, clock.now())
            if isinstance(ready, Extended):
                return _found(ready.attempt, place, as_json=as_json)
            offer, spending = ready
            if not as_json:
                _show(wanted.reservation, offer, place)
            confirmed(offer.upfront_fee, wanted.confirm)
            attempt = spend(place.reached.clients(), aws, ledger, spending, clock.now(), time.sleep)
    return _finish(attempt, offer, place, as_json=as_json)


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


def _found(attempt: Attempt, place: Looking, *, as_json: bool) -> Status:
    """What a run has bought that never heard of it. Nothing more is bought."""
    if as_json:
        print_json(_answer("already-bought", [], place))
    else:
        line = f"Extended already, by a run of {moment(attempt.at)} UTC whose answer was lost: {attempt.what}."
        console().print(f"{line} Nothing was bought now.", soft_wrap=True)
    return Status.DONE


def _finish(attempt: Attempt, offer: ExtensionOffering, place: Looking, *, as_json: bool) -> Status:
    refused, bought = attempt.outcome is Outcome.REFUSED, attempt.outcome is Outcome.BOUGHT
    problem = None if bought else attempt.note if refused else unclear_line(attempt)
    if as_json:
        print_json(_answer(attempt.outcome.value, [offer], place, problem))
    if problem:
        typer.echo(f"not extended: {problem}" if refused else problem, err=True)
        return Status.UNANSWERED
    if not as_json:
        end = moment(offer.capacity_block_extension_end_date)
        console().print(f"Extended: {attempt.extends} ends {end} UTC", style="bold green", soft_wrap=True)
    return Status.DONE


def _offered(
    wanted: Extension,
    found: tuple[ExtensionOffering, ...],
    until: datetime,
    place: Looking,
    asked: ReservationQuery,
    *,
    as_json: bool,
) -> None:
    if as_json:
        print_json(_answer("offered", found, place))
        return
    out = console()
    for offer in found:
        _show(wanted.reservation, offer, place)
    if not found:
        out.print(f"No extension of {wanted.reservation} until {moment(until)} UTC is on sale", soft_wrap=True)
        return
    words = ["accel", *(["--simulated"] if place.reached.folder else []), "blocks", "extend", wanted.reservation]
    words += ["--until", f"{found[0].capacity_block_extension_end_date:{_WRITTEN}}"]
    words += [word for region in asked.regions for word in ("--region", region)]
    words += ["--stack", asked.stack] if asked.stack else []
    out.print(f"To buy it: {shlex.join([*words, '--max-price', str(found[0].upfront_fee)])}", soft_wrap=True)


def _answer(
    outcome: str, offers: Sequence[ExtensionOffering], place: Looking, problem: str | None = None
) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "account": place.reached.account,
        "outcome": outcome,
        "offerings": [_data(offer) for offer in offers],
        "problem": problem,
    }


def _show(reservation: str, offer: ExtensionOffering, place: Looking) -> None:
    out = console()
    begins, ends = offer.capacity_block_extension_start_date, offer.capacity_block_extension_end_date
    out.print(
        f"Extension of {reservation}: {offer.instance_count} x {offer.instance_type}", style="bold", soft_wrap=True
    )
    out.print(f"  when   {moment(begins)} to {moment(ends)} UTC, {offer.capacity_block_extension_duration_hours} hours")
    out.print(f"  where  account {place.reached.account}")
    fee = f"{offer.upfront_fee:,.2f} {offer.currency_code}"
    out.print(f"  price  {fee} up front, {offer.per_instance_hour:,.2f} by instance and hour")
    out.print("It is paid at once. It cannot be cancelled, changed or refunded.", style="bold yellow", soft_wrap=True)


def _data(offer: ExtensionOffering) -> dict[str, str | int | None]:
    return {
        "id": offer.capacity_block_extension_offering_id,
        "instanceType": offer.instance_type,
        "instanceCount": offer.instance_count,
        "start": offer.capacity_block_extension_start_date.isoformat(),
        "end": offer.capacity_block_extension_end_date.isoformat(),
        "hours": offer.capacity_block_extension_duration_hours,
        "upfrontFee": str(offer.upfront_fee),
        "currency": offer.currency_code,
        "perInstanceHour": money(offer.per_instance_hour),
    }
