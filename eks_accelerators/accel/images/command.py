"""`accel images`: what is pinned, and, where it is asked for, what is newer."""

import sys

from eks_accelerators.accel.emit import Format, emit
from eks_accelerators.accel.exit_status import ExitStatus
from eks_accelerators.accel.images.comparison import SECONDS, PinComparison, compare
from eks_accelerators.accel.images.pins import pins
from eks_accelerators.accel.images.registries import Registries
from eks_accelerators.accel.render_text import console
from eks_accelerators.accel.reports.images import ImagesReport, PinnedVersion
from eks_accelerators.accel.terminal_status import TerminalStatus


def images(form: Format, *, newer: bool, registries: Registries | None = None, seconds: float = SECONDS) -> ExitStatus:
    """List every pin; with ``newer`` ask the registries what they have since, for ``seconds``. 3 where one could not be asked."""
    if newer:
        with TerminalStatus(console(sys.stderr), "asking the registries") as status:
            found = compare(pins(), registries or Registries(), status.show, seconds)
    else:
        found = [PinComparison(pin) for pin in pins()]
    rows = tuple(map(_row, found))
    emit(ImagesReport(asked=newer, pinned=rows), form)
    return ExitStatus.UNKNOWN if any(row.unknown for row in rows) else ExitStatus.DONE


def _row(found: PinComparison) -> PinnedVersion:
    pin = found.pin
    return PinnedVersion(
        name=pin.name,
        kind=pin.kind.value,
        registry=pin.registry,
        path=pin.path,
        version=pin.version,
        source=pin.source,
        checked=pin.checked,
        newer=found.newer,
        unknown=found.unknown,
    )
