"""`accel blocks extend`."""

import time
from dataclasses import dataclass

import typer

from accel.aws import Whom
from accel.blocks.confirming import confirmed, price
from accel.blocks.held import Asked, Looking, looking
from accel.blocks.output import moment, money, print_json
from accel.blocks.status import Status
from accel.render_text import console
from accel.report import SCHEMA
from accelerators import clock
from capacity.blocks import ledger as ledgers
from capacity.blocks.extension import ExtensionOffering, extensions, prepare_extension
from capacity.blocks.ledger import Outcome
from capacity.blocks.purchase import unclear_line
from capacity.blocks.spending import spend
from capacity.blocks.state_folder import state_folder


@dataclass(frozen=True, slots=True)
class Extension:
    """What the user wrote. Without ``max_price`` nothing is bought: the offerings are shown."""

    reservation: str
    days: int
    max_price: str | None = None
    confirm: str | None = None


def extend(whom: Whom | None, wanted: Extension, asked: Asked, *, as_json: bool) -> Status:
    """Show what an extension costs, or buy it."""
    ceiling = price(wanted.max_price, "--max-price") if wanted.max_price else None
    with looking(whom, asked) as place:
        region, hours, aws = place.one(wanted.reservation).region, wanted.days * 24, place.reached.aws
        if ceiling is None:
            found = extensions(aws, region, wanted.reservation, hours, clock.now()).offerings
            _offered(wanted, found, place, as_json=as_json)
            return Status.DONE
        with ledgers.alone(place.reached.folder or state_folder()) as ledger:
            offer, spending = prepare_extension(aws, ledger, region, wanted.reservation, hours, ceiling, clock.now())
            if not as_json:
                _show(wanted.reservation, offer)
            confirmed(offer.upfront_fee, wanted.confirm)
            attempt = spend(place.reached.clients(), aws, ledger, spending, clock.now(), time.sleep)
    bought = attempt.outcome is Outcome.BOUGHT
    problem = None if bought else attempt.note if attempt.outcome is Outcome.REFUSED else unclear_line(attempt)
    if as_json:
        print_json(
            {"schema": SCHEMA, "outcome": attempt.outcome.value, "offerings": [_data(offer)], "problem": problem}
        )
    if problem:
        typer.echo(f"not extended: {problem}" if attempt.outcome is Outcome.REFUSED else problem, err=True)
        return Status.UNANSWERED
    if not as_json:
        end = moment(offer.capacity_block_extension_end_date)
        console().print(f"Extended: {wanted.reservation} ends {end} UTC", style="bold green", soft_wrap=True)
    return Status.DONE


def _offered(wanted: Extension, found: tuple[ExtensionOffering, ...], place: Looking, *, as_json: bool) -> None:
    if as_json:
        data = {"outcome": "offered", "offerings": [_data(offer) for offer in found], "problem": None}
        print_json({"schema": SCHEMA, **data})
        return
    out = console()
    for offer in found:
        _show(wanted.reservation, offer)
    if not found:
        out.print(f"No extension of {wanted.reservation} by {wanted.days} days is on sale", soft_wrap=True)
    else:
        simulated = " --simulated" if place.reached.folder else ""
        stack = f" --stack {place.stack.location.name}" if place.stack else ""
        out.print(
            f"To buy it: accel{simulated} blocks extend {wanted.reservation} --days {wanted.days}{stack} "
            f"--max-price {found[0].upfront_fee}",
            soft_wrap=True,
        )


def _show(reservation: str, offer: ExtensionOffering) -> None:
    out = console()
    begins, ends = offer.capacity_block_extension_start_date, offer.capacity_block_extension_end_date
    out.print(
        f"Extension of {reservation}: {offer.instance_count} x {offer.instance_type}", style="bold", soft_wrap=True
    )
    out.print(f"  when   {moment(begins)} to {moment(ends)} UTC, {offer.capacity_block_extension_duration_hours} hours")
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
