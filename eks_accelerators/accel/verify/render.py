"""A verification for a terminal and for Markdown."""

from collections import Counter

from rich.console import Console
from rich.text import Text

from eks_accelerators.accel.markdown_text import cell, code
from eks_accelerators.accel.reports.verify import VerifiedFinding, VerifyReport
from eks_accelerators.verification.severity import FindingSeverity

_COLOURS = {
    FindingSeverity.ISOLATE: "bold red",
    FindingSeverity.REBOOT: "red",
    FindingSeverity.RESET: "red",
    FindingSeverity.MONITOR: "yellow",
    FindingSeverity.NOT_VERIFIED: "magenta",
    FindingSeverity.PASS: "green",
}
_WORDS = {FindingSeverity.NOT_VERIFIED: "not verified"}
_WIDTH = 14


def print_verification(report: VerifyReport, out: Console, *, everything: bool) -> None:
    """What is wrong with its next step, then what nobody could look at, then how much is fine; all of it with ``everything``."""
    for finding in report.findings:
        if finding.severity is FindingSeverity.PASS and not everything:
            continue
        head = Text(f"{_word(finding.severity):{_WIDTH}}", style=_COLOURS[finding.severity])
        head.append(f"{finding.where}: {finding.found} [{finding.code}]", style="default")
        out.print(head, soft_wrap=True)
        for line in _lines(finding):
            out.print(Text(f"{'':{_WIDTH}}{line}"), soft_wrap=True)
    out.print(f"\n{report.stack}: {verdict(report)}", style="bold", soft_wrap=True)


def verdict(report: VerifyReport) -> str:
    """The outcome in one line: counts, level, seconds, and USD of the nodes that were used where known."""
    counts = report.counts
    wrong = counts.isolate + counts.reboot + counts.reset + counts.monitor
    told = f"{wrong} wrong, {counts.not_verified} not verified, {counts.passed} as expected"
    cost = "" if report.usd is None else f", {report.usd:.2f} USD of nodes"
    outcome = "something is wrong" if wrong else "nothing verified"
    if report.ok and counts.passed:
        outcome = "as expected"
    return f"{outcome}: {told} ({report.level}, {report.seconds} s{cost})"


def markdown(report: VerifyReport) -> str:
    """For a comment or the summary of a workflow."""
    rows = [f"**{cell(report.stack)}: {cell(verdict(report))}**"]
    wrong = [each for each in report.findings if each.severity is not FindingSeverity.PASS]
    if wrong:
        rows += [
            "",
            "| Severity | Code | Where | Found | Expected | Next step |",
            "| --- | --- | --- | --- | --- | --- |",
        ]
    for each in wrong:
        found = "; ".join((each.found, *each.evidence))
        after = f"{each.next_step} (docs/{each.runbook})" if each.severity.failed else ""
        expected = f"{each.expected} ({each.source})"
        words = (_word(each.severity), each.code, each.where, found, expected, after)
        rows.append(f"| {' | '.join(code(text) if text == each.code else cell(text) for text in words)} |")
    passed = Counter(each.code for each in report.findings if each.severity is FindingSeverity.PASS)
    if passed:
        rows += ["", f"As expected: {', '.join(f'{code(name)} ({count})' for name, count in passed.items())}"]
    return "\n".join(rows)


def _word(severity: FindingSeverity) -> str:
    return _WORDS.get(severity, severity.value)


def _lines(finding: VerifiedFinding) -> list[str]:
    if not finding.severity.failed:
        return []
    lines = [f"expected: {finding.expected} ({finding.source})"]
    lines += [f"also:     {line}" for line in finding.evidence]
    lines.append(f"next:     {finding.next_step} (docs/{finding.runbook})")
    return lines
