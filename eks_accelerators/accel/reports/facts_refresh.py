"""What making the data files of facts from AWS's answers finds out."""

from typing import Literal

from pydantic import Field, JsonValue

from eks_accelerators.accel.reports.base import ReportPart, VersionedReport


class RefreshedValue(ReportPart):
    """A value that is another than AWS answers."""

    path: str = Field(description="Where it is in the file")
    change: Literal["added", "changed"] = Field(description="Whether the file lacks it")
    before: JsonValue = Field(description="The value in the file; null where it is added, or not known")
    after: JsonValue = Field(description="What AWS answers")
    source: str = Field(description="The call, and the day")


class ValueByHand(ReportPart):
    """A value that stays, though AWS answers another."""

    path: str = Field(description="Where it is in the file")
    value: JsonValue = Field(description="The value in the file")
    answered: JsonValue = Field(description="What AWS answers")
    reason: str = Field(description="Why it is known better")


class RefreshedFile(ReportPart):
    """A data file in which AWS answers something else."""

    file: str = Field(description="Name of the file")
    changes: tuple[RefreshedValue, ...] = Field(description="Values that AWS answers otherwise")
    kept: tuple[ValueByHand, ...] = Field(description="Values by hand that stay, though AWS answers otherwise")


class FactsRefreshReport(VersionedReport):
    """`tools/refresh_facts.py --json`: what AWS's answers change in the data files of facts. It asks nothing then, and writes with
    `--yes` alone. The exit status is 2 where a value would change and nothing was written, and 3 where AWS did not answer all.
    """

    files: tuple[RefreshedFile, ...] = Field(description="One for each file in which AWS answers something else")
    written: bool = Field(description="Whether the changes are in the files now")
    untold: tuple[str, ...] = Field(description="What stays as it is, as AWS's answers do not have it")
    unanswered: tuple[str, ...] = Field(description="Calls that failed, and why")

    @property
    def changed(self) -> tuple[str, ...]:
        """Names of the files of which a value changes."""
        return tuple(each.file for each in self.files if each.changes)
