"""Tables are laid out as rich lays them out, and without asking it for every cell."""

import io
import random

import pytest
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from eks_accelerators.accel.tables import print_table

WORDS = ("g6.2xlarge", "0", "us-east-2a", "the node's own memory", "nvidia.com/gpu: 8", "名前", "-", "")
COLUMNS = ("name", "$/h now", "zones", "fits", "of on-\ndemand", "note")


class Counting(Console):
    """How often something is laid out."""

    laid_out = 0

    def render_lines(self, *arguments, **options):
        self.laid_out += 1
        return super().render_lines(*arguments, **options)


def console(width, colours=False):
    return Counting(file=io.StringIO(), width=width, highlight=False, markup=False, emoji=False, force_terminal=colours)


def by_rich(rows, out):
    out.print("Title", style="bold")
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    for name in rows[0]:
        right = name in ("$/h now", "of on-\ndemand")
        table.add_column(name, justify="right" if right else "left", no_wrap=name not in ("fits", "note"))
    for row in rows:
        table.add_row(*row.values())
    out.print(table)
    out.print()


def some_rows(seed):
    chosen = random.Random(seed)
    columns = chosen.sample(COLUMNS, chosen.randint(1, len(COLUMNS)))
    long = {"fits": 12, "note": 9}

    def cell(name):
        pieces = [chosen.choice(WORDS) for _ in range(chosen.randint(1, long.get(name, 2)))]
        return " ".join(pieces).strip() if name in long else "\n".join(filter(None, pieces))

    return [{name: cell(name) for name in columns} for _ in range(chosen.randint(1, 5))]


@pytest.mark.parametrize("colours", [False, True])
@pytest.mark.parametrize("width", [120, 200, 400])
@pytest.mark.parametrize("seed", range(20))
def test_a_table_is_as_rich_draws_it(seed, width, colours):
    rows = some_rows(seed)
    ours, rich = console(width, colours), console(width, colours)
    print_table("Title", rows, ours)
    by_rich(rows, rich)
    shown, expected = (out.file.getvalue().replace("\x1b[0m\x1b[1m", "") for out in (ours, rich))
    assert "…" not in shown
    assert shown == expected or "…" in expected  # rich cuts a word where another column could give way


def test_where_a_table_is_too_wide_a_number_that_begins_a_row_has_its_name():
    out = console(30)
    print_table("Title", [{"$/h each": "0.18", "of on-\ndemand": "61 %", "type": "g6.2xlarge", "by": "memory"}], out)

    assert [line.rstrip() for line in out.file.getvalue().splitlines()] == [
        "Title",
        "  $/h each 0.18",
        "      of on-demand  61 %",
        "      type          g6.2xlarge",
        "      by            memory",
        "",
    ]


def test_a_row_more_is_not_laid_out_by_rich():
    """It takes longer over the cells of a table than everything else of a large report does."""
    taken = set()
    for count in (1, 100):
        out = console(140)
        print_table("Title", [{"name": str(number), "what": "a node group"} for number in range(count)], out)
        taken.add(out.laid_out)
    assert len(taken) == 1
