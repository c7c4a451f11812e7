"""Every check of nodes, by level. A new one is one entry of `CHECKS`."""

from eks_accelerators.verification.collective_checks import COLLECTIVE_CHECKS
from eks_accelerators.verification.device_checks import Level, VerificationCheck
from eks_accelerators.verification.diagnostics import DIAGNOSTIC, LONG_DIAGNOSTIC
from eks_accelerators.verification.disk_checks import DISK_CHECK
from eks_accelerators.verification.efa_checks import EFA_CHECK
from eks_accelerators.verification.gpu_checks import GPU_CHECK, VECTOR_CHECK
from eks_accelerators.verification.network_checks import NetworkCheck
from eks_accelerators.verification.neuron_checks import NEURON_CHECK
from eks_accelerators.verification.share_checks import SHARE_CHECK
from eks_accelerators.verification.volume_checks import VolumeCheck

CHECKS: tuple[VerificationCheck, ...] = (
    GPU_CHECK,
    NEURON_CHECK,
    VECTOR_CHECK,
    SHARE_CHECK,
    EFA_CHECK,
    DIAGNOSTIC,
    DISK_CHECK,
    VolumeCheck(),
    *COLLECTIVE_CHECKS,
    LONG_DIAGNOSTIC,
    NetworkCheck(),
)
"""In the order in which they run."""


def checks_of(level: Level) -> list[VerificationCheck]:
    """The checks of a level, with those of the levels below it."""
    return [check for check in CHECKS if check.level.rank <= level.rank]
