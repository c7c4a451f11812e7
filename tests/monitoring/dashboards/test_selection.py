"""Which dashboards a stack gets, and which of their panels."""

import json
from datetime import UTC, datetime

from eks_accelerators.monitoring.dashboards import PLANS, dashboards_of, panels_left_out
from eks_accelerators.monitoring.metrics import Exporter
from tests.monitoring.dashboards.stacks import EVERY, WITH_MIG
from tests.monitoring.stacks import CLAIMED, EVERYTHING, NEURON, NOTHING, POOL, stack_of


def names(patch, emitted=EVERY, **more):
    return {each.name.removeprefix("accelerators-") for each in dashboards_of(stack_of(patch), emitted, **more)}


def titles(patch, name, emitted=EVERY):
    (made,) = [each for each in dashboards_of(stack_of(patch), emitted) if each.name == f"accelerators-{name}"]
    return {panel["title"]: panel for panel in json.loads(made.json)["panels"]}


def test_each_kind_of_stack_has_its_own():
    assert names(WITH_MIG) == {plan.name for plan in PLANS}
    assert names({}) == {"fleet", "gpu", "servers", "training", "cost"}
    assert names(NEURON) == {"fleet", "neuron", "cost"}
    assert names(NOTHING) == set()


def test_nothing_is_left_out_of_a_stack_with_everything():
    assert panels_left_out(stack_of(WITH_MIG), EVERY) == ()


def test_panels_are_for_those_whom_they_concern():
    assert "NVLink" not in titles({}, "gpu")
    assert "Load of each instance's pod" not in titles({}, "gpu")
    assert {"NVLink", "Load of each instance's pod", "Load of each pod"} <= titles(WITH_MIG, "gpu").keys()
    assert "EFA" not in titles({}, "training")
    assert "traffic is not measured" in titles(EVERYTHING, "training")["EFA"]["options"]["content"]
    assert "Free, by node group" not in titles(CLAIMED, "fleet")
    assert "Nodes by NodePool" not in titles({}, "fleet")
    assert {"Nodes by NodePool", "Limits of NodePools", "Nodes that never came"} <= titles(POOL, "fleet").keys()


def test_a_panel_whose_metrics_nobody_scrapes_is_left_out_and_named():
    without = EVERY - {Exporter.KEDA}

    left_out = panels_left_out(stack_of({}), without)
    shown = titles({}, "servers", without)

    assert [(one.dashboard, one.panel, one.reason) for one in left_out] == [
        ("servers", "What the autoscaler sees", "nobody scrapes keda")
    ]
    assert "What the autoscaler sees" not in shown
    assert shown["Not shown"]["type"] in ("row", "text")
    panels = json.loads(dashboards_of(stack_of({}), without)[2].json)["panels"]
    assert panels[-1]["options"]["content"] == "- **What the autoscaler sees**: nobody scrapes keda"


def test_a_dashboard_that_would_show_alerts_alone_is_not_there():
    assert names(EVERYTHING, {Exporter.DCGM}) == {"fleet", "gpu", "training", "capacity-blocks"}
    assert names(EVERYTHING, {Exporter.VLLM}) == {"servers", "capacity-blocks"}
    assert names({}, ()) == set()


def test_what_has_no_price_is_not_shown_as_nothing():
    spot = {"nodeGroups.gpu.capacityType": "spot"}

    shown = titles(spot, "cost")

    assert "USD per hour" not in shown
    assert "Allocated" in shown
    reasons = {one.panel: one.reason for one in panels_left_out(stack_of(spot), EVERY)}
    assert reasons["USD per hour"] == "no node group is bought on demand at a list price that is known"
    assert reasons["A million tokens"].startswith("a node group with vLLM servers has no list price")


def test_a_block_whose_end_nobody_knows_has_no_countdown_unless_aws_says_it():
    unknown = {**EVERYTHING, "capacityBlocks.training.expect": {}}

    assert "capacity-blocks" not in names(unknown)
    reasons = {one.panel: one.reason for one in panels_left_out(stack_of(unknown), EVERY)}
    assert reasons["Until the block ends"] == "nobody says when a Capacity Block ends: write its expect.end"
    assert "capacity-blocks" in names(unknown, block_ends={"training": datetime(2027, 1, 1, tzinfo=UTC)})


def test_without_alerts_none_is_shown_and_what_is_broken_is():
    stack = stack_of({})
    made = {each.name: each.json for each in dashboards_of(stack, EVERY, alerts=False)}

    assert not any("ALERTS" in text for text in made.values())
    assert {one.reason for one in panels_left_out(stack, EVERY, alerts=False)} == {"no alerts are deployed"}
    assert 'state=\\"broken\\"' in made["accelerators-fleet"]
