"""What a user asks of `accel verify`."""

from dataclasses import dataclass
from pathlib import Path

from eks_accelerators.accel.detail import Detail
from eks_accelerators.accel.emit import Format
from eks_accelerators.verification.device_checks import Level


@dataclass(frozen=True, slots=True)
class VerifyQuestion:
    """Options of `accel verify`, as the user wrote them."""

    level: Level = Level.QUICK
    kubeconfig: Path | None = None
    """By default the one that kubectl takes."""
    context: str | None = None
    """Of the kubeconfig; by default its current one."""
    faults: tuple[str, ...] = ()
    """What goes wrong in a simulation."""
    watch_block: str | None = None
    """Capacity Block of the stack whose begin is waited for."""
    yes: bool = False
    """Do not ask before what takes long and costs."""
    strict: bool = False
    """Fail where anything could not be verified."""
    junit: Path | None = None
    """File to write JUnit's XML into."""
    form: Format = Format.TEXT
    detail: Detail = Detail.USUAL
