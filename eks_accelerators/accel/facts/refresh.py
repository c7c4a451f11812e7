"""Making data files from AWS's answers."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import typer

from eks_accelerators.accel.aws import ANY_REGION, CannotReachError
from eks_accelerators.accel.emit import Format, emit
from eks_accelerators.accel.exit_status import ExitStatus
from eks_accelerators.accel.facts.asker import asker_of
from eks_accelerators.accel.reports.facts_refresh import FactsRefreshReport, RefreshedFile, RefreshedValue, ValueByHand
from eks_accelerators.capacity.aws_calls.identity import CannotIdentifyError
from eks_accelerators.capacity.facts.asker import Asker
from eks_accelerators.capacity.facts.fact_values import ABSENT, Change
from eks_accelerators.capacity.facts.refresh import Refreshed, refreshed
from eks_accelerators.capacity.facts.registry import BY_HAND, MADE
from eks_accelerators.settings.paths import dotted
from eks_accelerators.settings.printable import one_line


@dataclass(frozen=True, slots=True)
class RefreshOptions:
    """What to make in ``folder``: the files called ``names``, by default all.

    ``recorded`` and ``record`` are folders of answers; ``check`` writes nothing, ``yes`` does not ask. ``as_json`` does not either,
    and writes with ``yes`` alone.
    """

    folder: Path
    names: Sequence[str] = ()
    recorded: Path | None = None
    record: Path | None = None
    region: str = ANY_REGION
    check: bool = False
    yes: bool = False
    as_json: bool = False


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
    if not any(file.merged.changes for file in files):
        emit(_report(files, asker), Format.of(options.as_json))
    elif not _write(files, asker, options, confirm):
        return ExitStatus.REFUSED
    return ExitStatus.UNKNOWN if asker.unanswered else ExitStatus.DONE


def _write(files: Sequence[Refreshed], asker: Asker, options: RefreshOptions, confirm: Callable[[str], bool]) -> bool:
    """Show what changes, and write it where that is wanted; whether it was."""
    wanted = options.yes and not options.check
    if not options.as_json:
        report = _report(files, asker, written=wanted)
        emit(report, Format.TEXT)
        wanted = wanted or (not options.check and confirm(f"Write {', '.join(report.changed)}?"))
    if wanted:
        for file in files:
            file.write()
    if options.as_json:
        emit(_report(files, asker, written=wanted), Format.JSON)
    return wanted


def _report(files: Sequence[Refreshed], asker: Asker, *, written: bool = False) -> FactsRefreshReport:
    return FactsRefreshReport(
        files=tuple(_of_file(file) for file in files if file.merged.changes or file.merged.kept),
        written=written,
        untold=tuple(asker.untold),
        unanswered=tuple(asker.unanswered),
    )


def _of_file(file: Refreshed) -> RefreshedFile:
    kept = tuple(
        ValueByHand(path=dotted(each.path), value=each.value, answered=each.answered, reason=each.reason)
        for each in file.merged.kept
    )
    return RefreshedFile(file=file.path.name, changes=tuple(map(_value, file.merged.changes)), kept=kept)


def _value(change: Change) -> RefreshedValue:
    added = change.before is ABSENT
    return RefreshedValue(
        path=dotted(change.path),
        change="added" if added else "changed",
        before=None if added else change.before,
        after=change.after,
        source=change.source,
    )
