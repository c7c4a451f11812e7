"""One verification, from the stack file to the exit status."""

import signal
import sys
import time
from collections.abc import Sequence
from functools import partial

import typer

from eks_accelerators.accel.aws import CannotReachError, Whom
from eks_accelerators.accel.emit import emit
from eks_accelerators.accel.exit_status import ExitStatus
from eks_accelerators.accel.render_text import console, print_problems
from eks_accelerators.accel.report import check_stack
from eks_accelerators.accel.reports.verify import VerifyReport
from eks_accelerators.accel.stacks import StackLocation
from eks_accelerators.accel.terminal_status import TerminalStatus
from eks_accelerators.accel.verify.block_watch import wait_for_block
from eks_accelerators.accel.verify.connection import Connected, VerifyRefusedError, connected
from eks_accelerators.accel.verify.gangs import gang
from eks_accelerators.accel.verify.junit import junit
from eks_accelerators.accel.verify.question import VerifyQuestion
from eks_accelerators.accelerators import clock
from eks_accelerators.accelerators.number_of import number_of
from eks_accelerators.capacity.aws_calls import UnansweredError
from eks_accelerators.capacity.aws_calls.identity import CannotIdentifyError
from eks_accelerators.components.charts import catalogue
from eks_accelerators.settings.resolved_stack import ResolvedStack
from eks_accelerators.simulator import interruption
from eks_accelerators.verification.cluster import ClusterError
from eks_accelerators.verification.device_checks import Level, Scope
from eks_accelerators.verification.effort import effort_of, usd_of
from eks_accelerators.verification.findings import VerificationFinding
from eks_accelerators.verification.run import Verification
from eks_accelerators.verification.severity import FindingSeverity
from eks_accelerators.verification.space import AnotherVerificationError


def verify(location: StackLocation, whom: Whom | None, question: VerifyQuestion) -> ExitStatus:
    """Look at the cluster of the stack at ``location``, or with ``whom`` at a simulated one."""
    checked = check_stack(location)
    stack = checked.checked.stack
    if checked.failed or stack is None:
        print_problems(checked.report.problems, console(sys.stderr))
        return ExitStatus.REFUSED
    try:
        with interruption.raised(), TerminalStatus(console(sys.stderr), "verifying") as status:
            if question.watch_block is not None:
                _answered_before(question)
                stack = wait_for_block(location, whom, stack, question, status.show, partial(_note, status))
            with connected(location, whom, stack, question) as found:
                report = report_of(location.name, found, stack, question, status)
    except KeyboardInterrupt as error:
        number = error.number if isinstance(error, interruption.Interrupted) else signal.SIGINT
        sys.stderr.write("interrupted; nothing of it is left in the cluster\n")
        return ExitStatus.of_signal(number)
    except (VerifyRefusedError, CannotReachError) as error:
        sys.stderr.write(f"{error}\n")
        return ExitStatus.REFUSED
    except (ClusterError, AnotherVerificationError, CannotIdentifyError, UnansweredError) as error:
        sys.stderr.write(f"{error}\n")
        return ExitStatus.UNKNOWN
    emit(report, question.form, question.detail)
    if question.junit is not None:
        try:
            question.junit.write_text(junit(report), encoding="utf-8")
        except OSError as error:
            sys.stderr.write(f"--junit {question.junit}: {error.strerror}\n")
            return ExitStatus.REFUSED
    return status_of(report, strict=question.strict)


def _note(status: TerminalStatus, text: str) -> None:
    """A line that stays."""
    with status.paused():
        sys.stderr.write(f"{text}\n")


def status_of(report: VerifyReport, *, strict: bool) -> ExitStatus:
    """With which status the command ends."""
    if not report.ok:
        return ExitStatus.REFUSED
    unknown = not report.counts.passed or (strict and report.counts.not_verified)
    return ExitStatus.UNKNOWN if unknown else ExitStatus.DONE


def report_of(
    name: str, found: Connected, stack: ResolvedStack, question: VerifyQuestion, status: TerminalStatus
) -> VerifyReport:
    """Look, and say what there is. Raises `ClusterError`, `AnotherVerificationError` and `VerifyRefusedError`."""
    images = {key: entry["image"] for key, entry in catalogue().items() if "image" in entry}
    verification = Verification(
        stack,
        found.cluster,
        images,
        gang,
        question.level,
        status.show,
        partial(_note, status),
        shielded=interruption.put_off,
    )
    scope = verification.scope()
    if question.level is Level.THOROUGH and not question.yes:
        with status.paused():
            _confirm(scope, question.level)
    moment, began = clock.now(), time.monotonic()
    findings = verification.findings()
    seconds = time.monotonic() - began
    return VerifyReport(
        stack=name,
        cluster=found.cluster.address,
        simulated=found.simulated,
        level=question.level,
        began=moment,
        seconds=round(seconds),
        usd=usd_of(scope.nodes(), stack.settings.region, seconds),
        ok=not any(each.severity.failed for each in findings),
        counts=counts_of(findings),
        findings=findings,
    )


def counts_of(findings: Sequence[VerificationFinding]) -> dict[str, int]:
    """How many there are of each severity, by the field of the report."""
    found = [each.severity for each in findings]
    names = {FindingSeverity.PASS: "passed", FindingSeverity.NOT_VERIFIED: "not_verified"}
    return {names.get(severity, severity.value): found.count(severity) for severity in FindingSeverity}


def _confirm(scope: Scope, level: Level) -> None:
    """Say how long it takes and what that costs, and ask. Raises `VerifyRefusedError`."""
    effort = effort_of(level, scope)
    cost = (
        "a price is not known"
        if effort.usd is None
        else f"{effort.usd:.2f} USD of nodes at on-demand prices, which run anyway"
    )
    minutes = max(1, round(effort.seconds / 60))
    nodes, takes = number_of(effort.nodes, "node"), number_of(minutes, "minute")
    told = f"{level} on {nodes} takes about {takes} ({cost})"
    if not sys.stdin.isatty():
        raise VerifyRefusedError(f"{told}; nobody is at the terminal to confirm: add --yes")
    if not typer.confirm(f"{told}. Idle nodes are busy meanwhile. Go on?", err=True):
        raise VerifyRefusedError("not verified")


def _answered_before(question: VerifyQuestion) -> None:
    """Nobody sits there when a block begins, and its hours are paid. Raises `VerifyRefusedError` for what would be asked then."""
    if question.level is Level.THOROUGH and not question.yes:
        raise VerifyRefusedError("--watch-block with --level thorough would ask when the block begins: add --yes")
