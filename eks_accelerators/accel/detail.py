"""How much of a report its text shows."""

from enum import StrEnum


class Detail(StrEnum):
    """How much of a report its text shows; JSON has all of it."""

    USUAL = "usual"
    EVERYTHING = "everything"
    BEST = "best"
