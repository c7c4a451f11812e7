"""`accel facts add` and `accel facts remove`: instance types that the package lacks."""

import sys
from pathlib import Path

from eks_accelerators.accel.aws import ANY_REGION, CannotReachError, Whom, users_region
from eks_accelerators.accel.emit import Format, emit
from eks_accelerators.accel.exit_status import ExitStatus
from eks_accelerators.accel.facts.asker import asker_of
from eks_accelerators.accel.facts.facts_file import put, take
from eks_accelerators.accel.reports.facts import FactsAddReport, FactsRemoveReport
from eks_accelerators.accelerators import instance_types, other_accelerators
from eks_accelerators.capacity.aws_calls.identity import CannotIdentifyError
from eks_accelerators.capacity.facts.type_from_aws import NoSuchTypeError, NotToldError, added
from eks_accelerators.settings.printable import one_line


def add(
    whom: Whom | None,
    project: Path,
    name: str,
    region: str | None,
    *,
    recorded: Path | None = None,
    record: Path | None = None,
    as_json: bool = False,
) -> ExitStatus:
    """Ask AWS for a type, write it down in ``project`` and say what is known of it. The exit status."""
    if reason := _refusal(name):
        sys.stderr.write(f"{one_line(reason)}\n")
        return ExitStatus.REFUSED
    where = region or users_region() or ANY_REGION
    try:
        with asker_of(whom, where, recorded=recorded, record=record) as asker:
            found = added(asker, name)
    except NoSuchTypeError as error:
        sys.stderr.write(f"{one_line(str(error))}\n")
        return ExitStatus.REFUSED
    except (NotToldError, CannotReachError, CannotIdentifyError) as error:
        sys.stderr.write(f"{one_line(str(error))}\n")
        return ExitStatus.UNKNOWN
    path = put(project, found.row)
    report = FactsAddReport(file=str(path), instance_type=dict(found.row), unknown=tuple(found.unknown))
    emit(report, Format.of(as_json))
    return ExitStatus.DONE


def remove(project: Path, name: str, *, as_json: bool = False) -> ExitStatus:
    """Forget a type that was added. The exit status."""
    if take(project, name):
        emit(FactsRemoveReport(removed=name), Format.of(as_json))
        return ExitStatus.DONE
    sys.stderr.write(f"{one_line(name)} is not among the types that were added\n")
    return ExitStatus.REFUSED


def _refusal(name: str) -> str | None:
    """Why the type is not asked for."""
    if instance_types.is_shipped(name):
        return f"the package has facts of {name}: {instance_types.get(name).source}"
    if other := other_accelerators.find(name):
        return other.told
    if other_accelerators.has_no_accelerator(name):
        return f"{name} has no accelerator"
    return None
