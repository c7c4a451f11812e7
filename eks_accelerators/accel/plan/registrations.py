"""A plan as far as a comparison reads it: also one that another version of `accel` has printed, with more keys or fewer."""

from pydantic import ConfigDict

from eks_accelerators.accel.reports.base import Properties, ReportPart, Usd
from eks_accelerators.settings.problems import Severity


class _Read(ReportPart):
    model_config = ConfigDict(extra="ignore")


class RegisteredResource(_Read):
    """A resource that a plan registers, as its JSON has it."""

    urn: str
    type: str
    name: str
    inputs: Properties
    ignore_changes: tuple[str, ...] = ()
    property_dependencies: dict[str, tuple[str, ...]] = {}


class _Problem(_Read):
    severity: Severity


class _Cost(_Read):
    usd_per_hour_at_desired: Usd | None = None
    usd_per_hour_at_max: Usd | None = None
    usd_per_month_at_desired: Usd | None = None
    usd_per_month_at_max: Usd | None = None
    unknown_at_max: tuple[str, ...] = ()


class RegisteredPlan(_Read):
    """What is compared of a plan, as its JSON has it."""

    resources: tuple[RegisteredResource, ...]
    problems: tuple[_Problem, ...] = ()
    cost: _Cost | None = None

    @property
    def failed(self) -> bool:
        """Whether it has errors, and registers nothing."""
        return any(problem.severity is Severity.ERROR for problem in self.problems)
