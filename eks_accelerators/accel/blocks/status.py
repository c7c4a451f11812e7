"""How a command of `accel blocks` ends: with its status, and one line where it could not do what was asked."""

from collections.abc import Callable

import typer

from eks_accelerators.accel.aws import CannotReachError
from eks_accelerators.accel.exit_status import ExitStatus
from eks_accelerators.capacity.aws_calls import UnansweredError
from eks_accelerators.capacity.aws_calls.identity import CannotIdentifyError
from eks_accelerators.capacity.blocks.errors import NotBoughtError
from eks_accelerators.capacity.blocks.ledger import LedgerError


class CommandRefusedError(Exception):
    """What was asked is not done. One message, of one line or a few."""


def exit_with(command: Callable[[], ExitStatus]) -> None:
    """Run the command and leave with its status. Raises `typer.Exit`."""
    try:
        status = command()
    except (UnansweredError, CannotIdentifyError) as error:
        typer.echo(str(error), err=True)
        status = ExitStatus.UNKNOWN
    except (CommandRefusedError, NotBoughtError, LedgerError, CannotReachError) as error:
        typer.echo(str(error), err=True)
        status = ExitStatus.REFUSED
    raise typer.Exit(status)
