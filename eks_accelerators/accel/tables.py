"""Tables for a terminal, also for one that is too narrow for them."""

from collections.abc import Sequence
from itertools import zip_longest

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from eks_accelerators.accel.lines import print_lines

Row = dict[str, str]
"""The cells of a row by the names of their columns."""

_RIGHT = {
    *("$/h each", "$/h now", "$/h max", "replicas", "EFA", "pods"),
    *("servers", "GiB each", "KV tokens"),
    *("hours", "$ up front", "$/hour of\ninstance", "$/hour of\naccelerator", "of on-\ndemand"),
}
_MAY_WRAP = {"fits", "memory of one server", "what", "note", "where, or why not", "accelerators: free of all"}
_GAP = 2
"""Blanks between two columns."""


def print_table(title: str, rows: Sequence[Row], out: Console) -> None:
    """A table where the terminal is wide enough for one, else a paragraph for each row."""
    out.print(title, style="bold")
    columns = {name: [name, *(row[name] for row in rows)] for name in rows[0]}
    narrowest = {name: _narrowest(cells, name in _MAY_WRAP) for name, cells in columns.items()}
    room = out.width - _GAP * (len(columns) - 1)
    if sum(narrowest.values()) + _GAP > room:
        _print_paragraphs(rows, out)
        return
    widest = {name: _narrowest(cells, may_wrap=False) for name, cells in columns.items()}
    widths = _widths(narrowest, widest, room)
    # One line of blanks and text after the other: laid out cell by cell, a table is most of what a large report costs.
    head, *body = ([_wrapped(row[name], width, out) for name, width in widths.items()] for row in (_names(rows), *rows))
    print_lines([*_head(head, widths, out), *(line for cells in body for line in _body(cells, widths))], out)
    out.print()


def _names(rows: Sequence[Row]) -> Row:
    return {name: name for name in rows[0]}


def _narrowest(cells: Sequence[str], may_wrap: bool) -> int:
    """The width that the ``cells`` of a column take at least: of a line, or of a word where they may wrap."""
    return max(cell_len(piece) for cell in cells for piece in (cell.split() if may_wrap else cell.split("\n")) or [""])


def _widths(narrowest: dict[str, int], widest: dict[str, int], room: int) -> dict[str, int]:
    """The width of each column: what it would like, less what the widest of those that may wrap give away."""
    widths, last = dict(widest), next(reversed(widest))
    while (excess := sum(widths.values()) - room) > 0:
        # As rich counts them: with the blank after all but the last one.
        spans = {name: width + (name != last) for name, width in widths.items() if width > narrowest[name]}
        top, *lower = sorted(set(spans.values()), reverse=True)
        giving, most = [name for name, span in spans.items() if span == top], min(excess, top - max(lower, default=0))
        for left, name in zip(range(len(giving), 0, -1), giving, strict=True):
            given = min(most, round(excess / left), widths[name] - narrowest[name])
            widths[name] -= given
            excess -= given
    return widths


def _wrapped(cell: str, width: int, out: Console) -> list[str]:
    """The lines of a cell; only one that is too long for its column is wrapped."""
    lines: list[str] = []
    for line in cell.split("\n"):
        lines += [line] if cell_len(line) <= width else (each.plain for each in Text(line).wrap(out, width))
    return lines


def _head(cells: list[list[str]], widths: dict[str, int], out: Console) -> list[str | list[Segment]]:
    """The names of the columns, the last line of each at the bottom, and the rule below them."""
    style, height = out.get_style("table.header"), max(map(len, cells))
    lowered = [[""] * (height - len(lines)) + lines for lines in cells]
    gap = Segment(" ")
    lines: list[str | list[Segment]] = []
    for parts in zip(*lowered, strict=True):
        line: list[Segment] = []
        for index, (part, (name, width)) in enumerate(zip(parts, widths.items(), strict=True), 1):
            last = index == len(widths)
            line += [Segment(_aligned(part, width, name) + " " * (not last), style), *([] if last else [gap])]
        lines.append(line)
    box = SIMPLE_HEAD.substitute(out.options)
    spans = [width + 1 for width in widths.values()]
    return [*lines, box.get_row([*spans[:-1], spans[-1] - 1], "head", edge=False)]


def _body(cells: list[list[str]], widths: dict[str, int]) -> list[str]:
    """The lines of a row, its cells at the top."""
    gap = " " * _GAP
    return [
        gap.join(_aligned(part, width, name) for part, (name, width) in zip(parts, widths.items(), strict=True))
        for parts in zip_longest(*cells, fillvalue="")
    ]


def _aligned(text: str, width: int, column: str) -> str:
    blanks = " " * (width - cell_len(text))
    return blanks + text if column in _RIGHT else text + blanks


def _print_paragraphs(rows: Sequence[Row], out: Console) -> None:
    for row in rows:
        (title, head), *cells = row.items()
        out.print(f"  {_on_one_line(title)} {head}" if title in _RIGHT else f"  {head}")
        grid = Table.grid(padding=(0, 2, 0, 0))
        grid.add_column(no_wrap=True)
        grid.add_column(overflow="fold")
        for name, cell in cells:
            if cell:
                grid.add_row(f"      {_on_one_line(name)}", cell)
        out.print(grid)
    out.print()


def _on_one_line(name: str) -> str:
    """The name of a column whose lines may end within a word, at a hyphen."""
    return name.replace("-\n", "-").replace("\n", " ")
