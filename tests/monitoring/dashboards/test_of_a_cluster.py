"""Every query of every panel, asked of a real Prometheus over the simulated exporters of a cluster that has everything.

`DRAW_DASHBOARDS=1` draws the pictures of docs/dashboards.md from its answers.
"""

import os
import re

import pytest

from eks_accelerators.monitoring.dashboards import PLANS
from eks_accelerators.settings.generated_files import ROOT
from tests.monitoring.dashboards.picture import PanelAnswer, key, picture
from tests.monitoring.dashboards.showcase import LONG_ENOUGH, watched
from tests.simulator.further import further

pytestmark = [pytest.mark.engines, pytest.mark.slow]

NOT_HERE = {
    (
        "servers",
        "What they do: What the autoscaler sees",
    ): "KEDA is the real program: tests/simulator/keda/test_scaling.py asks it this very query",
}
"""What this cluster does not have, and where it is."""

STEP_SECONDS = 60
QUERIES = [
    (plan, section, panel, number)
    for plan in PLANS
    for section in plan.sections
    for panel in section.panels
    for number in range(len(panel.queries))
]
VARIABLES = [(plan, variable) for plan in PLANS for variable in plan.variables]


def with_choice(text, plan, choice):
    """What a reader has chosen: one GPU, and of all else everything."""
    every = {variable.name: ".*" for variable in plan.variables}
    return re.sub(r"\$(\w+)", lambda found: {**every, **choice}[found[1]], text)


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """Everything at once, as the simulated time goes on while one asks: answers, values of variables, and some more."""
    with watched(further("prometheus")["prometheus"], tmp_path_factory.mktemp("cluster")) as server:
        end = server.clock.now()
        # Of the last 20 minutes: on a busy machine the last scrape can have been too late.
        most_shared, divided, of_several = (
            server.query(f"topk(1, count by (node, gpu) (max_over_time({series}[20m])))")
            for series in (
                'DCGM_FI_DEV_GPU_TEMP{vgpu!=""}',
                'DCGM_FI_DEV_GPU_TEMP{GPU_I_ID!="", pod!=""}',
                'DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL{GPU_I_ID="", pod!=""}',
            )
        )
        choices = [dict(each.labels) for each in (*most_shared, *divided, *of_several)]

        chosen = {"gpu": choices, "training": [{"pod": "train-.*"}]}

        def answers(plan, panel, number, choice):
            text = with_choice(panel.queries[number].plain, plan, choice)
            series = server.query_range(text, end - LONG_ENOUGH + 600, end, STEP_SECONDS)
            return [PanelAnswer(each.labels, tuple(value for _, value in each.points)) for each in series]

        asked = {}
        for plan, section, panel, number in QUERIES:
            tried = [answers(plan, panel, number, choice) for choice in chosen.get(plan.name, [{}])]
            asked[plan.name, key(section.title, panel, number)] = next(filter(None, tried), [])
        values = {
            (plan.name, variable.name): {
                each.labels.get(variable.label)
                for choice in (choices if '="$' in variable.series else [{}])
                for each in server.query(f"max_over_time({with_choice(variable.series, plan, choice)}[20m])")
            }
            for plan, variable in VARIABLES
        }
        states = server.query("count by (state) (max_over_time(accelerator:gpu_state[20m]))")
    return asked, values, {each.labels["state"] for each in states}


@pytest.mark.parametrize(
    ("plan", "section", "panel", "number"),
    QUERIES,
    ids=[f"{plan.name}: {section.title}: {panel.title} {number + 1}" for plan, section, panel, number in QUERIES],
)
def test_it_has_data(plan, section, panel, number, found):
    name = key(section.title, panel, number)
    has_data = bool(found[0][plan.name, name])

    assert has_data != ((plan.name, name[0]) in NOT_HERE), NOT_HERE.get((plan.name, name[0]), "no data")


@pytest.mark.parametrize(("plan", "variable"), VARIABLES, ids=[f"{plan.name}: {each.name}" for plan, each in VARIABLES])
def test_a_variable_has_values(plan, variable, found):
    assert found[1][plan.name, variable.name] - {None}


def test_gpus_are_in_every_state(found):
    assert found[2] == {"free", "idle", "busy", "broken"}


@pytest.mark.skipif("DRAW_DASHBOARDS" not in os.environ, reason="draws the pictures, where it is asked to")
def test_the_pictures(found):
    folder = ROOT / "docs" / "dashboards"
    folder.mkdir(exist_ok=True)
    for plan in PLANS:
        own = {name: answers for (dashboard, name), answers in found[0].items() if dashboard == plan.name}
        (folder / f"{plan.name}.svg").write_text(picture(plan, own), encoding="utf-8")
