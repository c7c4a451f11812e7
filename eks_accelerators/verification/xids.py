"""What an XID asks of whoever owns the node.

Source: `gpu-healthcheck` of awsome-distributed-training (79 and 151 reboot, 54 isolate, 48, 64, 95, 119, 120 and 140
reset), and the classes of `eks_accelerators.monitoring.xids` for all others; read 2026-11-22.
"""

from eks_accelerators.monitoring import xids
from eks_accelerators.verification.severity import FindingSeverity

_REBOOT = frozenset({79, 151})
_ISOLATE = frozenset({54})


def severity_of(xid: int) -> FindingSeverity:
    """What is to be done; a program's own fault passes, and one that has no class is to be watched."""
    if xid in _REBOOT:
        return FindingSeverity.REBOOT
    if xid in _ISOLATE:
        return FindingSeverity.ISOLATE
    classes = xids.classes()
    if xid in classes["reset"].xids:
        return FindingSeverity.RESET
    if xid in classes["application"].xids:
        return FindingSeverity.PASS
    return FindingSeverity.MONITOR
