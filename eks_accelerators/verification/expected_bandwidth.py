"""Whether a test of collective communication was as fast as the same test was elsewhere.

Sizes are compared one by one. The average that the tools print is no measure: a healthy pair of p5.48xlarge has 53 GB/s there.
"""

from dataclasses import dataclass
from enum import StrEnum

from eks_accelerators.accelerators.collective_bandwidth import MeasuredBandwidth, thresholds
from eks_accelerators.verification.collectives import CollectiveRun


class Verdict(StrEnum):
    """How a measured bandwidth compares with the expected one."""

    AS_EXPECTED = "asExpected"
    SLOWER = "slower"
    TOO_SLOW = "tooSlow"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Comparison:
    """One message size, bandwidths in 10^9 bytes per second."""

    size_bytes: int
    found_gb_per_second: float
    expected_gb_per_second: float
    verdict: Verdict


def compare(run: CollectiveRun, expected: MeasuredBandwidth) -> tuple[Comparison, ...]:
    """Every size that both measured, smallest first. What is only an example elsewhere is a warning at most."""
    return tuple(
        Comparison(
            size,
            found.bus_gb_per_second,
            bandwidth,
            _verdict(found.bus_gb_per_second / bandwidth, is_an_example=expected.is_an_example),
        )
        for size, bandwidth in sorted(expected.bus_gb_per_second.items())
        if (found := run.at(size))
    )


def verdict(run: CollectiveRun, expected: MeasuredBandwidth | None) -> Verdict:
    """The worst of all sizes; unknown where nothing can be compared."""
    verdicts = {each.verdict for each in compare(run, expected)} if expected else set()
    return next(
        (each for each in (Verdict.TOO_SLOW, Verdict.SLOWER, Verdict.AS_EXPECTED) if each in verdicts),
        Verdict.UNKNOWN,
    )


def _verdict(part: float, *, is_an_example: bool) -> Verdict:
    fail_below, warn_below = thresholds()
    if part < fail_below and not is_an_example:
        return Verdict.TOO_SLOW
    return Verdict.SLOWER if part < warn_below else Verdict.AS_EXPECTED
