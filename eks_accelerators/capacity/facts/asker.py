"""Asks AWS for facts, and remembers what it did not answer."""

from collections.abc import Iterable, Sequence
from datetime import date
from functools import cached_property
from typing import TypeVar

from eks_accelerators.capacity.aws_calls import Answer, Aws, Call
from eks_accelerators.capacity.aws_calls.call import PascalCase

T = TypeVar("T")


class _Region(PascalCase):
    region_name: str


class Asker:
    """AWS as the caller's account sees it. ``home`` is the region for what is alike in all of them.

    ``unanswered`` has the calls that failed, and why; ``untold`` what AWS answered nothing of, so that it stays as it is.
    """

    def __init__(self, aws: Aws, home: str, today: date) -> None:
        self._aws, self.home, self.today = aws, home, today
        self.unanswered: dict[str, None] = {}
        self.untold: dict[str, None] = {}

    def answer(self, call: Call[T]) -> Answer[T]:
        """The answer to a call whose failure is an answer, too: it is not remembered."""
        return self._aws.ask(call)

    def ask(self, call: Call[T]) -> T | None:
        """The answer; None where there is none."""
        return self.ask_all([call])[0]

    def ask_all(self, calls: Iterable[Call[T]]) -> Sequence[T | None]:
        """The answers to several calls in their order."""
        answers = self._aws.ask_all(calls)
        for answer in answers:
            if answer.failure:
                self.unanswered[f"{answer.failure.line} (asked in {answer.call.region})"] = None
        return [answer.found for answer in answers]

    def miss(self, what: str) -> None:
        """Remember that AWS answered, and that the answer does not have ``what``."""
        self.untold[what] = None

    @cached_property
    def regions(self) -> tuple[str, ...]:
        """The regions of the caller's account: those that it need not switch on, or has."""
        call = Call("ec2", "describe_regions", self.home, "Regions", list[_Region])
        return tuple(sorted(region.region_name for region in self.ask(call) or ()))
