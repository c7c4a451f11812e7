"""One alert: when it fires, how urgent it is, whom it concerns, and what its page is."""

from collections.abc import Callable
from dataclasses import dataclass

from eks_accelerators.settings.model.alerts import AlertSeverity
from eks_accelerators.settings.resolved_stack import ResolvedStack

__all__ = ["Alert", "AlertSeverity", "Concern"]


@dataclass(frozen=True, slots=True)
class Concern:
    """Which stacks an alert is for: in words, and as a question to a stack."""

    text: str
    applies: Callable[[ResolvedStack], bool]


@dataclass(frozen=True, slots=True)
class Alert:
    """One alert. Times are Prometheus durations such as `10m`, empty for none.

    ``held`` is how long the expression has to hold before it fires, ``kept`` how long it fires after it held last.
    ``summary`` and ``description`` are templates of Prometheus. ``runbook`` is the name of its page in `docs/runbooks`.
    """

    name: str
    expression: str
    severity: AlertSeverity
    runbook: str
    concern: Concern
    summary: str
    description: str
    held: str = ""
    kept: str = ""
