"""What is wrong with something that is judged by itself: a layout, a configuration file, a question."""

from typing import Literal

from pydantic import Field

from eks_accelerators.accel.reports.base import ReportPart


class FindingReport(ReportPart):
    """One thing that is wrong, or that does not do what it seems to."""

    code: str = Field(description="One of those that the command lists")
    severity: Literal["error", "warning"] = Field(description="An error is refused, a warning is not")
    path: str = Field(description="Where it is: a property path, an option, a profile; empty for the whole")
    line: int | None = Field(description="Line of the text, where there is a text")
    message: str = Field(description="What is wrong, for people")
