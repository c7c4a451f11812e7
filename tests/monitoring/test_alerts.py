"""Every alert fires on its fault and on nothing else, as Prometheus itself evaluates it."""

import pytest

from eks_accelerators.monitoring.alerts import ALERTS, GROUPS
from eks_accelerators.monitoring.metrics import Exporter
from eks_accelerators.monitoring.rules import RECORDED as RECORDED_RULES
from eks_accelerators.monitoring.rules import rules_of
from tests.monitoring.cases import CASES, WRITTEN
from tests.monitoring.cases.recording_rules import CASES as RECORDED
from tests.monitoring.cases.situations import CANNOT_BE, OF_GPUS, SITUATIONS
from tests.monitoring.promtool import judged, needs_promtool, promtool, rule_file
from tests.monitoring.stacks import EVERYTHING, stack_of


@pytest.fixture(scope="module")
def groups():
    return {group.name: group for group in rules_of(stack_of(EVERYTHING), Exporter)}


@pytest.mark.parametrize("situation", SITUATIONS)
def test_every_alert_is_tried_in_it_or_cannot_be(situation):
    """And nothing is excused that is tried."""
    tried = {case.alert for case in WRITTEN if SITUATIONS[situation](case)}

    assert tried == set(ALERTS) - set(CANNOT_BE.get(situation, {}))


def test_only_what_asks_nothing_of_gpus_is_excused_from_mig():
    assert {name for name, alert in ALERTS.items() if not OF_GPUS.search(alert.expression)} == set(CANNOT_BE["MIG"])


class TestByPromtool:
    pytestmark = needs_promtool

    def test_the_rules_are_valid(self, groups, tmp_path):
        code, said = promtool("check", "rules", "--lint=all", "--lint-fatal", rule_file(tmp_path, groups.values()))

        assert code == 0, said

    @pytest.mark.parametrize("name", GROUPS)
    def test_they_fire_on_their_faults_alone(self, groups, name, tmp_path):
        own = {alert.name for alert in GROUPS[name]}
        cases = [case.as_test() for case in CASES if case.alert in own]

        if said := judged(tmp_path, [groups[RECORDED_RULES], groups[name]], cases):
            pytest.fail(said, pytrace=False)

    def test_nothing_fires_without_any_series(self, groups, tmp_path):
        asked = [{"eval_time": "1h", "alertname": name, "exp_alerts": []} for name in ALERTS]
        nothing = {"interval": "1m", "input_series": [], "alert_rule_test": asked}

        if said := judged(tmp_path, groups.values(), [nothing]):
            pytest.fail(said, pytrace=False)

    def test_recording_rules_say_what_is_there(self, groups, tmp_path):
        if said := judged(tmp_path, groups.values(), [case.as_test() for case in RECORDED]):
            pytest.fail(said, pytrace=False)
