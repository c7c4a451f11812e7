"""Every alert fires on its fault and on nothing else, as Prometheus itself evaluates it."""

from itertools import groupby

import pytest

from eks_accelerators.monitoring.alerts import ALERTS
from eks_accelerators.monitoring.metrics import Exporter
from eks_accelerators.monitoring.rendering import as_yaml
from eks_accelerators.monitoring.rules import rules_of
from tests.monitoring.cases import CASES, Case
from tests.monitoring.cases.recorded import CASES as RECORDED
from tests.monitoring.promtool import judged, needs_promtool, promtool
from tests.monitoring.stacks import EVERYTHING, stack_of

BY_ALERT = {
    name: list(cases) for name, cases in groupby(sorted(CASES, key=lambda case: case.alert), lambda case: case.alert)
}


@pytest.fixture(scope="module")
def rules():
    return as_yaml(rules_of(stack_of(EVERYTHING), Exporter))


def test_every_alert_has_a_case_in_which_it_fires_and_one_in_which_it_does_not():
    assert {case.alert for case in CASES if case.fires} == set(ALERTS)
    assert {case.alert for case in CASES if not case.fires} == set(ALERTS)


class TestByPromtool:
    pytestmark = needs_promtool

    def test_the_rules_are_valid(self, rules, tmp_path):
        (tmp_path / "rules.yaml").write_text(rules, encoding="utf-8")

        code, said = promtool("check", "rules", "--lint=all", "--lint-fatal", str(tmp_path / "rules.yaml"))

        assert code == 0, said

    @pytest.mark.parametrize("name", BY_ALERT)
    def test_it_fires_on_its_fault_alone(self, rules, name, tmp_path):
        if said := judged(tmp_path, rules, [case.as_test() for case in BY_ALERT[name]]):
            pytest.fail(said, pytrace=False)

    def test_nothing_fires_without_any_series(self, rules, tmp_path):
        silent = [Case(name, "nothing is there", {}).as_test() for name in ALERTS]

        if said := judged(tmp_path, rules, silent):
            pytest.fail(said, pytrace=False)

    def test_recording_rules_say_what_is_there(self, rules, tmp_path):
        if said := judged(tmp_path, rules, [case.as_test() for case in RECORDED]):
            pytest.fail(said, pytrace=False)
