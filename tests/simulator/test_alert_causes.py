"""The table of causes is whole: every alert has one, and what it says of faults is what faults are."""

import pytest

from eks_accelerators.accelerators import instance_types
from eks_accelerators.monitoring.alerts import ALERTS
from eks_accelerators.monitoring.deployment import alerts_left_out
from eks_accelerators.monitoring.metrics import Exporter
from eks_accelerators.monitoring.rules import rules_of
from eks_accelerators.monitoring.scraping import emitted
from eks_accelerators.settings.load import load_stack_file
from eks_accelerators.settings.resolved_stack import resolve_stack
from eks_accelerators.simulator import faults_page
from eks_accelerators.simulator.alert_causes import CAUSES, CauseKind, Site, causes_of
from eks_accelerators.simulator.load.timed_faults import NO_CAPACITY
from eks_accelerators.simulator.metrics.fault_kinds import KINDS
from eks_accelerators.simulator.metrics.faults import parse
from tests.simulator import (
    faults_loop,
    test_autoscalers_in_trouble,
    test_closed_loop_karpenter,
    test_closed_loop_kinds,
    test_faults_in_the_loop,
)
from tests.simulator.metrics.ways_to_alerts import WAYS
from tests.simulator.worlds import NOW, PROJECT

FAULTS = [cause for cause in CAUSES if cause.kind is CauseKind.FAULT and cause.text != NO_CAPACITY]


@pytest.mark.parametrize("alert", ALERTS)
def test_every_alert_has_a_cause(alert):
    assert causes_of(alert)


@pytest.mark.parametrize("stack", ["dev", "staging", "prod"])
def test_every_rule_of_a_shipped_stack_has_one(stack):
    settings = load_stack_file(PROJECT / "stacks" / f"Pulumi.{stack}.yaml", NOW).require().settings
    resolved = resolve_stack(settings)
    deployed = {rule.name for group in rules_of(resolved, emitted(resolved)) for rule in group.rules} & ALERTS.keys()

    assert [name for name in deployed | {each.alert for each in alerts_left_out(resolved)} if not causes_of(name)] == []


STRUCK = (
    *test_faults_in_the_loop.HERE,
    *test_autoscalers_in_trouble.STRUCK,
    *test_closed_loop_karpenter.STRUCK,
    *test_closed_loop_kinds.STRUCK,
)
"""Causes that a loop with a real Prometheus strikes; each of these modules asks whether all of their alerts fire."""

_ALIKE = "no loop has such a server: its pages come and go as Triton's do, and promtool judges them in test_exporters_down.py"
NOT_STRUCK = {"exporter-down=nim": _ALIKE, "exporter-down=tf-serving": _ALIKE}


@pytest.mark.parametrize("alert", ALERTS)
def test_every_alert_fires_in_a_loop(alert):
    assert [cause for cause in STRUCK if alert in cause.fires] != []


def test_every_cause_is_struck_in_a_loop_or_it_is_said_why_not():
    assert {(cause.text, cause.site) for cause in CAUSES if cause not in STRUCK} == {
        (text, Site.OTHER_SERVERS) for text in NOT_STRUCK
    }


def test_no_cause_names_an_alert_that_there_is_not():
    assert {name for cause in CAUSES for name in cause.fires} <= ALERTS.keys()


def test_every_kind_of_fault_is_in_the_table():
    assert {cause.text.partition("=")[0] for cause in FAULTS} == KINDS.keys()


def test_every_exporter_that_can_be_down_is_in_it():
    down = KINDS["exporter-down"]

    assert {cause.text.partition("=")[2] for cause in FAULTS if cause.text.startswith(down.name)} == {
        exporter for exporter in Exporter if down.takes(exporter)
    }


@pytest.mark.parametrize("cause", FAULTS, ids=[f"{cause.text} on {cause.site}" for cause in FAULTS])
class TestFault:
    def test_it_is_written_as_the_command_line_takes_it(self, cause):
        assert str(parse(cause.text)) == cause.text

    def test_no_alert_comes_before_it_has_held(self, cause):
        held = {name: float(ALERTS[name].held.removesuffix("m") or 0) for name in cause.fires}

        assert [name for name, minutes in cause.fires.items() if not held[name] <= minutes <= held[name] + 10] == []


@pytest.mark.parametrize(
    "cause", faults_loop.FAULTS, ids=[f"{cause.text} on {cause.site}" for cause in faults_loop.FAULTS]
)
def test_it_strikes_the_nodes_that_it_has_in_the_loop(cause):
    group = faults_loop.groups()[faults_loop.GROUP_OF[cause.site]]

    assert parse(cause.text).kind.strikes(instance_types.get(group["instanceType"]))


def test_what_is_reached_on_paper_is_reached_by_the_same_fault():
    faults = {alert: way.by.removeprefix("fault ") for alert, way in WAYS.items() if way.by.startswith("fault ")}

    assert [
        (alert, text)
        for alert, text in faults.items()
        if str(parse(text)) not in {cause.text for cause in causes_of(alert)}
    ] == []


def test_the_tables_of_the_page_are_current():
    written = faults_page.PATH.read_text(encoding="utf-8")

    assert faults_page.page(written) == written
