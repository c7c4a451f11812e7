"""What Grafana reads: held against the models of its SDK, and what breaks a dashboard though it is valid."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest
from grafana_foundation_sdk.cog import plugins
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models import dashboard as models
from grafana_foundation_sdk.models import units

from eks_accelerators.monitoring.dashboards import PLANS, dashboards_of
from eks_accelerators.monitoring.dashboards.layout import COLUMNS
from eks_accelerators.monitoring.dashboards.plan import PanelKind
from eks_accelerators.settings.generated_files import ROOT
from tests.monitoring.dashboards.stacks import EVERY, WITH_MIG, written
from tests.monitoring.stacks import stack_of

NAMES = [plan.uid for plan in PLANS]
UNITS = {value for name, value in vars(units).items() if isinstance(value, str) and not name.startswith("__")}


@pytest.fixture(params=NAMES)
def made(request):
    return written()[request.param]


def test_a_stack_with_everything_has_every_dashboard():
    assert list(written()) == NAMES


def test_grafana_s_own_models_know_every_key(made):
    """What they do not know is lost on the way through them."""
    plugins.register_default_plugins()

    read = models.Dashboard.from_json(made)

    assert json.loads(JSONEncoder().encode(read)) == made
    assert made["schemaVersion"] == 42


def test_a_key_that_the_models_do_not_know_would_be_lost(made):
    plugins.register_default_plugins()
    broken = {**made, "panels": [{**made["panels"][1], "yaxes": []}]}

    assert json.loads(JSONEncoder().encode(models.Dashboard.from_json(broken))) != broken


def test_addresses_are_short_and_stable(made):
    assert made["uid"] in NAMES
    assert len(made["uid"]) <= 40
    assert "id" not in made, "Grafana gives it; a file that has one meets another dashboard's"


def test_panels_have_ids_of_their_own_and_do_not_overlap(made):
    panels = made["panels"]
    cells = [
        (panel["gridPos"]["x"] + column, panel["gridPos"]["y"] + row)
        for panel in panels
        for column in range(panel["gridPos"]["w"])
        for row in range(panel["gridPos"]["h"])
    ]

    assert len({panel["id"] for panel in panels}) == len(panels)
    assert len(set(cells)) == len(cells)
    assert all(0 <= column < COLUMNS for column, _ in cells)


def test_panels_are_of_kinds_that_grafana_still_has(made):
    """`graph`, `singlestat` and `table-old` were Angular, and are gone."""
    assert {panel["type"] for panel in made["panels"]} <= {"row", *map(str, PanelKind)}


def test_the_data_source_is_chosen_by_the_reader_and_needs_no_input(made):
    sources = {
        each["datasource"]["uid"]
        for panel in made["panels"]
        for each in [panel, *panel.get("targets", [])]
        if panel["type"] != "row"
    }
    first, *others = made["templating"]["list"]

    assert sources == {"${datasource}"}
    assert (first["type"], first["name"], first["query"]) == ("datasource", "datasource", "prometheus")
    assert all(other["datasource"]["uid"] == "${datasource}" for other in others)
    assert "${DS_" not in json.dumps(made)
    assert "__inputs" not in made


def test_every_panel_says_what_it_means_in_a_unit_that_grafana_knows(made):
    for panel in made["panels"]:
        if panel["type"] not in ("row", "text"):
            defaults, overrides = panel["fieldConfig"]["defaults"], panel["fieldConfig"]["overrides"]
            named = [defaults["unit"], *(each["value"] for one in overrides for each in one["properties"])]
            assert set(named) <= UNITS, panel["title"]
        if panel["type"] != "row":
            assert len(panel["description"]) > 20, panel["title"]


def test_titles_are_unique_within_a_section():
    for plan in PLANS:
        for section in plan.sections:
            titles = [panel.title for panel in section.panels]
            assert len(set(titles)) == len(titles)


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.name)
def test_runbooks_are_there(plan):
    assert all((ROOT / "docs/runbooks" / f"{panel.runbook}.md").is_file() for panel in plan.panels if panel.runbook)
    assert any(panel.runbook for panel in plan.panels)


def test_panels_link_to_their_pages_where_these_have_an_address():
    stack = stack_of(WITH_MIG)
    linked = dashboards_of(stack, EVERY, runbooks="https://example.com/runbooks/")[0].json
    named = dashboards_of(stack, EVERY)[0].json

    assert "What to do: [replace-a-gpu-node](https://example.com/runbooks/replace-a-gpu-node.md)" in linked
    assert "What to do: docs/runbooks/replace-a-gpu-node.md" in named


def test_a_panel_says_what_its_metrics_are_under_the_stack_s_own_sharing():
    def said(which):
        panels = written(which)["accelerators-gpu"]["panels"]
        return next(panel["description"] for panel in panels if panel["title"] == "Load of each pod")

    assert "`DCGM_FI_DEV_GPU_UTIL` is: Exclusive: of the GPU;" in said("everything")
    assert (
        "; Time-slicing: of each pod's processes, and once without a pod of the whole GPU; MIG: not reported."
        in said("everything")
    )
    assert "is: " not in said("one L4")


def test_the_same_stack_has_the_same_text():
    texts = [[each.json for each in dashboards_of(stack_of(WITH_MIG), EVERY)] for _ in range(2)]

    assert texts[0] == texts[1]


def test_who_makes_no_dashboard_does_not_import_the_sdk():
    code = (
        "import sys; import eks_accelerators.monitoring.dashboards, eks_accelerators.monitoring.dashboards.config_maps;"
        " print([name for name in sys.modules if name.startswith('grafana')])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path(ROOT))

    assert ast.literal_eval(said.stdout) == []
