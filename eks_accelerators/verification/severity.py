"""How bad a finding is: by what has to be done with the node."""

from enum import StrEnum


class FindingSeverity(StrEnum):
    """The worst first. Source of the words: AWS's `gpu-healthcheck.sh` (awsome-distributed-training), read 2026-11-22.

    ``not verified`` is neither good nor bad: nobody could look.
    """

    ISOLATE = "isolate"
    REBOOT = "reboot"
    RESET = "reset"
    MONITOR = "monitor"
    NOT_VERIFIED = "notVerified"
    PASS = "pass"  # noqa: S105  (no password)

    @property
    def failed(self) -> bool:
        """Whether a finding of it says that something is wrong."""
        return self not in (FindingSeverity.NOT_VERIFIED, FindingSeverity.PASS)

    @property
    def rank(self) -> int:
        """Order of severities: 0 for the worst."""
        return list(FindingSeverity).index(self)


MEANS = {
    FindingSeverity.ISOLATE: "Nothing new may run there: cordon the node and replace it",
    FindingSeverity.REBOOT: "The node has to be rebooted; on EKS, replaced",
    FindingSeverity.RESET: "The GPU has to be reset, which on EKS means a reboot or another node",
    FindingSeverity.MONITOR: "It works, or is a matter of settings; find out why before it costs",
    FindingSeverity.NOT_VERIFIED: "Nobody could look: the reason is said",
    FindingSeverity.PASS: "As expected",
}
"""What is to be done, for people."""
