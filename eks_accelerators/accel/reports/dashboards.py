"""What `accel monitoring dashboards` writes."""

from typing import TYPE_CHECKING

from pydantic import Field

from eks_accelerators.accel.detail import Detail
from eks_accelerators.accel.reports.base import ReportPart, VersionedReport

if TYPE_CHECKING:
    from rich.console import Console


class WrittenDashboard(ReportPart):
    """One dashboard, in a file that Grafana imports."""

    name: str = Field(description="Its address in Grafana, which never changes")
    title: str = Field(description="Title")
    file: str = Field(description="Path of the file")


class MissingPanel(ReportPart):
    """A panel that concerns the stack and has no metrics."""

    dashboard: str = Field(description="The dashboard that it would be in")
    panel: str = Field(description="Its title")
    reason: str = Field(description="Why it cannot be shown")


class DashboardsReport(VersionedReport):
    """`accel monitoring dashboards STACK --json`. The exit status is 0, or 2 where the stack file is wrong, an exporter is unknown, or the
    folder cannot be written.
    """

    stack: str = Field(description="Name of the stack")
    dashboards: tuple[WrittenDashboard, ...] = Field(description="Those that concern the stack, in their order")
    left_out: tuple[MissingPanel, ...] = Field(description="What they do not show")

    def print_text(self, out: "Console", _detail: Detail) -> None:
        """The files, and what is missing."""
        for made in self.dashboards:
            out.print(f"{made.file}  {made.title}", soft_wrap=True)
        if not self.dashboards:
            out.print(
                f"No dashboard concerns the stack {self.stack}, or nobody scrapes what it would show.", soft_wrap=True
            )
        for missing in self.left_out:
            out.print(f"not shown: {missing.dashboard}: {missing.panel}: {missing.reason}", soft_wrap=True)
