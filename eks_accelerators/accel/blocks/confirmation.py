"""The last question before money is spent."""

import sys
from decimal import Decimal, InvalidOperation

import typer

from eks_accelerators.accel.blocks.status import CommandRefusedError
from eks_accelerators.settings.printable import one_line


def price(text: str, option: str) -> Decimal:
    """A price in USD as a user writes it. Raises `CommandRefusedError`."""
    try:
        found = Decimal(text)
    except InvalidOperation:
        found = Decimal("NaN")
    if not found.is_finite() or found <= 0:
        raise CommandRefusedError(f"{option} {one_line(text)}: write a price in USD, such as 10620.52")
    return found


def confirmed(fee: Decimal, given: str | None) -> None:
    """Have the price repeated, exactly: by ``given`` or at the terminal. Raises `CommandRefusedError`."""
    if given is None:
        if not sys.stdin.isatty():
            raise CommandRefusedError(f"not bought: nobody is at the terminal to confirm; to buy, add --confirm {fee}")
        given = typer.prompt("To buy it, type the price in USD; anything else buys nothing", err=True)
    try:
        same = Decimal(given) == fee
    except InvalidOperation:
        same = False
    if not same:
        raise CommandRefusedError(f"not bought: the price is {fee} USD, and {given} was given")
