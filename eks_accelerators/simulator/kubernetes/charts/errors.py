"""How a chart refuses to be installed."""

from collections.abc import Iterable

from eks_accelerators.accelerators.suggest import closest


class ChartError(ValueError):
    """A chart that cannot be rendered."""


class UnknownChartError(ChartError):
    """No stand-in for a chart of that name."""

    def __init__(self, chart: str, known: Iterable[str]) -> None:
        self.chart = chart
        super().__init__(f"no stand-in for the chart {chart!r}; known: {', '.join(sorted(known))}")


class UnknownValueError(ChartError):
    """A value that the chart does not read: Helm would take it in silence.

    ``path`` is its place, such as `nfd.worker.toleration`; ``suggestion`` the nearest known path, or None.
    """

    def __init__(self, chart: str, path: str, known: Iterable[str]) -> None:
        self.chart, self.path = chart, path
        parent, _, key = path.rpartition(".")
        near = closest(key, known)
        self.suggestion = f"{parent}.{near}" if near and parent else near
        hint = f" Did you mean {self.suggestion}?" if self.suggestion else ""
        super().__init__(f"{chart}: {path} is not a value that the chart reads.{hint}")


class ChartNotSimulatedError(ChartError):
    """A part of the real chart that the stand-in does not have. ``path`` is the value that asks for it."""

    def __init__(self, chart: str, path: str) -> None:
        self.chart, self.path = chart, path
        super().__init__(f"{chart}: what {path} installs is not simulated")


class ChartRefusalError(ChartError):
    """Values together that the chart's own templates refuse."""
