"""`accel images`: what is pinned, and, where it is asked for, what is newer."""

from concurrent.futures import ThreadPoolExecutor

from eks_accelerators.accel.emit import Format, emit
from eks_accelerators.accel.exit_status import ExitStatus
from eks_accelerators.accel.images.newer_tags import newest
from eks_accelerators.accel.images.pinned import Pin, pins
from eks_accelerators.accel.images.registries import Registries, RegistryError
from eks_accelerators.accel.reports.images import ImagesReport, PinnedVersion

_AT_A_TIME = 8


def images(form: Format, *, newer: bool, registries: Registries | None = None) -> ExitStatus:
    """List every pin; with ``newer`` ask the registries what they have since. 3 where one could not be asked."""
    found = pins()
    if newer:
        asked = registries or Registries()
        with ThreadPoolExecutor(_AT_A_TIME) as pool:
            rows = tuple(pool.map(lambda pin: _compared(pin, asked), found))
    else:
        rows = tuple(_row(pin) for pin in found)
    emit(ImagesReport(asked=newer, pinned=rows), form)
    return ExitStatus.UNKNOWN if any(row.unknown for row in rows) else ExitStatus.DONE


def _row(pin: Pin, newer: str | None = None, unknown: str | None = None) -> PinnedVersion:
    return PinnedVersion(
        name=pin.name,
        kind=pin.kind.value,
        registry=pin.registry,
        path=pin.path,
        version=pin.version,
        source=pin.source,
        checked=pin.checked,
        newer=newer,
        unknown=unknown,
    )


def _compared(pin: Pin, registries: Registries) -> PinnedVersion:
    try:
        return _row(pin, newer=newest(registries.versions(pin), pin.version))
    except RegistryError as error:
        return _row(pin, unknown=str(error))
