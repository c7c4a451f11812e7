"""Which series an expression names and which labels its answer has; `promtool` says that each is valid PromQL."""

import pytest

from eks_accelerators.monitoring.promql import series_of
from tests.monitoring.promql import ExpressionError, labels_of
from tests.monitoring.promtool import needs_promtool, promtool

KNOWN = {
    "load": frozenset({"node", "pod", "gpu"}),
    "info": frozenset({"node", "group"}),
    "requests_bucket": frozenset({"pod", "le"}),
    "accelerator:price": frozenset({"group"}),
}

LABELS = {
    "load": {"node", "pod", "gpu"},
    'load{node=~"a.*", pod!=""}[5m:1m] offset 10m': {"node", "pod", "gpu"},
    "sum by (node) (rate(load[5m]))": {"node"},
    "sum(load) by (node)": {"node"},
    "sum without (pod) (load)": {"node", "gpu"},
    "sum(load)": set(),
    "topk by (node) (3, load)": {"node"},
    "1 - load / 2 > 0.5": {"node", "pod", "gpu"},
    "load * on (node) group_left (group) info": {"node", "pod", "gpu", "group"},
    "info * on (node) group_right (group) load": {"node", "pod", "gpu", "group"},
    "max by (node) (load) * on (node) info": {"node"},
    "load unless on (node) info": {"node", "pod", "gpu"},
    "max by (node) (load) or max by (gpu) (load)": {"node", "gpu"},
    "vector(1796124600) - time()": set(),
    "time() - load": {"node", "pod", "gpu"},
    "histogram_quantile(0.9, sum by (le, pod) (rate(requests_bucket[5m])))": {"pod"},
    'max by (team) (label_replace(load, "team", "$1", "pod", "(.+)-.*"))': {"team"},
    'max by (team) (label_join(load{pod="a"}, "team", "-", "node", "pod"))': {"team"},
    "count by (group) (info) * on (group) accelerator:price": {"group"},
    "(load > 0 unless load offset 5m) and on (node) (info offset 5m == 1)": {"node", "pod", "gpu"},
}

WRONG = {
    "sum by (nodes) (load)": "no label nodes",
    'load{host="a"}': "no label host",
    "sum by (pod) (max by (node) (load))": "no label pod",
    "load * on (node, group) info": "no label group",
    "load * on (node) group_left (team) info": "no label team",
    "missing": "no exporter is configured to emit missing",
    "max by (node) (load) / max by (gpu) (load)": "gpu, node is on one of them only",
    'label_replace(load, "team", "$1", "owner", "(.+)")': "no label owner",
    'label_join(load, "team", "-", "pod", "owner")': "no label owner",
    "load)": "was not expected",
    "sum(load": "was expected",
    "load ~ 3": "is not understood",
}


@pytest.mark.parametrize("expression", LABELS)
def test_labels(expression):
    assert labels_of(expression, KNOWN) == LABELS[expression]


@pytest.mark.parametrize("expression", WRONG)
def test_what_is_not_there_is_named(expression):
    with pytest.raises(ExpressionError, match=WRONG[expression]):
        labels_of(expression, KNOWN)


class Asked(dict):
    """Series by name, which remembers those that were asked for."""

    def __init__(self, series):
        super().__init__(series)
        self.names = set()

    def __getitem__(self, name):
        self.names.add(name)
        return super().__getitem__(name)


@pytest.mark.parametrize("expression", LABELS)
def test_series_are_those_that_a_reader_of_the_whole_expression_asks_for(expression):
    known = Asked(KNOWN)
    labels_of(expression, known)

    assert series_of(expression) == known.names


def test_series_are_found_everywhere():
    expression = 'sum by (a) (b{c="d"}) / on (a) group_left () (e:f offset 5m) unless g > bool 2 or time() - vector(1)'

    assert series_of(expression) == {"b", "e:f", "g"}


class TestByPromtool:
    pytestmark = needs_promtool

    @pytest.mark.parametrize("expression", LABELS)
    def test_it_is_promql(self, expression):
        code, said = promtool("promql", "format", "--experimental", expression)

        assert code == 0, said
