"""`accel monitoring dashboards`: the dashboards of a stack as files, for a Grafana that is there."""

import sys
from collections.abc import Sequence
from pathlib import Path

from eks_accelerators.accel.emit import Format, emit
from eks_accelerators.accel.exit_status import ExitStatus
from eks_accelerators.accel.render_text import console, print_problems
from eks_accelerators.accel.report import check_stack
from eks_accelerators.accel.reports.dashboards import DashboardsReport
from eks_accelerators.accel.stacks import StackLocation
from eks_accelerators.monitoring.dashboards import Dashboard, dashboards_of, panels_left_out
from eks_accelerators.monitoring.deployment import ends_once_deployed
from eks_accelerators.monitoring.metrics import Exporter
from eks_accelerators.settings.printable import one_line


def write_dashboards(
    location: StackLocation, folder: Path, without: Sequence[str], runbooks: str | None, form: Format
) -> ExitStatus:
    """Write a file for each dashboard; what is wrong is said on standard error."""
    if problem := _unknown(without):
        return _refused(problem)
    checked = check_stack(location)
    if checked.failed or checked.settings is None:
        print_problems(checked.report.problems, console(sys.stderr))
        return ExitStatus.REFUSED
    stack, emitted = checked.checked.require(), frozenset(Exporter) - {Exporter(name) for name in without}
    block_ends = ends_once_deployed(stack)
    dashboards = dashboards_of(stack, emitted, block_ends, runbooks)
    try:
        written = [_written(dashboard, folder) for dashboard in dashboards]
    except OSError as error:
        return _refused(
            f"--output {one_line(str(folder))}: cannot be written: {error.strerror}; name a folder of yours"
        )
    left_out = panels_left_out(stack, emitted, block_ends)
    emit(DashboardsReport.model_validate({"stack": location.name, "dashboards": written, "left_out": left_out}), form)
    return ExitStatus.DONE


def _written(dashboard: Dashboard, folder: Path) -> dict[str, str]:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{dashboard.name}.json"
    file.write_text(dashboard.json + "\n", encoding="utf-8")
    return {"name": dashboard.name, "title": dashboard.title, "file": str(file)}


def _unknown(without: Sequence[str]) -> str:
    known = [exporter.value for exporter in Exporter if exporter is not Exporter.PROMETHEUS]
    for name in without:
        if name not in known:
            allowed = ", ".join(known)
            return f"--without: found {one_line(name)}; allowed: {allowed}; name what your Prometheus does not scrape"
    return ""


def _refused(text: str) -> ExitStatus:
    sys.stderr.write(f"{text}\n")
    return ExitStatus.REFUSED
