"""A preflight for a terminal: readable without colour and when piped."""

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from eks_accelerators.accel.reports.preflight import PreflightFinding, PreflightReport
from eks_accelerators.accelerators.number_of import number_of
from eks_accelerators.capacity.preflight.result import CheckStatus

_COLOURS = {"ok": "green", "problem": "red", "warning": "yellow", "unknown": "magenta"}
_LONG = 150
"""Characters of a call that are shown unasked."""
_ORDER = ("problem", "unknown", "warning", "ok")


def print_preflight(report: PreflightReport, out: Console, *, everything: bool) -> None:
    """What is wrong first, each with its fix and the call it rests on; what is fine as lines, calls with ``everything``."""
    checks = sorted(report.checks, key=lambda each: _ORDER.index(each.status))
    for each in _together(checks):
        head = Text(f"{each.status:8}", style=_COLOURS[each.status])
        head.append(f"{each.path}: {each.found} [{each.code}]", style="default")
        out.print(head, soft_wrap=True)
        if each.fix:
            out.print(Text(f"{'':8}fix:   {each.fix}"), soft_wrap=True)
        if each.calls and (everything or each.status != "ok"):
            for call in each.calls:
                shown = call if everything or len(call) <= _LONG else f"{call[:_LONG]} ... (whole with --calls)"
                out.print(Text(f"{'':8}asked: {shown}", style="dim"), soft_wrap=True)
    counts = report.counts
    told = ", ".join(f"{getattr(counts, status)} {_PLURAL[status]}" for status in _ORDER)
    verdict = "AWS would let it through" if report.ok else "AWS would not let it through"
    if report.ok and counts.unknown:
        verdict = "nothing is known to stop it" if counts.ok else "nothing could be asked"
    out.print(
        f"\n{report.stack} in {report.region} of {report.account}: {verdict}: {told} ({number_of(report.call_count, 'call')})",
        style="bold",
    )


_PLURAL = {"ok": "ok", "problem": "problems", "warning": "warnings", "unknown": "unknown"}


def _together(checks: list[PreflightFinding]) -> Iterator[PreflightFinding]:
    """What is unknown for one and the same reason is told once, with all its settings."""
    found: dict[tuple[str, ...], list[PreflightFinding]] = {}
    for each in checks:
        is_one = each.status is CheckStatus.UNKNOWN
        found.setdefault((each.found,) if is_one else (each.code, each.path, each.found), []).append(each)
    for alike in found.values():
        paths, codes = (
            ", ".join(dict.fromkeys(texts)) for texts in zip(*((e.path, e.code) for e in alike), strict=True)
        )
        yield alike[0].model_copy(update={"path": paths, "code": codes})
