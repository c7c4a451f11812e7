"""What `accel policy` prints: a document of IAM."""

import json
from typing import TYPE_CHECKING, Literal

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_pascal

from eks_accelerators.accel.detail import Detail
from eks_accelerators.accel.reports.base import Report, ReportPart

if TYPE_CHECKING:
    from rich.console import Console

Texts = str | tuple[str, ...]
"""One, or a list of them."""


class PolicyStatement(ReportPart):
    """What may be done, and with what."""

    model_config = ConfigDict(alias_generator=to_pascal)

    sid: str = Field(description="Name of the statement, after the scope of its resources")
    effect: Literal["Allow"] = Field(description="Nothing is denied")
    action: Texts = Field(description="Actions of AWS's API, such as `ec2:RunInstances`")
    resource: Texts = Field(description="ARNs of what they act on")
    condition: dict[str, dict[str, Texts]] | None = Field(
        None, exclude_if=lambda value: value is None, description="Values that keys of the request must have"
    )


class PolicyReport(Report):
    """`accel policy` prints a document as IAM takes it, and no other format. Where the rights to deploy a stack do not fit one
    managed policy, `--part 1`, `--part 2` and so on print one each. The exit status is 0, or 2 where there is nothing to make
    one for, or more than one and no `--part`.
    """

    model_config = ConfigDict(alias_generator=to_pascal)

    version: Literal["2012-10-17"] = Field(description="Version of IAM's language")
    statement: tuple[PolicyStatement, ...] = Field(description="What is allowed")

    def print_text(self, out: "Console", _detail: Detail) -> None:
        """The policy as JSON, as IAM takes it."""
        out.print(json.dumps(self.as_data(), indent=2), soft_wrap=True)
