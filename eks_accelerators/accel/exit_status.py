"""How a command ends, for whoever calls it: one enumeration for all of them."""

from enum import IntEnum
from typing import Self


class ExitStatus(IntEnum):
    """The number with which a command ends, and its ``meaning`` (`docs/json.md` has them all)."""

    meaning: str

    def __new__(cls, number: int, meaning: str) -> Self:
        """A status that says what it means."""
        member = int.__new__(cls, number)
        member._value_, member.meaning = number, meaning
        return member

    DONE = 0, "Done; what was looked at has no error"
    FAILED = (
        1,
        (
            "It was tried and failed: a simulated deployment, a load whose servers are too slow at its end, a purchase that AWS "
            "refused, an ID that could not be written into the stack file"
        ),
    )
    REFUSED = (
        2,
        (
            "The answer is no, or what was given is wrong: an error among the settings, a problem that a check found, an option "
            "that cannot be. Nothing was changed"
        ),
    )
    UNKNOWN = (
        3,
        (
            "It is not known: no credentials that AWS takes, AWS did not answer, a purchase without a known outcome; with "
            "`--strict` a check that could not be asked"
        ),
    )
    HUNG_UP = 129, "Ended by SIGHUP, as 128 and the number of the signal"
    INTERRUPTED = 130, "Ended by Ctrl-C (SIGINT)"
    TERMINATED = 143, "Ended by SIGTERM"

    @classmethod
    def of_signal(cls, number: int) -> "ExitStatus":
        """The status of a command that a signal has ended."""
        return next(status for status in cls if status == 128 + number)
