"""Whether an all-reduce was right and fast enough, as a finding: inside a node and between nodes."""

from eks_accelerators.accelerators.collective_bandwidth import MeasuredBandwidth, thresholds
from eks_accelerators.verification.collectives import CollectiveRun
from eks_accelerators.verification.expected_bandwidth import Verdict, compare, verdict
from eks_accelerators.verification.findings import Subject, VerificationFinding
from eks_accelerators.verification.severity import FindingSeverity


def bandwidth_finding(
    subject: Subject, code: str, run: CollectiveRun, known: MeasuredBandwidth | None, least: float | None, said: str
) -> VerificationFinding:
    """Right and fast enough: beside what is ``known``, or else ``least`` 10^9 bytes per second; None of both expects no speed.

    ``said`` is what the tool says where it did not come to its end.
    """
    expected = _expected(known, least)
    if run.errors:
        return subject.failed(code, expected, "; ".join(run.errors))
    if not run.passed:
        return subject.not_verified(code, expected, f"it did not come to its end: {said}")
    best = max(run.measurements, key=lambda each: each.bus_gb_per_second)
    told = f"{best.bus_gb_per_second:.0f} GB/s at {best.size_bytes / 2**20:.0f} MiB"
    if known is None:
        return subject.judged(code, expected, told, holds=least is None or best.bus_gb_per_second >= least)
    outcome = verdict(run, known)
    if outcome is Verdict.UNKNOWN:
        return subject.not_verified(code, expected, f"{told}, a size that nobody else has measured")
    if outcome is Verdict.AS_EXPECTED:
        return subject.passed(code, expected, told)
    slow = next(each for each in compare(run, known) if each.verdict is outcome)
    told = f"{slow.found_gb_per_second:.0f} of {slow.expected_gb_per_second:.0f} GB/s at {slow.size_bytes} bytes"
    return subject.failed(code, expected, told, None if outcome is Verdict.TOO_SLOW else FindingSeverity.MONITOR)


def _expected(known: MeasuredBandwidth | None, least: float | None) -> str:
    if known:
        size, bandwidth = known.largest
        _, warn_below = thresholds()
        where = known.source.partition(" (")[0]
        return f"all-reduce of {bandwidth:.0f} GB/s at {size // 2**20} MiB, and no less than {warn_below:.0%} at any size ({where})"
    return f"all-reduce of at least {least:.0f} GB/s" if least else "all-reduce, right (no speed is published)"
