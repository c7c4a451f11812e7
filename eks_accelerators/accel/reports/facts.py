"""What the commands of `accel facts` find out."""

from typing import TYPE_CHECKING

from pydantic import Field

from eks_accelerators.accel.emit import Detail
from eks_accelerators.accel.reports.base import Properties, ReportPart, VersionedReport

if TYPE_CHECKING:
    from rich.console import Console


class KnownType(ReportPart):
    """An instance type whose facts are known."""

    name: str = Field(description="EC2 instance type")
    own: bool = Field(description="It is the project's, not the package's")
    source: str = Field(description="Where its facts are from")


class FactsListReport(VersionedReport):
    """`accel facts list --json`: every instance type that is known."""

    instance_types: tuple[KnownType, ...] = Field(description="One for each, in the order of the table")

    def print_text(self, out: "Console", _detail: Detail) -> None:
        """One type a line."""
        width = max(len(each.name) for each in self.instance_types)
        for each in self.instance_types:
            out.print(f"{each.name:<{width}}  {'own  ' if each.own else '     '}{each.source}", soft_wrap=True)


class FactsShowReport(VersionedReport, KnownType):
    """`accel facts show TYPE --json`: what is known of one. The exit status is 2 where the type is not known."""

    facts: Properties = Field(
        description="What is known, by the names of `eks_accelerators/accelerators/instance_type.py`; null is unknown"
    )

    def print_text(self, out: "Console", _detail: Detail) -> None:
        """One fact a line; what is not known is unknown."""
        from eks_accelerators.accel.facts.listing import show_text

        out.print(show_text(self), soft_wrap=True)


class FactsAddReport(VersionedReport):
    """`accel facts add TYPE --json`: what AWS told. The exit status is 2 where the type is the package's already, is none
    that is served or is not there, and 3 where AWS could not be asked.
    """

    file: str = Field(description="The file that was written")
    instance_type: Properties = Field(
        description="The row that was written, by the keys of `eks_accelerators/accelerators/data/instance-types.json`"
    )
    unknown: tuple[str, ...] = Field(description="What stays unknown, and why")

    def print_text(self, out: "Console", _detail: Detail) -> None:
        """What is known, what stays unknown, and where it was written."""
        from eks_accelerators.accel.facts.add import lines

        out.print("\n".join(lines(self)), soft_wrap=True)
