"""Pictures of dashboards: what a query answers is what is drawn; those of the docs are of the dashboards that there are."""

from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from eks_accelerators.monitoring.dashboards import PLANS, plan
from eks_accelerators.monitoring.dashboards.plan import DashboardPanel, DashboardPlan, PanelKind, PanelSection, Query
from eks_accelerators.settings.generated_files import ROOT
from tests.monitoring.dashboards.picture import PanelAnswer, key, picture
from tests.monitoring.dashboards.values import shown

SVG = "{http://www.w3.org/2000/svg}"
STAT = DashboardPanel("Late", PanelKind.STAT, "How late.", (Query("late"),), plan.RATIO, warns_at=0.5)
LINES = DashboardPanel("Load", PanelKind.TIME_SERIES, "Of each.", (Query("load", "{{pod}}"),), plan.RATIO, most=1)
TABLE = DashboardPanel(
    "Groups",
    PanelKind.TABLE,
    "All.",
    (Query("nodes", "Nodes"), Query("price", "Price")),
    columns={"group": "Group"},
    units={"Price": plan.USD},
)


def drawn(panel, *answers):
    """The picture of one panel; ``answers`` are those of each query."""
    section = PanelSection("All", (panel,))
    made = DashboardPlan("one", "One", "One panel.", PLANS[0].concern, (section,))
    found = picture(made, {key("All", panel, number): series for number, series in enumerate(answers)})
    return ET.fromstring(found)


def texts(root, kind=None):
    return [each.text for each in root.iter(f"{SVG}text") if kind in (None, each.get("class"))]


def test_a_number_has_its_unit_and_says_where_it_is_bad():
    assert texts(drawn(STAT, [PanelAnswer({}, (0.1, 0.25))]), "big") == ["25 %"]
    assert texts(drawn(STAT, [PanelAnswer({}, (0.75,))]), "big bad") == ["75 %"]
    assert texts(drawn(STAT, []), "big") == ["none"]


def test_a_line_goes_from_the_first_value_to_the_last():
    root = drawn(LINES, [PanelAnswer({"pod": "a"}, (0.0, 1.0)), PanelAnswer({"pod": "b"}, (0.5, float("nan"), 0.5))])

    first, second = (each.get("points").split() for each in root.iter(f"{SVG}polyline"))
    heights = [float(point.split(",")[1]) for point in first]
    assert heights[0] > heights[1]
    assert len(second) == 2
    assert {"a", "b", "0 %", "50 %", "100 %"} <= set(texts(root, "small"))


def test_what_is_stacked_lies_on_top():
    stacked = replace(LINES, stacked=True, most=None)
    root = drawn(stacked, [PanelAnswer({"pod": "a"}, (1.0, 1.0)), PanelAnswer({"pod": "b"}, (1.0,))])

    lower, upper = (
        [float(p.split(",")[1]) for p in each.get("points").split()] for each in root.iter(f"{SVG}polyline")
    )
    assert lower[0] == upper[0], "a series that came later is 0 before"
    assert upper[1] < lower[1]


def test_a_table_has_a_row_for_each_set_of_labels():
    root = drawn(
        TABLE,
        [PanelAnswer({"group": "a"}, (2.0,)), PanelAnswer({"group": "b"}, (1.0,))],
        [PanelAnswer({"group": "a"}, (0.9776,))],
    )

    assert texts(root, "key") == ["Group", "Nodes", "Price"]
    assert texts(root, "cell") == ["a", "2", "$0.98", "b", "1", ""] or texts(root, "cell") == [
        "a",
        "2",
        "$0.98",
        "b",
        "1",
        None,
    ]


@pytest.mark.parametrize(
    ("value", "unit", "said"),
    [
        (0.9776, plan.USD, "$0.98"),
        (37224.19, plan.USD, "$37,224.19"),
        (0.0205, plan.SECONDS, "20.5 ms"),
        (2.5, plan.SECONDS, "2.5 s"),
        (23 * 1024**3, plan.BYTES, "23 GiB"),
        (78.1e9, plan.BYTES_PER_SECOND, "78.1 GB/s"),
        (93780, plan.DURATION, "1 d 2 h 3 min"),
        (1_800_000_000_000, plan.DATE, "2027-01-15 08:00"),
        (3495, plan.PER_SECOND, "3,495/s"),
        (4, plan.NO_UNIT, "4"),
        (float("nan"), plan.RATIO, "no value"),
    ],
)
def test_values_are_as_people_read_them(value, unit, said):
    assert shown(value, unit) == said


@pytest.mark.parametrize("made", PLANS, ids=lambda made: made.name)
def test_the_pictures_of_the_docs_have_the_panels_of_today(made):
    root = ET.fromstring((ROOT / "docs" / "dashboards" / f"{made.name}.svg").read_text(encoding="utf-8"))

    assert [group.get("aria-label") for group in root.iter(f"{SVG}g")] == [panel.title for panel in made.panels]
    assert texts(root, "section") == [section.title for section in made.sections]
    assert not list(root.iter(f"{SVG}script"))


def test_every_dashboard_is_on_its_page():
    page = (ROOT / "docs" / "dashboards.md").read_text(encoding="utf-8")

    for made in PLANS:
        assert f"dashboards/{made.name}.svg)" in page
        assert f"`{made.uid}`" in page
