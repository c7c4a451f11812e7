"""Answers of AWS: a value, or why there is none."""

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from eks_accelerators.capacity.aws_calls.call import Call
from eks_accelerators.capacity.aws_calls.failure import Failure

T = TypeVar("T")


class UnansweredError(Exception):
    """A call has no answer, and who asked cannot do without."""

    def __init__(self, call: Call[Any], failure: Failure) -> None:
        self.call = call
        self.failure = failure
        super().__init__(failure.line)


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """What AWS answered, or why it did not."""

    call: Call[T]
    found: T | None
    failure: Failure | None = None

    @property
    def value(self) -> T:
        """The answer; raises `UnansweredError` where there is none."""
        if self.failure:
            raise UnansweredError(self.call, self.failure)
        return self.found  # type: ignore[return-value]

    @property
    def refusal(self) -> str | None:
        """AWS's code where it understood the question and refused it, as for something that does not exist."""
        return self.failure.code if self.failure and self.failure.reason == "refused" else None
