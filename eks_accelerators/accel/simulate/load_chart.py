"""A load over time in lines of text: a line for each thing that is counted."""

from collections.abc import Callable, Sequence

from eks_accelerators.accel.reports.load import LoadSample

_BARS = " ▁▂▃▄▅▆▇█"
_MARK_EVERY = 12

ROWS: tuple[tuple[str, Callable[[LoadSample], float]], ...] = (
    ("in flight", lambda sample: sample.in_flight),
    ("waiting", lambda sample: sample.waiting),
    ("replicas", lambda sample: sample.replicas),
    ("answering", lambda sample: sample.ready),
    ("nodes", lambda sample: sum(sample.nodes.values())),
    ("alerts", lambda sample: len(sample.alerts)),
    ("USD/hour", lambda sample: float(sample.usd_per_hour)),
)
"""What is shown: its name, and its value."""


def value_at(samples: Sequence[LoadSample], at: float, of: Callable[[LoadSample], float]) -> float:
    """The value of the last sample that is not after ``at``."""
    return of(next((each for each in reversed(samples) if each.at <= at), samples[0]))


def moment(seconds: float) -> str:
    """Seconds since the load began as text, such as `12:30` or `1:02:30`."""
    whole = round(seconds)
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"


def chart(samples: Sequence[LoadSample], lasts: int, columns: int = 60) -> str:
    """Bars, each as high as the largest value between its beginning and its end; behind them the largest of all."""
    names = max(len(name) for name, _ in ROWS)
    lines = []
    for name, of in ROWS:
        values = [_largest(samples, lasts * n / columns, lasts * (n + 1) / columns, of) for n in range(columns)]
        most = max(values)
        bars = "".join(_BARS[_height(value, most)] for value in values)
        lines.append(f"{name:<{names}}  {bars}  {most:.4g}")
    return "\n".join([*lines, f"{'':<{names}}  {_scale(lasts, columns)}"])


def _largest(samples: Sequence[LoadSample], begin: float, end: float, of: Callable[[LoadSample], float]) -> float:
    return max([value_at(samples, begin, of), *(of(each) for each in samples if begin < each.at < end)])


def _height(value: float, most: float) -> int:
    """Something is seen where there is something."""
    return 0 if value <= 0 else max(1, round(value / most * (len(_BARS) - 1)))


def _scale(lasts: int, columns: int) -> str:
    line = ""
    for column in range(0, columns, _MARK_EVERY):
        line = f"{line:<{column}}{moment(lasts * column / columns)}"
    return f"{line:<{columns}}".rstrip()
