"""The report of a load for people: what came of it first, then how it went."""

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from eks_accelerators.accel.render_text import dollars
from eks_accelerators.accel.reports.load import LoadReport, LoadSample, LoadStepReport
from eks_accelerators.accel.simulate.load_chart import moment
from eks_accelerators.accel.tables import Row, print_table

_QUIET_SECONDS = 300
"""A line at least as often, also where nothing happens."""


def print_load(report: LoadReport, out: Console) -> None:
    """Whether servers gave what they promise, the picture, the timeline, and what it cost."""
    out.print(
        f"\nLoad on {report.server} of {report.stack} in {report.region}: {moment(report.seconds)} of simulated time, "
        f"{report.pace:g} times as fast as real time",
        style="bold",
        soft_wrap=True,
    )
    out.print(f"Objective: {report.objective}", soft_wrap=True)
    for step in report.steps:
        out.print(f"  {said(step)}", style="green" if step.restored is not None else "red", soft_wrap=True)
    for line in part_lines(report):
        out.print(f"  {line}", soft_wrap=True)
    out.print(Text(f"\n{report.chart}\n"), soft_wrap=True)
    print_table("Timeline", timeline(report), out)
    for line in total_lines(report):
        out.print(line, soft_wrap=True)


def said(step: LoadStepReport) -> str:
    """What came of a step, in words."""
    begin = f"{moment(step.at)}  {step.load}: "
    if step.restored is None:
        return f"{begin}the objective does not hold until the step ends at {moment(step.ends)}"
    return f"{begin}the objective holds {'all the time' if not step.restored else f'after {moment(step.restored)}'}"


def part_lines(report: LoadReport) -> Iterator[str]:
    """What a new server takes, part by part."""
    if report.parts:
        whole = sum(part.seconds for part in report.parts)
        named = " + ".join(f"{part.name} {moment(part.seconds)}" for part in report.parts)
        yield f"a new server takes {moment(whole)}: {named}"


def timeline(report: LoadReport) -> list[Row]:
    """A row for each moment at which something happened, and now and then one where nothing did.

    Alerts that fire when the load begins have no event: the first row tells them.
    """
    first = report.samples[0]
    happened = {first.at: [f"firing from the start: {', '.join(first.alerts)}"]} if first.alerts else {}
    for event in report.events:
        happened.setdefault(event.at, []).append(event.what)
    rows, last = [], -_QUIET_SECONDS
    for sample in _at_events(report, happened):
        said_now = happened.pop(sample.at, [])
        if said_now or sample.at - last >= _QUIET_SECONDS:
            rows.append(_row(sample, said_now))
            last = sample.at
    return rows


def total_lines(report: LoadReport) -> Iterator[str]:
    """The whole load in words, and what has to be known about it."""
    totals = report.totals
    slow = f"{totals.slow / totals.asked:.1%}" if totals.asked else "none"
    yield (
        f"{totals.asked} requests, {totals.answered} answered, {slow} with a first token that came late, "
        f"{totals.broken_off} broken off; {totals.output_tokens_per_second} output tokens per second on average"
    )
    unknown = f", and unknown: {', '.join(totals.unknown)}" if totals.unknown else ""
    yield f"Cost of this time: {dollars(totals.usd)} USD{unknown}"
    for line in report.without:
        yield f"Without: {line}"
    for line in report.doubts:
        yield f"Doubtful: {line}"
    yield "Models, not measurements:"
    for line in report.models:
        yield f"  {line}"


def _at_events(report: LoadReport, happened: dict[int, list[str]]) -> Iterator[LoadSample]:
    """Every sample, and for events between two of them the one before."""
    samples = {sample.at: sample for sample in report.samples}
    last = report.samples[0]
    for at in sorted({*samples, *happened}):
        last = samples.get(at, last)
        yield last if last.at == at else last.model_copy(update={"at": at})


def _row(sample: LoadSample, said_now: list[str]) -> Row:
    return {
        "time": moment(sample.at),
        "in flight": str(sample.in_flight),
        "wait": str(sample.waiting),
        "replicas": str(sample.replicas),
        "answer": str(sample.ready),
        "nodes": ", ".join(f"{name} {count}" for name, count in sample.nodes.items()) or "none",
        "$/hour": dollars(sample.usd_per_hour),
        "what": "; ".join(said_now),
    }
