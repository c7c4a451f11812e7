"""A dashboard as Grafana reads it: the classic JSON, by Grafana's own SDK.

The SDK is imported where a dashboard is written and nowhere else: importing it takes a quarter of a second.
Sources: grafana-foundation-sdk 0.0.21 (schema version 42); Grafana documentation 12, dashboard JSON model and variables;
what the Prometheus data source calls the value of a table: grafana/grafana `packages/grafana-prometheus/src/result_transformer.ts`;
read 2026-11-22.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from eks_accelerators.monitoring.dashboards.layout import Place, places
from eks_accelerators.monitoring.dashboards.plan import DashboardPanel, DashboardPlan, PanelKind, Query, Variable

if TYPE_CHECKING:
    from grafana_foundation_sdk.builders import dashboard, stat, table, text, timeseries
    from grafana_foundation_sdk.models.common import DataSourceRef

    AnyPanel = stat.Panel | timeseries.Panel | table.Panel | text.Panel

TAG = "eks-accelerators"
"""By which the dashboards find each other."""

DATA_SOURCE = "datasource"
"""The variable that chooses the Prometheus. An input such as `DS_PROMETHEUS` stays unresolved in a file that is provisioned."""


def as_json(plan: DashboardPlan) -> str:
    """The dashboard ``plan`` with sorted keys, the same for the same plan."""
    from grafana_foundation_sdk.builders import dashboard
    from grafana_foundation_sdk.cog.encoder import JSONEncoder

    made = (
        dashboard.Dashboard(plan.title)
        .uid(plan.uid)
        .description(plan.about)
        .tags([TAG])
        .timezone("browser")
        .refresh("1m")
        .time(plan.shows, "now")
        .link(_link_to_the_others())
        .with_variable(
            dashboard.DatasourceVariable(DATA_SOURCE).label("Prometheus").type("prometheus").allow_custom_value(False)
        )
    )
    for variable in plan.variables:
        made.with_variable(_variable(variable))
    for number, panel in enumerate(_panels(plan), 1):
        if isinstance(panel, dashboard.Row):
            made.with_row(panel.id(number))
        else:
            made.with_panel(panel.id(number))
    return JSONEncoder(sort_keys=True, indent=1).encode(made.build())


def _link_to_the_others() -> "dashboard.DashboardLink":
    from grafana_foundation_sdk.builders import dashboard
    from grafana_foundation_sdk.models.dashboard import DashboardLinkType

    return (
        dashboard.DashboardLink("Accelerators").type(DashboardLinkType.DASHBOARDS).tags([TAG]).as_dropdown(True)
    ).keep_time(True)


def _variable(variable: Variable) -> "dashboard.QueryVariable":
    from grafana_foundation_sdk.builders import dashboard
    from grafana_foundation_sdk.models.dashboard import VariableOption, VariableRefresh, VariableSort

    asked = f"label_values({variable.series}, {variable.label})"
    made = (
        dashboard.QueryVariable(variable.name)
        .label(variable.title)
        .query(asked)
        .definition(asked)
        .datasource(_source())
        .refresh(VariableRefresh.ON_TIME_RANGE_CHANGED)
        .sort(VariableSort.NATURAL_ASC)
        .multi(variable.several)
        .include_all(variable.several)
    )
    if variable.several:
        # Not all values one by one: a long list makes a query that Prometheus refuses.
        made.all_value(".*").current(VariableOption(text="All", value="$__all", selected=True))
    return made


def _panels(plan: DashboardPlan) -> "Iterator[dashboard.Row | AnyPanel]":
    from grafana_foundation_sdk.builders import dashboard

    for section, heading, panels in places(plan.sections):
        yield dashboard.Row(section.title).grid_pos(_grid(heading))
        for panel, place in panels:
            yield (
                _placed(panel).title(panel.title).description(panel.means).grid_pos(_grid(place)).datasource(_source())
            )


def _placed(panel: DashboardPanel) -> "AnyPanel":
    from grafana_foundation_sdk.builders import text
    from grafana_foundation_sdk.models.text import TextMode

    if panel.kind is PanelKind.TEXT:
        return text.Panel().mode(TextMode.MARKDOWN).content(panel.text)
    makers: dict[PanelKind, Callable[[DashboardPanel], stat.Panel | timeseries.Panel | table.Panel]] = {
        PanelKind.STAT: _stat,
        PanelKind.TIME_SERIES: _time_series,
        PanelKind.TABLE: _table,
    }
    made = makers[panel.kind](panel)
    made.unit(panel.unit).thresholds(_thresholds(panel))
    if panel.most is not None:
        made.min(0).max(panel.most)
    for name, query in _named(panel):
        made.with_target(_target(panel, name, query))
    return made


def _stat(panel: DashboardPanel) -> "stat.Panel":
    from grafana_foundation_sdk.builders import common, stat
    from grafana_foundation_sdk.models.common import BigValueColorMode, BigValueGraphMode, BigValueTextMode

    coloured = BigValueColorMode.NONE if panel.warns_at is None else BigValueColorMode.VALUE
    several = len(panel.queries) > 1 or "{{" in panel.queries[0].legend
    told = BigValueTextMode.VALUE_AND_NAME if several else BigValueTextMode.VALUE
    return (
        stat.Panel()
        .color_mode(coloured)
        .graph_mode(BigValueGraphMode.NONE if panel.named else BigValueGraphMode.AREA)
        .text_mode(BigValueTextMode.NAME if panel.named else told)
        .reduce_options(common.ReduceDataOptions().calcs(["lastNotNull"]).values(False))
        .no_value("none")
    )


def _time_series(panel: DashboardPanel) -> "timeseries.Panel":
    from grafana_foundation_sdk.builders import common, timeseries
    from grafana_foundation_sdk.models.common import (
        LegendDisplayMode,
        LegendPlacement,
        SortOrder,
        StackingMode,
        TooltipDisplayMode,
    )

    legend = common.VizLegendOptions().display_mode(LegendDisplayMode.LIST).placement(LegendPlacement.BOTTOM)
    made = (
        timeseries.Panel()
        .legend(legend.show_legend(True))
        .tooltip(common.VizTooltipOptions().mode(TooltipDisplayMode.MULTI).sort(SortOrder.DESCENDING))
        .line_width(1)
        .fill_opacity(30 if panel.stacked else 0)
        .axis_soft_min(0)
    )
    if panel.stacked:
        made.stacking(common.StackingConfig().mode(StackingMode.NORMAL).group("A"))
    return made


def _table(panel: DashboardPanel) -> "table.Panel":
    from grafana_foundation_sdk.builders import table
    from grafana_foundation_sdk.models.dashboard import DataTransformerConfig, DynamicConfigValue

    values = {f"Value #{name}" if len(panel.queries) > 1 else "Value": query.legend for name, query in _named(panel)}
    organized = {
        "excludeByName": {"Time": True, **{field: True for field, heading in values.items() if not heading}},
        "indexByName": {field: number for number, field in enumerate([*panel.columns, *values])},
        "renameByName": {**panel.columns, **{field: heading for field, heading in values.items() if heading}},
    }
    made = (
        table.Panel()
        .with_transformation(DataTransformerConfig(id_val="merge", options={}))
        .with_transformation(DataTransformerConfig(id_val="organize", options=organized))
    )
    for heading, unit in panel.units.items():
        made.override_by_name(heading, [DynamicConfigValue(id_val="unit", value=unit)])
    return made


def _thresholds(panel: DashboardPanel) -> "dashboard.ThresholdsConfig":
    from grafana_foundation_sdk.builders import dashboard
    from grafana_foundation_sdk.models.dashboard import Threshold, ThresholdsMode

    steps = [Threshold(color="green", value=None)]
    if panel.warns_at is not None:
        steps.append(Threshold(color="red", value=panel.warns_at))
    return dashboard.ThresholdsConfig().mode(ThresholdsMode.ABSOLUTE).steps(steps)


def _target(panel: DashboardPanel, name: str, query: Query) -> Any:
    from grafana_foundation_sdk.builders import prometheus
    from grafana_foundation_sdk.models.prometheus import PromQueryFormat

    made = prometheus.Dataquery().expr(query.expression).ref_id(name).datasource(_source())
    if panel.kind is PanelKind.TABLE:
        return made.instant().format(PromQueryFormat.TABLE)
    return made.range().legend_format(query.legend or panel.title)


def _named(panel: DashboardPanel) -> Iterator[tuple[str, Query]]:
    return ((chr(ord("A") + number), query) for number, query in enumerate(panel.queries))


def _source() -> "DataSourceRef":
    from grafana_foundation_sdk.models.common import DataSourceRef

    return DataSourceRef(type_val="prometheus", uid=f"${{{DATA_SOURCE}}}")


def _grid(place: Place) -> Any:
    from grafana_foundation_sdk.models.dashboard import GridPos

    return GridPos(h=place.height, w=place.width, x=place.left, y=place.top)
