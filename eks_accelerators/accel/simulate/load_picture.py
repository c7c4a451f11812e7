"""A load over time as a picture: a page of SVG without script, font or address, in the reader's light or dark mode."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from xml.etree import ElementTree as ET

from eks_accelerators.accel.reports.load import LoadReport, LoadSample
from eks_accelerators.accel.simulate.load_chart import moment
from eks_accelerators.monitoring import svg
from eks_accelerators.settings.printable import one_line

WIDTH, LEFT, RIGHT, TOP = 920, 96, 24, 58
_PANEL, _GAP, _LINE = 74, 26, 17

_STYLE = """
text { font-family: system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; font-size: 12px; fill: #1f2328; }
.page { fill: #ffffff; }
.title { font-size: 15px; font-weight: 600; }
.small { font-size: 11px; fill: #59636e; }
.panel { fill: #f6f8fa; stroke: #d1d9e0; }
.first { fill: none; stroke: #0969da; stroke-width: 1.8; }
.second { fill: none; stroke: #bc4c00; stroke-width: 1.8; stroke-dasharray: 5 3; }
.mark { stroke: #8c959f; stroke-dasharray: 2 3; }
.alert { fill: #cf222e; }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc; }
  .page { fill: #0d1117; }
  .small { fill: #9198a1; }
  .panel { fill: #151b23; stroke: #3d444d; }
  .first { stroke: #4493f8; }
  .second { stroke: #db6d28; }
  .alert { fill: #f85149; }
}
"""

_Value = Callable[[LoadSample], float]
_PANELS: tuple[tuple[str, tuple[tuple[str, _Value], ...]], ...] = (
    ("requests", (("in flight", lambda s: s.in_flight), ("waiting", lambda s: s.waiting))),
    ("servers", (("that answer", lambda s: s.ready), ("wanted", lambda s: s.replicas))),
    ("nodes", (("of accelerators", lambda s: sum(count for name, count in s.nodes.items() if name != "system")),)),
    ("USD per hour", (("of what runs", lambda s: float(s.usd_per_hour)),)),
)


def picture(report: LoadReport) -> str:
    """The timeline of a load as SVG."""
    alerts = sorted({name for sample in report.samples for name in sample.alerts})
    below = TOP + len(_PANELS) * (_PANEL + _GAP)
    height = below + _LINE * (len(alerts) + 2)
    root = _page(report, height)
    for number, (title, lines) in enumerate(_PANELS):
        _panel(root, report, TOP + number * (_PANEL + _GAP), title, lines)
    for step in report.steps:
        x = _x(report, step.at)
        ET.SubElement(root, "path", {"class": "mark", "d": f"M{x:.6g} {TOP - 6}V{below - _GAP}"})
        _text(root, "small", x + 3, TOP - 8, step.load)
    _axis(root, report, below - _GAP + 12)
    for number, name in enumerate(alerts):
        _alert(root, report, below + 6 + number * _LINE, name)
    return svg.written(root)


def _page(report: LoadReport, height: int) -> ET.Element:
    title = one_line(f"Load on {report.server} of {report.stack}: {moment(report.seconds)} of simulated time")
    about = "Requests, servers, nodes and cost over time, one panel each, and below them when alerts fire."
    root = svg.page(WIDTH, height, title, about, _STYLE)
    _text(root, "title", LEFT, 24, title)
    return root


def _panel(root: ET.Element, report: LoadReport, top: int, title: str, lines: Sequence[tuple[str, _Value]]) -> None:
    group = ET.SubElement(root, "g")
    svg.rectangle(group, "panel", LEFT, top, WIDTH - LEFT - RIGHT, _PANEL)
    most = max((value(sample) for _, value in lines for sample in report.samples), default=0) or 1.0
    _text(group, "", LEFT - 8, top + 12, f"{most:.4g}", anchor="end")
    _text(group, "", LEFT - 8, top + _PANEL, "0", anchor="end")
    _text(group, "small", 8, top + _PANEL / 2 + 4, title)
    for kind, (name, value) in zip(("first", "second"), lines, strict=False):
        ET.SubElement(group, "path", {"class": kind, "d": _steps(report, top, most, value)})
        x = LEFT + 10 + (110 if kind == "second" else 0)
        ET.SubElement(group, "path", {"class": kind, "d": f"M{x} {top + 12}h16"})
        _text(group, "small", x + 20, top + 16, name)


def _steps(report: LoadReport, top: int, most: float, value: _Value) -> str:
    """A line that keeps its height until it changes."""
    parts, last = [], None
    for sample in report.samples:
        y = top + _PANEL - 4 - value(sample) / most * (_PANEL - 26)
        x = _x(report, sample.at)
        if last is None:
            parts.append(f"M{x:.6g} {y:.6g}")
        elif y != last:
            parts.append(f"H{x:.6g}V{y:.6g}")
        last = y
    return "".join([*parts, f"H{_x(report, report.seconds):.6g}"])


def _axis(root: ET.Element, report: LoadReport, y: float) -> None:
    for number in range(7):
        at = report.seconds * number / 6
        _text(root, "small", _x(report, at), y, moment(at), anchor="middle")


def _alert(root: ET.Element, report: LoadReport, y: float, name: str) -> None:
    for begin, end in _fired(report, name):
        x = _x(report, begin)
        svg.rectangle(root, "alert", x, y, max(1.0, _x(report, end) - x), 10)
    _text(root, "small", 8, y + 9, name)


def _fired(report: LoadReport, name: str) -> Iterator[tuple[float, float]]:
    """From when to when: a sample holds until the next one, and those that touch are one time."""
    ends = [sample.at for sample in report.samples[1:]] + [report.seconds]
    for fires, group in groupby(zip(report.samples, ends, strict=True), key=lambda each: name in each[0].alerts):
        held = list(group)
        if fires:
            yield held[0][0].at, held[-1][1]


def _x(report: LoadReport, at: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * min(1.0, at / report.seconds)


def _text(root: ET.Element, kind: str, x: float, y: float, text: str, anchor: str = "") -> None:
    svg.text(root, kind, x, y, one_line(text), anchor)
