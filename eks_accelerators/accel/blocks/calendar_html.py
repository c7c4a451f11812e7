"""The calendar of blocks as a page of its own: no script, nothing from elsewhere."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from html import escape as _escape

from eks_accelerators.accel.blocks.calendar_text import length
from eks_accelerators.capacity.blocks.calendar import Lane
from eks_accelerators.settings.printable import one_line

_STYLE = """
body { font: 14px system-ui, sans-serif; margin: 2em; color: #222; }
.lane { position: relative; height: 2.4em; margin: .3em 0 .3em 12em; background: #f4f4f4; }
.lane > b { position: absolute; left: -12em; width: 11.5em; line-height: 2.4em; overflow: hidden; }
.lane > div, .lane > i { position: absolute; top: 0; bottom: 0; overflow: hidden; white-space: nowrap; }
.lane > div { background: #bbb; padding: .2em .3em; box-sizing: border-box; font-size: 12px; }
.lane > div.active { background: #6c6; } .lane > div.scheduled { background: #9cf; }
.lane > i { background: repeating-linear-gradient(45deg, #fdd, #fdd 6px, #fff 6px, #fff 12px); font-size: 11px; }
.days { position: relative; height: 1.4em; margin-left: 12em; color: #666; }
.days > span { position: absolute; border-left: 1px solid #bbb; padding-left: .2em; }
.days > em { position: absolute; color: #c00; font-style: normal; border-left: 2px solid #c00; padding-left: .2em; }
"""
_MARKS = 14
"""Dates above the lanes, at most."""


def escape(text: str) -> str:
    """Text that others wrote, for an element or an attribute."""
    return _escape(one_line(text))


def page(title: str, lanes: Sequence[Lane], first: datetime, last: datetime, now: datetime) -> str:
    """The calendar from ``first`` to ``last``."""
    whole = last - first

    def left(moment: datetime) -> str:
        return f"left:{(moment - first) / whole:.4%}"

    def place(start: datetime, end: datetime) -> str:
        return f"{left(start)};width:{(end - start) / whole:.4%}"

    every = max(1, -(-whole.days // _MARKS))
    days = [first + timedelta(days=day) for day in range(0, whole.days, every)]
    rows = [
        '<div class="days">' + "".join(f'<span style="{left(day)}">{day:%m-%d}</span>' for day in days) + "</div>",
        f'<div class="days"><em style="{left(now)}">now {now:%Y-%m-%d %H:%M} UTC</em></div>',
    ]
    for lane in lanes:
        cells = [f"<b>{escape(lane.name)}</b>"]
        cells += [
            f'<i style="{place(gap.start, gap.end)}" title="{gap.start:%Y-%m-%d %H:%M} to {gap.end:%Y-%m-%d %H:%M} UTC">'
            f"{length(gap)} without a block</i>"
            for gap in lane.gaps
        ]
        cells += [
            f'<div class="{escape(block.state)}" style="{place(block.start, block.end)}" '
            f'title="{block.start:%Y-%m-%d %H:%M} to {block.end:%Y-%m-%d %H:%M} UTC">'
            f"{escape(block.id)}<br>{block.count or '?'} x {escape(block.instance_type)}, {escape(block.state)}</div>"
            for block in lane.blocks
        ]
        rows.append(f'<div class="lane">{"".join(cells)}</div>')
    head = f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title><style>{_STYLE}</style></head>'
    return "\n".join([head, f"<body><h1>{escape(title)}</h1>", *rows, "</body></html>", ""])
