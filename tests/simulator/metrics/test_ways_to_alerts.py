"""Every alert is reached by a fault, a load or a state of the simulated cluster, as Prometheus itself evaluates it."""

import pytest

from eks_accelerators.monitoring.alerts import ALERTS
from eks_accelerators.monitoring.metrics import Exporter
from eks_accelerators.monitoring.promql import series_of
from eks_accelerators.monitoring.rules import RECORDED, needs_of, rules_of
from eks_accelerators.simulator.metrics.sources import REAL
from tests.monitoring.promtool import judged, needs_promtool
from tests.monitoring.stacks import EVERYTHING, stack_of
from tests.simulator.metrics.ways_to_alerts import NOT_BY_SIMULATED_EXPORTERS, STRIKES, WAYS, begins, told


@pytest.fixture(scope="module")
def groups():
    return {group.name: group for group in rules_of(stack_of(EVERYTHING), Exporter)}


@pytest.fixture(scope="module")
def recorded(groups):
    return groups[RECORDED].rules


def asked_by(alert, recorded):
    """The series that an alert needs, by way of what is recorded too."""
    names, todo = set(), [ALERTS[alert].expression]
    while todo:
        for name in series_of(todo.pop()):
            rules = [rule.expression for rule in recorded if rule.name == name]
            todo += rules
            if not rules:
                names.add(name)
    return names


def scraped(alert, recorded):
    """The series as Prometheus has them, each with its value at every look; None where there is none."""
    way, wanted = WAYS[alert], asked_by(alert, recorded)
    looks = list(told(way))
    found = {}
    for at, (_, shown) in enumerate(looks):
        for target, samples in shown:
            up = ("up", *sorted(target.labels.items()))
            found.setdefault(up, [None] * len(looks))[at] = float(target.answers)
            for sample in samples if target.answers else ():
                if sample.name in wanted:
                    labels = {**target.labels, **{key: value for key, value in sample.labels.items() if value}}
                    series = (sample.name, *sorted(labels.items()))
                    found.setdefault(series, [None] * len(looks))[at] = float(sample.value)
    return {series: values for series, values in found.items() if series[0] in wanted}


def written(series):
    name, *labels = series
    inner = ", ".join(f'{key}="{value}"' for key, value in labels)
    return f"{name}{{{inner}}}"


def noted(values):
    """As Prometheus notes it: what is not shown any more is stale at once."""
    for before, value in zip([None, *values], values, strict=False):
        yield repr(value) if value is not None else "_" if before is None else "stale"


def as_test(alert, recorded):
    """What promtool is asked: silent just before, firing some time after."""
    way = WAYS[alert]
    firing = f'count(ALERTS{{alertname="{alert}", alertstate="firing"}}) > bool 0'
    before = [{"expr": firing, "eval_time": f"{STRIKES - 1}m", "exp_samples": []}] if way.well_before else []
    after = {"expr": firing, "eval_time": f"{STRIKES + way.fires}m", "exp_samples": [{"labels": "{}", "value": 1}]}
    return {
        "name": f"{alert}: {way.by}",
        "interval": f"{way.step}m",
        "start_timestamp": int(begins(alert)),
        "input_series": [
            {"series": written(series), "values": " ".join(noted(values))}
            for series, values in scraped(alert, recorded).items()
        ],
        "promql_expr_test": [*before, after],
    }


def test_every_alert_has_a_way_or_a_reason():
    assert set(WAYS) | set(NOT_BY_SIMULATED_EXPORTERS) == set(ALERTS)
    assert not set(WAYS) & set(NOT_BY_SIMULATED_EXPORTERS)


def test_those_without_a_way_need_a_real_program(recorded):
    needed = {name: needs_of(ALERTS[name].expression, recorded).exporters for name in NOT_BY_SIMULATED_EXPORTERS}

    assert [
        name for name, exporters in needed.items() if not exporters & set(REAL).difference([Exporter.PROMETHEUS])
    ] == []


MAY_BE_ABSENT = {"kube_pod_resourceclaim_info", "kube_pod_status_reason"}
"""Series of what need not be there: expressions say `or` and `unless`."""


@pytest.mark.parametrize("alert", WAYS)
def test_its_way_shows_the_series_that_it_asks_for(alert, recorded):
    """All that can be judged without promtool; that the expressions ask for labels that there are, `test_rules.py` holds."""
    shown = {series[0] for series in scraped(alert, recorded)}

    assert asked_by(alert, recorded) - shown <= MAY_BE_ABSENT


class TestByPromtool:
    pytestmark = needs_promtool

    @pytest.mark.parametrize("alert", WAYS)
    def test_it_fires_after_and_not_before(self, groups, recorded, alert, tmp_path):
        (group,) = (each for each in groups.values() if alert in {rule.name for rule in each.rules})

        if said := judged(tmp_path, [groups[RECORDED], group], [as_test(alert, recorded)]):
            pytest.fail(said, pytrace=False)
