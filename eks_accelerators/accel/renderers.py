"""How reports are shown to people. What shows a report knows its model; the models know nothing of it.

Modules that lay out tables are imported when one is shown: as JSON none is needed.
"""

from collections.abc import Callable, Mapping
from io import StringIO
from typing import TYPE_CHECKING, Any

from rich.console import Console

from eks_accelerators.accel.detail import Detail
from eks_accelerators.accel.reports.base import Report, one_lined

if TYPE_CHECKING:
    from eks_accelerators.accel.reports.blocks import CalendarReport, ListReport, SearchReport, ShowReport, StatusReport
    from eks_accelerators.accel.reports.check import CheckReport
    from eks_accelerators.accel.reports.facts_refresh import FactsRefreshReport
    from eks_accelerators.accel.reports.fit import FitReport
    from eks_accelerators.accel.reports.load import LoadReport
    from eks_accelerators.accel.reports.mig import MigReport
    from eks_accelerators.accel.reports.plan import PlanReport
    from eks_accelerators.accel.reports.preflight import PreflightReport
    from eks_accelerators.accel.reports.sharing import SharingReport
    from eks_accelerators.accel.reports.simulate import SimulateReport
    from eks_accelerators.accel.reports.verify import VerifyReport


def print_text(report: Report, out: Console, detail: Detail = Detail.USUAL) -> None:
    """Print the report for a terminal."""
    show = _TEXT.get(type(report).__name__)
    if show is None:
        report.print_text(out, detail)
    else:
        show(report, out, detail)


def markdown(report: Report) -> str:
    """The report in Markdown of GitHub: unless a report has better, its text as it is."""
    from eks_accelerators.accel.markdown_text import fence
    from eks_accelerators.accel.render_text import console

    if better := _MARKDOWN.get(type(report).__name__):
        return better(report)
    stream = StringIO()
    print_text(one_lined(report), console(stream))
    return "\n".join(fence(stream.getvalue().rstrip().splitlines()))


def _fit(report: "FitReport", out: Console, detail: Detail) -> None:
    """The table, or the best of it as a fragment of a stack file."""
    from eks_accelerators.accel.fit.render import print_answer, print_best

    if detail is Detail.BEST:
        print_best(report, out)
    else:
        print_answer(report, out, everything=detail is Detail.EVERYTHING)


def _check(report: "CheckReport", out: Console, _: Detail) -> None:
    """The tables, what sharing does, cost and problems."""
    from eks_accelerators.accel.render_text import print_report

    print_report(report, out)


def _check_markdown(report: "CheckReport") -> str:
    """For a comment on a pull request."""
    from eks_accelerators.accel.render_markdown import markdown

    return markdown(report)


def _plan(report: "PlanReport", out: Console, detail: Detail) -> None:
    """What changes, and the plan."""
    if report.changes:
        from eks_accelerators.accel.render_changes import print_changes

        print_changes(report.changes, out)
    _check(report, out, detail)


def _search(report: "SearchReport", out: Console, _: Detail) -> None:
    """A table of what is on sale, and how to buy the cheapest."""
    from eks_accelerators.accel.blocks.render import print_search

    print_search(report, out)


def _list(report: "ListReport", out: Console, _: Detail) -> None:
    """A table of the blocks, and the purchases whose outcome was not known."""
    from eks_accelerators.accel.blocks.render import print_list

    print_list(report, out)


def _show(report: "ShowReport", out: Console, _: Detail) -> None:
    """A line for each property, tag and extension."""
    from eks_accelerators.accel.blocks.render import print_block

    print_block(report, out)


def _status(report: "StatusReport", out: Console, _: Detail) -> None:
    """A table of the blocks."""
    from eks_accelerators.accel.blocks.render import print_status

    print_status(report, out)


def _calendar(report: "CalendarReport", out: Console, _: Detail) -> None:
    """The picture, and what is missing in it."""
    from eks_accelerators.accel.blocks.render import print_calendar

    print_calendar(report, out)


def _sharing(report: "SharingReport", out: Console, _: Detail) -> None:
    """The verdict, what is wrong, and what a node advertises."""
    from eks_accelerators.accel.sharing.render import lines

    out.print("\n".join(lines(report)), soft_wrap=True)


def _simulate(report: "SimulateReport", out: Console, _: Detail) -> None:
    """What was done, how long it takes on real AWS, nodes, pods, cost and what comes next."""
    from eks_accelerators.accel.simulate.render import print_result

    print_result(report, out)


def _load(report: "LoadReport", out: Console, _: Detail) -> None:
    """What came of it, the picture, the timeline, and what it cost."""
    from eks_accelerators.accel.simulate.load_render import print_load

    print_load(report, out)


def _preflight(report: "PreflightReport", out: Console, detail: Detail) -> None:
    """What is wrong first."""
    from eks_accelerators.accel.preflight.render import print_preflight

    print_preflight(report, out, everything=detail is Detail.EVERYTHING)


def _verify(report: "VerifyReport", out: Console, detail: Detail) -> None:
    """What is wrong first."""
    from eks_accelerators.accel.verify.render import print_verification

    print_verification(report, out, everything=detail is Detail.EVERYTHING)


def _verify_markdown(report: "VerifyReport") -> str:
    """A table of what is wrong."""
    from eks_accelerators.accel.verify.render import markdown

    return markdown(report)


def _mig(report: "MigReport", out: Console, _: Detail) -> None:
    """Whether it can be had, where the instances go, and what a node advertises."""
    from eks_accelerators.accel.mig.render import lines

    out.print("\n".join(lines(report)), soft_wrap=True)


def _facts_refresh(report: "FactsRefreshReport", out: Console, _: Detail) -> None:
    """What changes, one value a line."""
    from eks_accelerators.accel.facts.difference import lines

    out.print("\n".join(lines(report)), soft_wrap=True)


_TEXT: Mapping[str, Callable[[Any, Console, Detail], None]] = {
    "FitReport": _fit,
    "CheckReport": _check,
    "PlanReport": _plan,
    "SearchReport": _search,
    "ListReport": _list,
    "ShowReport": _show,
    "StatusReport": _status,
    "CalendarReport": _calendar,
    "SharingReport": _sharing,
    "SimulateReport": _simulate,
    "LoadReport": _load,
    "PreflightReport": _preflight,
    "MigReport": _mig,
    "VerifyReport": _verify,
    "FactsRefreshReport": _facts_refresh,
}
"""What prints a report that does not print itself, by the name of its model."""

_MARKDOWN: Mapping[str, Callable[[Any], str]] = {
    "CheckReport": _check_markdown,
    "PlanReport": _check_markdown,
    "VerifyReport": _verify_markdown,
}
