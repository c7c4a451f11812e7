"""What a check found: fine, a problem, a warning, or unknown. Unknown is never fine."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from eks_accelerators.capacity.aws_calls import Answer, Failure, Reason


class CheckStatus(StrEnum):
    """A problem stops the deployment at AWS; a warning may; unknown is what could not be asked."""

    OK = "ok"
    PROBLEM = "problem"
    WARNING = "warning"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class CheckFinding:
    """One answer of a check.

    ``path`` is the setting it concerns, ``found`` what AWS has, ``fix`` what to do, empty where nothing is to be done.
    ``calls`` are the calls that it rests on, as commands of the AWS CLI.
    """

    status: CheckStatus
    path: str
    found: str
    fix: str = ""
    calls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckResult:
    """A finding, and the code of the check that found it."""

    code: str
    finding: CheckFinding

    @property
    def status(self) -> CheckStatus:
        """Status of the finding."""
        return self.finding.status


def ok(path: str, found: str, *answers: Answer[Any]) -> CheckFinding:
    """The finding that AWS has what the stack needs at ``path``, as ``answers`` show."""
    return CheckFinding(CheckStatus.OK, path, found, "", _commands(answers))


def problem(path: str, found: str, fix: str, *answers: Answer[Any]) -> CheckFinding:
    """AWS will not let it through."""
    return CheckFinding(CheckStatus.PROBLEM, path, found, fix, _commands(answers))


def warning(path: str, found: str, fix: str, *answers: Answer[Any]) -> CheckFinding:
    """AWS may not let it through, or will not for long."""
    return CheckFinding(CheckStatus.WARNING, path, found, fix, _commands(answers))


def unknown(path: str, *answers: Answer[Any]) -> CheckFinding:
    """It could not be asked: why, of the first of ``answers`` that failed."""
    failure = next(answer.failure for answer in answers if answer.failure)
    return CheckFinding(CheckStatus.UNKNOWN, path, failure.line, fix_of(failure), _commands(answers))


def not_known(path: str, found: str, fix: str, *answers: Answer[Any]) -> CheckFinding:
    """It was asked, and AWS does not say."""
    return CheckFinding(CheckStatus.UNKNOWN, path, found, fix, _commands(answers))


def fix_of(failure: Failure) -> str:
    """What to do about a call without an answer."""
    return _FIXES.get(failure.reason, "try again, or run the call by hand")


def _commands(answers: tuple[Answer[Any], ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(answer.call.command for answer in answers))


_FIXES = {
    Reason.DENIED: "let the caller ask: `accel policy preflight` prints the policy",
    Reason.NO_CREDENTIALS: "sign in, or set AWS_PROFILE",
    Reason.EXPIRED: "sign in again, such as with `aws sso login`",
    Reason.THROTTLED: "run it again in a minute",
    Reason.NO_NETWORK: "check network, proxy and DNS",
    Reason.TIME_OUT: "run it again",
    Reason.NOT_SIMULATED: "ask AWS itself: leave out --simulated",
}
