"""How a command of `accel blocks` ends: with its status, and one line where it could not do what was asked."""

from collections.abc import Callable
from enum import IntEnum

import typer

from eks_accelerators.accel.aws import NOT_SIGNED_IN, CannotReachError
from eks_accelerators.capacity.aws_calls import UnansweredError
from eks_accelerators.capacity.aws_calls.identity import CannotIdentifyError
from eks_accelerators.capacity.blocks.errors import PurchaseRefusedError as NotBoughtError
from eks_accelerators.capacity.blocks.ledger import LedgerError


class CommandRefusedError(Exception):
    """What was asked is not done. One message, of one line or a few."""


class Status(IntEnum):
    """Exit statuses."""

    DONE = 0
    UNANSWERED = 1
    """AWS failed, or could not be asked."""
    REFUSED = 2
    """Nothing was done: what was asked cannot be, or must not be."""
    NOT_SIGNED_IN = NOT_SIGNED_IN
    """Nothing was asked: there are no credentials, or AWS cannot be reached."""


def exit_with(command: Callable[[], Status]) -> None:
    """Run the command and leave with its status. Raises `typer.Exit`."""
    try:
        status = command()
    except UnansweredError as error:
        typer.echo(str(error), err=True)
        status = Status.UNANSWERED
    except CannotIdentifyError as error:
        typer.echo(str(error), err=True)
        status = Status.NOT_SIGNED_IN
    except (CommandRefusedError, NotBoughtError, LedgerError, CannotReachError) as error:
        typer.echo(str(error), err=True)
        status = Status.REFUSED
    raise typer.Exit(status)
