"""Lengths as people say them: minutes that add up, seconds where it is short."""

from collections.abc import Sequence

SHORT_SECONDS = 120
"""Durations below this are said in seconds, others in minutes."""


def unit_of(seconds: float) -> tuple[int, str]:
    """Seconds in the unit in which a length is said, and the unit's sign."""
    return (1, "s") if seconds < SHORT_SECONDS else (60, "min")


def said(seconds: float) -> str:
    """A length, such as `49 s` or `9 min`."""
    size, sign = unit_of(seconds)
    return f"{round(seconds / size)} {sign}"


def shares(lengths: Sequence[float], size: int) -> list[int]:
    """The lengths in units of ``size`` seconds, rounded so that they add up to the rounded sum.

    By largest remainder: all are rounded down, and those that lost most get one back.
    """
    exact = [length / size for length in lengths]
    whole = [int(length) for length in exact]
    short = round(sum(exact)) - sum(whole)
    by_loss = sorted(range(len(exact)), key=lambda i: whole[i] - exact[i])
    for index in by_loss[:short]:
        whole[index] += 1
    return whole
