"""What `accel images` finds out."""

from datetime import date
from typing import TYPE_CHECKING

from pydantic import Field

from eks_accelerators.accel.detail import Detail
from eks_accelerators.accel.reports.base import ReportPart, VersionedReport

if TYPE_CHECKING:
    from rich.console import Console


class PinnedVersion(ReportPart):
    """A container image or a Helm chart in the version that the package takes."""

    name: str = Field(description="Its name in `charts-values/charts.yaml`")
    kind: str = Field(description="`image` or `chart`")
    registry: str = Field(description="Host of the registry, or address of the Helm repository")
    path: str = Field(description="What it is called there")
    version: str = Field(description="Tag of the image, or version of the chart")
    source: str = Field(description="Where the version was read")
    checked: date = Field(description="On which day")
    newer: str | None = Field(
        description="With `--newer` the newest that the registry has since; null where there is none"
    )
    unknown: str | None = Field(
        description="With `--newer` why the registry could not be asked; null where it answered"
    )


class ImagesReport(VersionedReport):
    """`accel images --json`. The exit status is 0, or 3 where a registry could not be asked."""

    asked: bool = Field(description="Whether the registries were asked, with `--newer`")
    pinned: tuple[PinnedVersion, ...] = Field(description="Every image and chart, in the order of the file")

    def print_text(self, out: "Console", _detail: Detail) -> None:
        """One a line; with `--newer` only those that have something newer, or could not be asked."""
        shown = [each for each in self.pinned if not self.asked or each.newer or each.unknown]
        names = max((len(each.name) for each in shown), default=0)
        for each in shown:
            out.print(f"{each.name:<{names}}  {each.kind}  {_line(each, asked=self.asked)}", soft_wrap=True)
        if self.asked:
            newer, unknown = sum(bool(each.newer) for each in shown), sum(bool(each.unknown) for each in shown)
            out.print(
                f"{newer} of {len(self.pinned)} have a newer version, {unknown} could not be asked", soft_wrap=True
            )


def _line(pinned: PinnedVersion, *, asked: bool) -> str:
    if not asked:
        where = f"{pinned.registry}/{pinned.path}"
        return f"{where} {pinned.version}  {pinned.checked.isoformat()}: {pinned.source}"
    return f"{pinned.version} -> {pinned.newer}" if pinned.newer else f"{pinned.version}  unknown: {pinned.unknown}"
