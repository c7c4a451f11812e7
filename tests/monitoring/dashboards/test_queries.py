"""What panels ask for: series that somebody emits, labels that they have, expressions that Prometheus reads."""

import re

import pytest
import yaml

from eks_accelerators.monitoring.dashboards import PLANS, fleet
from eks_accelerators.monitoring.dashboards.plan import PanelKind
from eks_accelerators.monitoring.recording_rules import recording_rules
from tests.monitoring.cases.kubernetes import claiming, of_pod, pod
from tests.monitoring.dashboards.stacks import QUERIES, VARIABLES, WITH_MIG
from tests.monitoring.promql import ExpressionError, known_series, labels_of
from tests.monitoring.promtool import judged, needs_promtool, promtool
from tests.monitoring.stacks import stack_of

WAITS = {
    **pod("waits", "", phase="Pending"),
    **of_pod("kube_pod_status_unschedulable", "waits", "1x60"),
    **claiming("claims", phase="Pending"),
    **of_pod("kube_pod_status_unschedulable", "claims", "1x60"),
}
"""Pods that find no node."""

PODS = [
    pytest.param(
        "Pods that find no node",
        {
            **WAITS,
            **pod("gated", "", phase="Pending"),
            **of_pod("kube_pod_status_unschedulable", "gated", "1x60"),
            **of_pod("kube_pod_status_reason", "gated", "1x60", reason="SchedulingGated"),
        },
        2,
        id="a pod that a queue holds back is none that finds no node",
    ),
    pytest.param(
        "Pods that hold an accelerator",
        {
            **WAITS,
            **pod("one", "node-a"),
            **claiming("two"),
            **pod("pulling", "node-a", phase="Pending"),
            **pod("done", "node-a", phase="Succeeded"),
            **claiming("done-too", phase="Succeeded"),
        },
        3,
        id="a pod that waits, or has ended, holds nothing",
    ),
]

LEGENDS = re.compile(r"\{\{(\w+)\}\}")


@pytest.fixture(scope="module")
def known():
    return known_series(recording_rules(stack_of(WITH_MIG)))


@pytest.mark.parametrize(("panel", "query"), [each[1:] for each in QUERIES], ids=[each[0] for each in QUERIES])
def test_a_query_names_only_what_somebody_emits_and_its_legend_labels_that_it_has(panel, query, known):
    labels = labels_of(query.plain, known)

    assert set(LEGENDS.findall(query.legend)) <= labels
    if panel.kind is PanelKind.TABLE:
        assert labels == set(panel.columns), "a label without a heading is a column without one"
        assert re.match(r"(sum|max|count|group) by ", query.expression), "a series of its own name is a row of its own"
    elif panel.kind is PanelKind.STAT and "{{" not in query.legend:
        assert not labels, "several values under one title"


@pytest.mark.parametrize(("plan", "variable"), VARIABLES, ids=[f"{plan}: {each.name}" for plan, each in VARIABLES])
def test_a_variable_has_the_values_of_a_label_that_there_is(plan, variable, known):
    assert variable.label in labels_of(variable.series, known)


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.name)
def test_what_is_chosen_is_asked_for_and_nothing_else(plan):
    asked = {name for panel in plan.panels for each in panel.queries for name in re.findall(r"\$(\w+)", each.plain)}

    assert asked == {variable.name for variable in plan.variables}


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.name)
def test_several_chosen_values_are_matched_as_a_pattern_and_one_as_it_is(plan):
    for variable in plan.variables:
        sign = "=~" if variable.several else "="
        for panel in plan.panels:
            for query in panel.queries:
                assert set(re.findall(rf'(=~?)"\${variable.name}"', query.expression)) <= {sign}


def test_a_metric_that_nobody_emits_would_be_found(known):
    with pytest.raises(ExpressionError, match="no exporter is configured to emit vllm:gpu_cache_usage_perc"):
        labels_of("max (vllm:gpu_cache_usage_perc)", known)


class TestByPromtool:
    pytestmark = needs_promtool

    def test_every_expression_is_valid(self, tmp_path):
        rules = [{"record": f"query:{number}", "expr": query.plain} for number, (_, _, query) in enumerate(QUERIES)]
        (tmp_path / "rules.yaml").write_text(yaml.safe_dump({"groups": [{"name": "all", "rules": rules}]}))

        code, said = promtool("check", "rules", "--lint=none", str(tmp_path / "rules.yaml"))

        assert code == 0, said
        assert f"{len(QUERIES)} rules found" in said

    @pytest.mark.parametrize(("title", "pods", "count"), PODS)
    def test_pods_are_counted_that_it_says(self, title, pods, count, tmp_path):
        (panel,) = (each for each in fleet.PLAN.panels if each.title == title)
        answer = {"labels": '{namespace="team"}', "value": count}
        asked = {
            "interval": "1m",
            "input_series": [{"series": name, "values": values} for name, values in pods.items()],
            "promql_expr_test": [{"expr": panel.queries[0].plain, "eval_time": "20m", "exp_samples": [answer]}],
        }

        if said := judged(tmp_path, [], [asked]):
            pytest.fail(said, pytrace=False)
