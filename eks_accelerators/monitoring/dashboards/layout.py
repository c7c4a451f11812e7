"""Where panels are: from left to right, and below where a row is full."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from eks_accelerators.monitoring.dashboards.plan import DashboardPanel, PanelSection

COLUMNS = 24
"""Grafana's grid. Source: Grafana documentation 12, dashboard JSON model, `gridPos`, read 2026-11-22."""


@dataclass(frozen=True, slots=True)
class Place:
    """Columns from the left and rows from above, and how many of each."""

    left: int
    top: int
    width: int
    height: int


def places(
    sections: Sequence[PanelSection],
) -> Iterator[tuple[PanelSection, Place, tuple[tuple[DashboardPanel, Place], ...]]]:
    """Each section with the place of its heading, and its panels with theirs."""
    top = 0
    for section in sections:
        heading = Place(0, top, COLUMNS, 1)
        placed = tuple(_flowed(section.panels, top + 1))
        yield section, heading, placed
        top = max([top + 1, *(place.top + place.height for _, place in placed)])


def _flowed(panels: Sequence[DashboardPanel], top: int) -> Iterator[tuple[DashboardPanel, Place]]:
    left = height = 0
    for panel in panels:
        if left + panel.width > COLUMNS:
            left, top, height = 0, top + height, 0
        yield panel, Place(left, top, panel.width, panel.height)
        left, height = left + panel.width, max(height, panel.height)
