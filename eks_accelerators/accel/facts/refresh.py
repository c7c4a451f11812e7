"""Making data files from AWS's answers."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import typer

from eks_accelerators.accel.aws import ANY_REGION, CannotReachError
from eks_accelerators.accel.exit_status import ExitStatus
from eks_accelerators.accel.facts.asking import asker_of
from eks_accelerators.accel.facts.difference import lines
from eks_accelerators.capacity.aws_calls.identity import CannotIdentifyError
from eks_accelerators.capacity.facts.asker import Asker
from eks_accelerators.capacity.facts.refreshing import Refreshed, refreshed
from eks_accelerators.capacity.facts.registry import BY_HAND, MADE
from eks_accelerators.settings.printable import one_line


@dataclass(frozen=True, slots=True)
class RefreshOptions:
    """What to make in ``folder``: the files called ``names``, by default all.

    ``recorded`` and ``record`` are folders of answers; ``check`` writes nothing, ``yes`` does not ask.
    """

    folder: Path
    names: Sequence[str] = ()
    recorded: Path | None = None
    record: Path | None = None
    region: str = ANY_REGION
    check: bool = False
    yes: bool = False


def refresh(options: RefreshOptions, confirm: Callable[[str], bool] = typer.confirm) -> ExitStatus:
    """Show what AWS's answers change, and write it where that is wanted.

    The files are as AWS answers, or were written (`DONE`); they are not, or the question was wrong (`REFUSED`); AWS did not
    answer all (`UNKNOWN`).
    """
    names = options.names or list(MADE)
    if wrong := [name for name in names if name not in MADE]:
        for name in wrong:
            reason = f"by hand: {BY_HAND[name]}" if name in BY_HAND else f"no such file; there are {', '.join(MADE)}"
            sys.stderr.write(f"{one_line(name)}: {reason}\n")
        return ExitStatus.REFUSED
    try:
        with asker_of(None, options.region, recorded=options.recorded, record=options.record) as asker:
            files = list(refreshed(asker, options.folder, names))
    except (CannotReachError, CannotIdentifyError) as error:
        sys.stderr.write(f"{one_line(str(error))}\n")
        return ExitStatus.UNKNOWN
    for line in (*lines(files), *_left(asker)):
        typer.echo(line)
    changed = [file for file in files if file.merged.changes]
    if not changed:
        typer.echo("No value changes.")
    elif not _write(changed, options, confirm):
        return ExitStatus.REFUSED
    return ExitStatus.UNKNOWN if asker.unanswered else ExitStatus.DONE


def _write(changed: list[Refreshed], options: RefreshOptions, confirm: Callable[[str], bool]) -> bool:
    if options.check or not (options.yes or confirm(f"Write {', '.join(file.path.name for file in changed)}?")):
        return False
    for file in changed:
        file.write()
    return True


def _left(asker: Asker) -> list[str]:
    """What stays as it is, because AWS says nothing of it or did not answer."""
    told = [f"stays as it is: {line}" for line in asker.untold]
    return [*told, *(f"not answered: {line}" for line in asker.unanswered)]
