"""The catalogue of metrics, held against what the exporters are configured to emit; and each rule against the catalogue."""

import re

import pytest

from eks_accelerators.accelerators import scheduling
from eks_accelerators.components.charts import catalogue, values_of
from eks_accelerators.components.dcgm_exporter import counters
from eks_accelerators.monitoring.alerts import ALERTS
from eks_accelerators.monitoring.dashboards import PLANS
from eks_accelerators.monitoring.metrics import Exporter, exporters, metrics, node_label, scopes, series
from eks_accelerators.monitoring.promql import series_of
from eks_accelerators.monitoring.recording_rules import recording_rules
from tests.monitoring.promql import known_series, labels_of
from tests.monitoring.stacks import EVERYTHING, stack_of

LINES = [line.split(",") for line in counters().splitlines() if line and not line.startswith("#")]


def dcgm():
    return {name: metric for name, metric in metrics().items() if metric.exporter is Exporter.DCGM}


def test_the_exporter_emits_what_the_catalogue_says_and_nothing_else():
    assert {(field, kind) for field, kind, _ in LINES} == {(name, metric.kind) for name, metric in dcgm().items()}


def test_each_line_of_the_exporter_s_list_is_one_that_it_can_read():
    """Three fields; with another number, or a field that it does not know, the exporter does not start at all."""
    assert all(re.fullmatch(r"DCGM_(FI|EXP)_[A-Z0-9_]+,(gauge|counter),[^,]+\.", ",".join(line)) for line in LINES)
    assert len({field for field, *_ in LINES}) == len(LINES)


def test_the_version_is_that_which_is_deployed():
    assert exporters()[Exporter.DCGM].version.startswith(f"{catalogue()['dcgm-exporter']['version']} ")
    assert exporters()[Exporter.VLLM].version in catalogue()["vllm"]["image"]


def test_what_shares_a_gpu_is_told_of_every_metric_of_gpus_and_of_no_other():
    assert all((metric.scope in scopes()) == (metric.exporter is Exporter.DCGM) for metric in metrics().values())
    assert {tuple(scope) for scope in scopes().values()} == {("exclusive", "timeSlicing", "mps", "mig", "claimed")}


def test_labels_of_nodes_are_those_that_node_groups_carry():
    ours = (scheduling.NODE_GROUP_LABEL, scheduling.NVIDIA.label_key, scheduling.NEURON.label_key, scheduling.DRA_LABEL)

    assert {node_label(key) for key in ours} <= metrics()["kube_node_labels"].labels
    assert node_label("nvidia.com/gpu.present") == "label_nvidia_com_gpu_present"


@pytest.fixture(scope="module")
def known():
    return known_series(recording_rules(stack_of(EVERYTHING)))


@pytest.mark.parametrize("name", ALERTS)
def test_an_alert_names_only_what_somebody_emits_and_labels_that_it_has(name, known):
    alert = ALERTS[name]

    labels = labels_of(alert.expression, known)

    assert set(re.findall(r"\$labels\.(\w+)", alert.summary + alert.description)) <= labels


def test_every_metric_of_a_rule_has_a_unit_and_a_source():
    named = {name for alert in ALERTS.values() for name in series_of(alert.expression)}

    assert all(metric.unit and metric.means for metric in metrics().values())
    assert all(facts.source and re.fullmatch(r"2026-\d\d-\d\d", facts.read) for facts in exporters().values())
    assert named


RATED = re.compile(r"\b(?:rate|increase|irate)\(([a-zA-Z_:][a-zA-Z0-9_:]*)")


@pytest.mark.parametrize(
    "expression",
    [
        *(alert.expression for alert in ALERTS.values()),
        *(rule.expression for rule in recording_rules(stack_of(EVERYTHING))),
        *(query.plain for plan in PLANS for panel in plan.panels for query in panel.queries),
    ],
)
def test_only_what_grows_has_a_rate(expression):
    """DCGM makes a rate of NVLink's traffic itself, and windows of what it counts: a rate of these is of nothing."""
    assert {series()[name].kind for name in RATED.findall(expression)} <= {"counter", "histogram"}


def test_what_does_not_grow_would_be_found():
    assert series()[RATED.findall("max (rate(DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL[5m]))")[0]].kind == "gauge"


def test_kube_state_metrics_collects_every_kind_that_a_metric_is_of():
    """`kube_<kind>_...` in the singular; of another kind it shows nothing, whatever rules ask."""
    kinds = {f"{name.split('_')[1]}s" for name in metrics() if name.startswith("kube_")}

    assert kinds == set(values_of("kube-state-metrics", {})["collectors"])
