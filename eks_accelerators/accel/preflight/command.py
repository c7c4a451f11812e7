"""One preflight, from the stack file to the exit status."""

import functools
import sys
from collections import Counter
from collections.abc import Callable
from functools import partial

from eks_accelerators.accel import policy
from eks_accelerators.accel.aws import CannotReachError, Whom, aws_of
from eks_accelerators.accel.detail import Detail
from eks_accelerators.accel.emit import Format, emit
from eks_accelerators.accel.exit_status import ExitStatus
from eks_accelerators.accel.plan import Plan, plan
from eks_accelerators.accel.preflight.progress import PreflightProgress
from eks_accelerators.accel.render_text import console, print_problems
from eks_accelerators.accel.reports.preflight import PreflightReport
from eks_accelerators.accel.stacks import StackLocation
from eks_accelerators.accelerators import clock
from eks_accelerators.capacity.aws_calls import Aws
from eks_accelerators.capacity.aws_calls.caller_location import Here, Reach, from_metadata, reach
from eks_accelerators.capacity.aws_calls.identity import CannotIdentifyError
from eks_accelerators.capacity.preflight.inquiry import Inquiry
from eks_accelerators.capacity.preflight.result import CheckResult, CheckStatus
from eks_accelerators.capacity.preflight.run import run


def preflight(
    location: StackLocation,
    whom: Whom | None,
    form: Format,
    detail: Detail,
    *,
    strict: bool,
    my_address: str | None = None,
) -> ExitStatus:
    """Ask AWS, or with ``whom`` a simulated account, about the stack at ``location``.

    ``my_address`` is the one that the internet sees. Settings that are wrong are told, and nothing is asked.
    """
    planned = plan(location)
    if planned.failed or planned.checked.settings is None:
        print_problems(planned.report.problems, console(sys.stderr))
        return ExitStatus.REFUSED
    try:
        with (
            PreflightProgress(console(sys.stderr)) as progress,
            aws_of(whom, location, planned.checked.settings, listen=progress) as reached,
        ):
            # Nobody is anywhere in a simulation, and the API of a simulated cluster is not at its address.
            is_real = reached.folder is None
            locate = from_metadata if is_real and my_address is None else partial(Here, my_address)
            report = ask(planned, reached.aws, reached.account, locate, reach if is_real else None)
    except CannotReachError as error:
        sys.stderr.write(f"{error}\n")
        return ExitStatus.REFUSED
    except CannotIdentifyError as error:
        sys.stderr.write(f"{error}\n")
        return ExitStatus.UNKNOWN
    emit(report, form, detail)
    return status_of(report, strict=strict)


def ask(
    planned: Plan, aws: Aws, account: str, locate: Callable[[], Here] = Here, reach: Reach | None = None
) -> PreflightReport:
    """The report of a preflight of a stack that could be planned, in the account that ``aws`` answers for."""
    settings = planned.checked.settings
    assert settings is not None
    allowed = functools.partial(policy.policy, planned)
    inquiry = Inquiry(planned.checked.stack, settings, aws, clock.now(), allowed, locate, reach)
    return report_of(inquiry, run(inquiry), account)


def status_of(report: PreflightReport, *, strict: bool) -> ExitStatus:
    """Refused where a check has found a problem; with ``strict`` unknown where one could not be answered; else done."""
    if report.counts.problem:
        return ExitStatus.REFUSED
    return ExitStatus.UNKNOWN if strict and report.counts.unknown else ExitStatus.DONE


def report_of(inquiry: Inquiry, results: list[CheckResult], account: str) -> PreflightReport:
    """The report of what the checks have found."""
    counts = Counter(result.status for result in results)
    return PreflightReport(
        stack=inquiry.stack,
        account=account,
        region=inquiry.region,
        ok=not counts[CheckStatus.PROBLEM],
        counts={status.value: counts[status] for status in CheckStatus},
        call_count=len(inquiry.aws.calls),
        checks=results,
    )
