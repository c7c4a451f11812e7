"""The calendar of blocks as a picture in the terminal."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from eks_accelerators.accel.reports.blocks import BlockReport, GapReport, LaneReport
from eks_accelerators.capacity.blocks.calendar import Gap

WIDTH = 84
_GAP, _NOTHING, _NOW = "·", " ", "▼"


def picture(lanes: Sequence[LaneReport], first: datetime, last: datetime, now: datetime) -> str:
    """One line for each lane, below a line of dates; gaps are named under it."""
    margin = max([len(lane.name) for lane in lanes] + [4]) + 2
    step = (last - first) / WIDTH
    marker = " " * (margin + _column(now, first, step)) + _NOW + " now"
    lines = [" " * margin + _dates(first, last), marker]
    lines += [f"{lane.name:{margin}}{_bars(lane, first, step)}".rstrip() for lane in lanes]
    lines += ["", f"{_bar('active')} active  {_bar('scheduled')} scheduled  {_bar('expired')} over  {_GAP} gap", ""]
    for lane in lanes:
        lines += [f"{lane.name}: {_block(block)}" for block in lane.blocks]
        lines += [
            f"{lane.name}: nothing for {length(gap)}, {_time(gap.start)} to {_time(gap.end)} UTC" for gap in lane.gaps
        ]
    return "\n".join(lines)


def length(gap: Gap | GapReport) -> str:
    """The length of a gap in words."""
    hours, minutes = divmod(round((gap.end - gap.start).total_seconds()) // 60, 60)
    days, hours = divmod(hours, 24)
    parts = [f"{number} {unit}" for number, unit in ((days, "days"), (hours, "hours"), (minutes, "minutes")) if number]
    return " ".join(parts) or "less than a minute"


def _block(block: BlockReport) -> str:
    count = "?" if block.instance_count is None else block.instance_count
    return f"{block.id} {count} x {block.instance_type}, {_time(block.start)} to {_time(block.end)} UTC, {block.state}"


def _bars(lane: LaneReport, first: datetime, step: timedelta) -> str:
    cells = [_NOTHING] * WIDTH
    for gap in lane.gaps:
        _fill(cells, gap.start, gap.end, _GAP, first, step)
    for block in lane.blocks:
        _fill(cells, block.start, block.end, _bar(block.state), first, step)
    return "".join(cells)


def _fill(cells: list[str], start: datetime, end: datetime, sign: str, first: datetime, step: timedelta) -> None:
    begin = _column(start, first, step)
    for column in range(begin, max(begin + 1, _column(end, first, step))):
        cells[min(column, WIDTH - 1)] = sign


def _column(moment: datetime, first: datetime, step: timedelta) -> int:
    return int((moment - first) / step)


def _dates(first: datetime, last: datetime) -> str:
    """As many days as find room, each where it begins."""
    days = (last - first).days
    every = max(1, -(-days * 8 // WIDTH))
    line = ""
    for day in range(0, days, every):
        column = day * WIDTH // days
        if column >= len(line) and column + 5 <= WIDTH:
            line = f"{line:{column}}{first + timedelta(days=day):%m-%d}  "
    return line.rstrip()


def _bar(state: str) -> str:
    return {"active": "█", "scheduled": "▒"}.get(state, "░")


def _time(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M}"
