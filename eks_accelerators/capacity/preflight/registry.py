"""How a check is written down: one function with a code that reads as words.

A check yields findings. Its docstring says what it asks and where that comes from; `docs/preflight.md` has them all.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from eks_accelerators.capacity.aws_calls import Answer, UnansweredError
from eks_accelerators.capacity.preflight.inquiry import Inquiry
from eks_accelerators.capacity.preflight.result import CheckFinding, CheckResult, unknown

Function = Callable[[Inquiry], Iterator[CheckFinding]]


@dataclass(frozen=True, slots=True)
class Check:
    """One check: its code, the setting it is about as a whole, and the function that asks."""

    code: str
    path: str
    function: Function

    @property
    def description(self) -> str:
        """The check's docstring."""
        return (self.function.__doc__ or "").strip()

    def results(self, inquiry: Inquiry) -> list[CheckResult]:
        """What it finds. What it could not ask is unknown; what it had found by then stands."""
        found: list[CheckFinding] = []
        try:
            found.extend(self.function(inquiry))
        except UnansweredError as error:
            found.append(unknown(self.path, Answer(error.call, None, error.failure)))
        return [CheckResult(self.code, finding) for finding in found]


CHECKS: dict[str, Check] = {}


def check(code: str, path: str) -> Callable[[Function], Function]:
    """Register a function as the check ``code``; ``path`` is the setting that is unknown where it cannot ask at all."""

    def register(function: Function) -> Function:
        if code in CHECKS:
            raise ValueError(f"two checks are called {code}")
        CHECKS[code] = Check(code, path, function)
        return function

    return register
