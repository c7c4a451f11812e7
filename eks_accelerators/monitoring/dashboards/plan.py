"""What a dashboard is made of, as typed data: nothing here knows how Grafana writes it.

Units are Grafana's own identifiers, such as `percentunit` (a ratio of 1) or `bytes` (powers of 1024).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from eks_accelerators.monitoring.alerts.alert import Concern
from eks_accelerators.monitoring.alerts.concerns import ACCELERATORS

_RANGES = re.compile(r"\$__(?:rate_interval|interval|range)")

WINDOW = "$__rate_interval"
"""The range of a rate: Grafana makes it at least four scrapes long."""

NO_UNIT, RATIO, USD, SECONDS, BYTES, BYTES_PER_SECOND = "none", "percentunit", "currencyUSD", "s", "bytes", "Bps"
CELSIUS, WATTS, MEGAHERTZ, PER_SECOND, DURATION, DATE = (
    "celsius",
    "watt",
    "rotmhz",
    "cps",
    "dtdurations",
    "dateTimeAsIso",
)


class PanelKind(StrEnum):
    """How a panel shows what its queries answer, by Grafana's own name of the panel."""

    STAT = "stat"
    TIME_SERIES = "timeseries"
    TABLE = "table"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Query:
    """An expression of PromQL. ``legend`` names its series, with `{{label}}`; in a table it is the heading of the value.

    A value of a table without a heading is not shown: it is 1 of what is there.
    """

    expression: str
    legend: str = ""

    @property
    def plain(self) -> str:
        """The expression as Prometheus can read it: Grafana's own ranges are five minutes. Chosen values are texts."""
        return _RANGES.sub("5m", self.expression)


@dataclass(frozen=True, slots=True)
class DashboardPanel:
    """One panel. ``means`` says what it shows, and what that is where GPUs are shared.

    ``width`` is in columns, of which a dashboard has 24, ``height`` in rows. ``columns`` are the headings of labels in a
    table. ``text`` is Markdown, of a panel that has text alone. ``runbook`` is a page of `docs/runbooks`.
    """

    title: str
    kind: PanelKind
    means: str
    queries: tuple[Query, ...] = ()
    unit: str = NO_UNIT
    width: int = 12
    height: int = 8
    concern: Concern = ACCELERATORS
    columns: Mapping[str, str] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    """Units of columns that have another one, by their headings."""
    named: bool = False
    """Whether a number is told by its name alone: what it is, not how much."""
    stacked: bool = False
    most: float | None = None
    """The end of the axis, None for as far as the values go."""
    warns_at: float | None = None
    """From here on a value is bad; None where no value is."""
    runbook: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Variable:
    """What a reader chooses: values of a ``label`` among series. ``several`` may be chosen, and all of them at first."""

    name: str
    title: str
    series: str
    label: str
    several: bool = True


@dataclass(frozen=True, slots=True)
class PanelSection:
    """Panels under a heading, which follow each other from left to right."""

    title: str
    panels: tuple[DashboardPanel, ...]


@dataclass(frozen=True, slots=True)
class DashboardPlan:
    """One dashboard, as it is for a stack that has all that it can show. ``name`` is part of its address and never changes."""

    name: str
    title: str
    about: str
    concern: Concern
    sections: tuple[PanelSection, ...]
    variables: tuple[Variable, ...] = ()
    shows: str = "now-3h"
    """From when on, as Grafana writes times."""

    @property
    def uid(self) -> str:
        """Its address in Grafana: at most 40 characters."""
        return f"accelerators-{self.name}"

    @property
    def panels(self) -> tuple[DashboardPanel, ...]:
        """All of them, from above to below."""
        return tuple(panel for section in self.sections for panel in section.panels)
