"""Tables for a terminal, also for one that is too narrow for them."""

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

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
    if sum(narrowest.values()) + _GAP * len(columns) > out.width:
        _print_paragraphs(rows, out)
        return
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    for name in columns:
        fixed = name not in _MAY_WRAP
        table.add_column(
            name,
            justify="right" if name in _RIGHT else "left",
            no_wrap=fixed,
            width=narrowest[name] if fixed else None,  # known, and slow to measure again
        )
    for row in rows:
        table.add_row(*row.values())
    out.print(table)
    out.print()


def _narrowest(cells: Sequence[str], may_wrap: bool) -> int:
    """The width that the ``cells`` of a column take at least: of a line, or of a word where they may wrap."""
    return max(len(piece) for cell in cells for piece in (cell.split() if may_wrap else cell.split("\n")) or [""])


def _print_paragraphs(rows: Sequence[Row], out: Console) -> None:
    for row in rows:
        (_, head), *cells = row.items()
        out.print(f"  {head}")
        grid = Table.grid(padding=(0, 2, 0, 0))
        grid.add_column(no_wrap=True)
        grid.add_column(overflow="fold")
        for name, cell in cells:
            if cell:
                grid.add_row(f"      {' '.join(name.split())}", cell)
        out.print(grid)
    out.print()
