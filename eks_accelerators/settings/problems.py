"""A problem with the settings: what is wrong, where, what is allowed instead, and the fix."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from eks_accelerators.settings.pasted_secrets import without_secrets
from eks_accelerators.settings.printable import one_line


class Severity(StrEnum):
    """An error stops a deployment before anything is created; a warning does not."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with the settings.

    ``path`` is the property path below the project's namespace, such as `nodeGroups.l4.size.max`;
    ``line`` the line of the stack file, where it is known. A well-known secret in any of the texts is hidden.
    """

    code: str
    severity: Severity
    path: str
    message: str
    found: str
    allowed: str
    fix: str
    line: int | None = None

    def __post_init__(self) -> None:
        for name in ("path", "message", "found", "allowed", "fix"):
            object.__setattr__(self, name, without_secrets(getattr(self, name)))

    def __str__(self) -> str:
        path, message, found, allowed, fix = map(
            one_line, (self.path, self.message, self.found, self.allowed, self.fix)
        )
        where = f"{path} (line {self.line})" if self.line else path
        return (
            f"{self.severity.value}: {where}: {message} [{self.code}]\n"
            f"    found:   {found}\n"
            f"    allowed: {allowed}\n"
            f"    fix:     {fix}"
        )


class SettingsError(Exception):
    """The settings cannot be used; carries every problem found, warnings included."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


def errors(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Those of ``problems`` that stop a deployment."""
    return tuple(problem for problem in problems if problem.severity is Severity.ERROR)
