"""A dashboard as a picture, drawn from what its queries answered: what a reader gets, without a Grafana.

It has no script, no font and no address of its own, and follows the reader's light or dark mode.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from eks_accelerators.monitoring import svg
from eks_accelerators.monitoring.dashboards.layout import COLUMNS, Place, places
from eks_accelerators.monitoring.dashboards.plan import DashboardPanel, DashboardPlan, PanelKind, Query
from tests.monitoring.dashboards.values import shown

COLUMN, ROW, MARGIN = 44, 30, 8
_LINE, _PAD, _CHARACTER = 15, 10, 7.0
_COLOURS = 8
_MOST_SERIES = 16
_LEGENDS = 4

_STYLE = """
text { font-family: system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328; font-size: 12px; }
.page { fill: #ffffff; } .panel { fill: #f6f8fa; stroke: #d1d9e0; } .grid { stroke: #d1d9e0; }
.title { font-weight: 600; } .section { font-weight: 600; font-size: 14px; } .big { font-size: 24px; } .small, .key { font-size: 11px; fill: #59636e; }
.bad { fill: #d1242f; }
.line { fill: none; stroke-width: 1.5; }
.c0 { stroke: #0969da; } .c1 { stroke: #bc4c00; } .c2 { stroke: #1a7f37; } .c3 { stroke: #8250df; }
.c4 { stroke: #cf222e; } .c5 { stroke: #9a6700; } .c6 { stroke: #1b7c83; } .c7 { stroke: #bf3989; }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc; } .page { fill: #0d1117; } .panel { fill: #151b23; stroke: #3d444d; } .grid { stroke: #3d444d; }
  .small, .key { fill: #9198a1; } .bad { fill: #ff7b72; }
  .c0 { stroke: #58a6ff; } .c1 { stroke: #ffa657; } .c2 { stroke: #56d364; } .c3 { stroke: #d2a8ff; }
  .c4 { stroke: #ff7b72; } .c5 { stroke: #e3b341; } .c6 { stroke: #39c5cf; } .c7 { stroke: #ff9bce; }
}
"""


@dataclass(frozen=True, slots=True)
class PanelAnswer:
    """One series that a query answered: its labels, and values over time, the last one now."""

    labels: Mapping[str, str]
    values: tuple[float, ...]


Answers = Mapping[tuple[str, int], Sequence[PanelAnswer]]
"""What the queries of a dashboard answered, by the title of a panel with that of its section, and the number of the query."""


def key(section: str, panel: DashboardPanel, number: int) -> tuple[str, int]:
    """The key of a query's answer: the panel in its section, and which of its queries it is."""
    return f"{section}: {panel.title}", number


def picture(plan: DashboardPlan, answers: Answers) -> str:
    """The dashboard as SVG, drawn from ``answers`` to its queries."""
    placed = list(places(plan.sections))
    rows = max(place.top + place.height for _, _, panels in placed for _, place in panels)
    width, height = COLUMNS * COLUMN + 2 * MARGIN, rows * ROW + 2 * MARGIN
    root = svg.page(width, height, plan.title, plan.about, _STYLE)
    for section, heading, panels in placed:
        x, y = _corner(heading)
        svg.text(root, "section", x, y + 22, section.title)
        for panel, place in panels:
            every = [answers.get(key(section.title, panel, number), ()) for number in range(len(panel.queries))]
            _panel(root, panel, place, every)
    return svg.written(root, indent=" ")


def _corner(place: Place) -> tuple[float, float]:
    return MARGIN + place.left * COLUMN, MARGIN + place.top * ROW


def _panel(root: ET.Element, panel: DashboardPanel, place: Place, answers: Sequence[Sequence[PanelAnswer]]) -> None:
    x, y = _corner(place)
    width, height = place.width * COLUMN - 6, place.height * ROW - 6
    group = ET.SubElement(root, "g", {"aria-label": panel.title})
    svg.rectangle(group, "panel", x, y, width, height, radius=4)
    svg.text(group, "title", x + _PAD, y + 18, _cut(panel.title, width - 2 * _PAD))
    draw = {
        PanelKind.STAT: _stat,
        PanelKind.TIME_SERIES: _time_series,
        PanelKind.TABLE: _table,
        PanelKind.TEXT: _words,
    }[panel.kind]
    draw(group, panel, _Inside(x + _PAD, y + 28, width - 2 * _PAD, height - 36), answers)


@dataclass(frozen=True, slots=True)
class _Inside:
    """Where there is room, in pixels."""

    x: float
    y: float
    width: float
    height: float


def _stat(group: ET.Element, panel: DashboardPanel, room: _Inside, answers: Sequence[Sequence[PanelAnswer]]) -> None:
    values = [(legend, answer.values[-1]) for legend, answer in _named(panel, answers)]
    if not values:
        svg.text(group, "big", room.x, room.y + 34, "none")
    for number, (legend, value) in enumerate(values[:3]):
        bad = panel.warns_at is not None and value >= panel.warns_at
        text = legend if panel.named else shown(value, panel.unit)
        svg.text(group, "big bad" if bad else "big", room.x, room.y + 34 + number * 46, _cut(text, room.width / 2))
        if "{{" in panel.queries[0].legend and not panel.named:
            svg.text(group, "small", room.x, room.y + 50 + number * 46, _cut(legend, room.width))


def _time_series(
    group: ET.Element, panel: DashboardPanel, room: _Inside, answers: Sequence[Sequence[PanelAnswer]]
) -> None:
    named = list(_named(panel, answers))
    lines = _stacked(named) if panel.stacked else named[:_MOST_SERIES]
    chart = _Inside(room.x + 62, room.y, room.width - 62, room.height - 2 * _LINE - 8)
    known = [value for _, answer in lines for value in answer.values if math.isfinite(value)]
    top = panel.most or max([*known, 0.0]) * 1.05 or 1.0
    bottom = min([*known, 0.0])
    for share in (0.0, 0.5, 1.0):
        y = chart.y + chart.height * (1 - share)
        across = {"x1": f"{chart.x:g}", "x2": f"{chart.x + chart.width:g}", "y1": f"{y:.4g}", "y2": f"{y:.4g}"}
        ET.SubElement(group, "line", {"class": "grid", **across})
        svg.text(group, "small", room.x, y + 4, _cut(shown(bottom + (top - bottom) * share, panel.unit), 60))
    for number, (_, answer) in enumerate(lines):
        points = " ".join(_points(answer.values, chart, bottom, top))
        ET.SubElement(group, "polyline", {"class": f"line c{number % _COLOURS}", "points": points})
    _legend(group, [legend for legend, _ in named], room)


def _stacked(lines: Sequence[tuple[str, PanelAnswer]]) -> list[tuple[str, PanelAnswer]]:
    """Each line on top of those before it; a series that came later is 0 before."""
    length = max((len(answer.values) for _, answer in lines), default=0)
    below = [0.0] * length
    found = []
    for legend, answer in lines:
        own = [0.0] * (length - len(answer.values)) + [
            value if math.isfinite(value) else 0.0 for value in answer.values
        ]
        below = [one + other for one, other in zip(below, own, strict=True)]
        found.append((legend, PanelAnswer(answer.labels, tuple(below))))
    return found


def _points(values: Sequence[float], chart: _Inside, bottom: float, top: float) -> Iterator[str]:
    step = chart.width / max(1, len(values) - 1)
    for number, value in enumerate(values):
        if math.isfinite(value):
            share = (value - bottom) / (top - bottom)
            yield f"{chart.x + number * step:.1f},{chart.y + chart.height * (1 - min(1.0, share)):.1f}"


def _legend(group: ET.Element, legends: Sequence[str], room: _Inside) -> None:
    if not legends:
        svg.text(group, "small", room.x + room.width / 2 - 40, room.y + room.height / 2, "nothing to show")
        return
    wide = room.width / 2
    for number, legend in enumerate(legends[:_LEGENDS]):
        x, y = room.x + number % 2 * wide, room.y + room.height - _LINE + number // 2 * _LINE
        stroke = {"x1": f"{x:g}", "x2": f"{x + 12:g}", "y1": f"{y - 4:g}", "y2": f"{y - 4:g}"}
        ET.SubElement(group, "line", {"class": f"line c{number % _COLOURS}", **stroke})
        more = f" and {len(legends) - _LEGENDS} more" if number == _LEGENDS - 1 and len(legends) > _LEGENDS else ""
        svg.text(group, "small", x + 16, y, _cut(legend, wide - 22 - len(more) * _CHARACTER) + more)


def _table(group: ET.Element, panel: DashboardPanel, room: _Inside, answers: Sequence[Sequence[PanelAnswer]]) -> None:
    headings = [*panel.columns.values(), *(query.legend for query in panel.queries if query.legend)]
    rows = [headings, *_rows(panel, answers)]
    lengths = [max(len(row[column]) for row in rows) + 2 for column in range(len(headings))]
    scale = min(1.0, room.width / (sum(lengths) * _CHARACTER)) * _CHARACTER
    fits = int(room.height // (_LINE + 4))
    for number, row in enumerate(rows[:fits]):
        x = room.x
        for cell, length in zip(row, lengths, strict=True):
            kind = "key" if number == 0 else "cell"
            svg.text(group, kind, x, room.y + 12 + number * (_LINE + 4), _cut(cell, length * scale))
            x += length * scale
    if len(rows) == 1:
        svg.text(group, "small", room.x, room.y + 34, "nothing to show")


def _rows(panel: DashboardPanel, answers: Sequence[Sequence[PanelAnswer]]) -> list[list[str]]:
    """Rows by labels, with the value of each query that has a heading: what Grafana makes by merging."""
    found: dict[tuple[str, ...], dict[int, float]] = {}
    for number, series in enumerate(answers):
        for answer in series:
            labels = tuple(answer.labels.get(label, "") for label in panel.columns)
            found.setdefault(labels, {})[number] = answer.values[-1]
    valued = [(number, query) for number, query in enumerate(panel.queries) if query.legend]
    return [
        [
            *labels,
            *(
                shown(values[number], panel.units.get(query.legend, panel.unit)) if number in values else ""
                for number, query in valued
            ),
        ]
        for labels, values in sorted(found.items())
    ]


def _words(group: ET.Element, panel: DashboardPanel, room: _Inside, answers: Sequence[Sequence[PanelAnswer]]) -> None:
    del answers
    most = int(room.width // _CHARACTER)
    line, number = "", 0
    for word in [*panel.text.replace("**", "").replace("`", "").split(), ""]:
        if word and len(line) + len(word) < most:
            line = f"{line} {word}".strip()
            continue
        svg.text(group, "cell", room.x, room.y + 12 + number * _LINE, line)
        line, number = word, number + 1


def _named(panel: DashboardPanel, answers: Iterable[Sequence[PanelAnswer]]) -> Iterator[tuple[str, PanelAnswer]]:
    for query, series in zip(panel.queries, answers, strict=True):
        for answer in series:
            yield legend_of(query, answer.labels) or panel.title, answer


def legend_of(query: Query, labels: Mapping[str, str]) -> str:
    """What names a series, with its labels in their places."""
    return re.sub(r"\{\{(\w+)\}\}", lambda found: labels.get(found[1], ""), query.legend).strip()


def _cut(text: str, width: float) -> str:
    most = max(1, int(width / _CHARACTER))
    return text if len(text) <= most else f"{text[: most - 1]}…"
