"""What `accel plan` finds out: the report of `accel check`, and what the program registers."""

from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field, JsonValue

from eks_accelerators.accel.reports.base import Properties, ReportPart, Usd
from eks_accelerators.accel.reports.check import CheckReport

Action = Literal["replace", "remove", "add", "change"]
"""What happens to a resource, the gravest first."""


def _known(sources: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    return {name: urns for name, urns in sources.items() if urns}


class ResourceReport(ReportPart):
    """One resource, as the program registers it."""

    as_they_are: ClassVar = frozenset({"inputs", "property_dependencies"})

    urn: str = Field(description="Pulumi's name for it, without a project's organization")
    type: str = Field(description="Type token, such as `aws:eks/nodeGroup:NodeGroup`")
    name: str = Field(description="Name in the program")
    parent: str = Field(description="URN of its parent")
    custom: bool = Field(description="False for components, which exist in Pulumi only")
    protect: bool = Field(description="Pulumi refuses to delete it")
    retain_on_delete: bool = Field(description="Deleting it leaves it in AWS")
    ignore_changes: tuple[str, ...] = Field(description="Properties whose changes are ignored")
    property_dependencies: Annotated[dict[str, tuple[str, ...]], AfterValidator(_known)] = Field(
        description="For each input, the URNs of the resources that its value comes from"
    )
    inputs: Properties = Field(description="Inputs, with the provider's own camelCase keys")


class DifferenceReport(ReportPart):
    """An input of a resource that differs between two revisions."""

    as_they_are: ClassVar = frozenset({"before", "after"})

    path: str = Field(description="Where it is among the inputs")
    before: JsonValue = Field(description="Its value at the other revision, of any type; null where there is none")
    after: JsonValue = Field(description="Its value now")
    replaces: bool = Field(description="Whether this property makes a new resource")
    because: str | None = Field(None, description="Why it changes where only another resource does, else null")


class ChangedResource(ReportPart):
    """A resource that is not at both revisions, or differs between them."""

    action: Action = Field(description="What happens to it")
    urn: str = Field(description="Pulumi's name for it")
    type: str = Field(description="Type token")
    name: str = Field(description="Name in the program")
    grave: str | None = Field(description="What is lost, or bought, by this")
    properties: tuple[DifferenceReport, ...] = Field(description="What differs")


class ChangeCounts(ReportPart):
    """Number of resources by what becomes of them."""

    replace: int = Field(description="Made anew")
    remove: int = Field(description="Gone")
    add: int = Field(description="New")
    change: int = Field(description="Changed in place")


class CostDifference(ReportPart):
    """The difference in cost; null where either side does not know."""

    usd_per_hour_at_desired: Usd | None = Field(description="Per hour, at the desired sizes")
    usd_per_hour_at_max: Usd | None = Field(description="Per hour, at the largest sizes")
    usd_per_month_at_desired: Usd | None = Field(description="For a month of 730 hours, at the desired sizes")
    usd_per_month_at_max: Usd | None = Field(description="For a month of 730 hours, at the largest sizes")
    unknown: tuple[str, ...] = Field(description="Names of lines of either side that cost something unknown")


class Changes(ReportPart):
    """What differs from another revision.

    Which properties replace a resource is a table in `eks_accelerators/accelerators/replacement.py`, taken from the
    providers' schemas. A type that is not in it counts as changed in place; the engine has the last word.
    """

    against: str = Field(description="The revision, as it was given")
    new_stack: bool = Field(description="The stack is not there at that revision")
    against_failed: bool = Field(
        description="That revision has errors of its own and registers nothing: everything shows as new"
    )
    summary: ChangeCounts = Field(description="How many resources are concerned")
    resources: tuple[ChangedResource, ...] = Field(description="Those resources, the grave ones first")
    cost: CostDifference = Field(description="The difference in cost")


class PlanReport(CheckReport):
    """`accel plan <stack> --json`: the keys of [`accel check`](#accel-check), and those below. The exit status is as there. What
    cannot be done at all (no such revision, a program that fails) prints no JSON: a message on standard error, and status 2.

    `accel plan` also judges what the program registers, whoever wrote it. Codes of such problems:
    `launch-template-capacity-block`, `launch-template-instance-type`, `launch-template-forbidden-field`,
    `launch-template-security-groups`, `launch-template-placement`. Their path is `resources.<name of the launch template>`.
    """

    as_they_are: ClassVar = frozenset({"outputs"})

    resources: tuple[ResourceReport, ...] = Field(
        description="Everything that the program registers, what is inside of `eks.Cluster` included; `pulumi up` counts one "
        "more, the stack itself. Empty where the settings have an error: then nothing would be registered"
    )
    outputs: Properties = Field(description="Outputs of the stack")
    changes: Changes | None = Field(
        None,
        exclude_if=lambda value: value is None,
        description="With `--against REF` what differs from that revision; not there without, or where the settings have an error",
    )
