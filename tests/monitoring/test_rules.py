"""Which rules a stack gets: those that concern it, and whose metrics somebody scrapes."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
import yaml

from eks_accelerators.monitoring.alerts import ALERTS, Alert
from eks_accelerators.monitoring.metrics import Exporter
from eks_accelerators.monitoring.recording_rules import block_end, recording_rules
from eks_accelerators.monitoring.rule_files import as_rule_file, as_text
from eks_accelerators.monitoring.rules import left_out, rules_of
from eks_accelerators.settings.cost import estimate
from tests.monitoring.stacks import CLAIMED, END, EVERYTHING, NEURON, NOTHING, POOL, stack_of

EVERY = frozenset(Exporter)
OF_BLOCKS = {"CapacityBlockEnding", "CapacityBlockEndingInUse"}
NOT_OF_ONE_L4 = {
    "NodesNotLaunching",
    "KarpenterNodesNotLaunching",
    "KarpenterLimitNearlyReached",
    "AutoscalerMissing",
    "AutoscalerStopped",
    "AutoscalerBlind",
    "GpuNvlinkErrors",
    "EfaErrors",
    "GpuMemoryNearlyFull",
    "MigLayoutWrong",
    "NeuronExecutionErrors",
    "NeuronUncorrectableEcc",
    *OF_BLOCKS,
}
MIG = {"strategy": "mixed", "layout": {"3g.20gb": 2}}
OF_RESOURCES = {"NodeWithoutItsAccelerators", "AcceleratorDeviceLost", "AcceleratorNodeUnused"}


def alerts(patch, emitted=EVERY, **more):
    """Names of the alerts among a stack's rules."""
    groups = rules_of(stack_of(patch), emitted, **more)
    return {rule.name for group in groups for rule in group.rules if isinstance(rule, Alert)}


def recorded(patch, emitted=EVERY, **more):
    """Names of its recording rules."""
    groups = rules_of(stack_of(patch), emitted, **more)
    return {rule.name for group in groups for rule in group.rules if not isinstance(rule, Alert)}


def test_a_stack_with_everything_has_every_alert():
    assert alerts(EVERYTHING) == set(ALERTS)
    assert left_out(stack_of(EVERYTHING), EVERY) == ()


def test_one_l4_has_no_nvlink_no_efa_no_neuron_and_no_block():
    assert set(ALERTS) - alerts({}) == NOT_OF_ONE_L4


def test_only_gpus_that_nvlink_connects_have_alerts_of_it():
    assert "GpuNvlinkErrors" in alerts({"nodeGroups.gpu.instanceType": "p4d.24xlarge"})
    assert "GpuNvlinkErrors" not in alerts({"nodeGroups.gpu.instanceType": "g6.12xlarge"})  # four, by PCIe alone


def test_a_block_whose_gpus_are_claimed_ends_under_pods_too():
    """Whether one is in use is said by the exporter alone."""
    claimed = {**EVERYTHING, "nodeGroups.h100.dynamicResourceAllocation": True}

    assert alerts(claimed) >= OF_BLOCKS
    assert alerts(claimed, EVERY - {Exporter.DCGM}) & OF_BLOCKS == {"CapacityBlockEnding"}
    assert alerts(EVERYTHING, EVERY - {Exporter.DCGM}) >= OF_BLOCKS


def test_claimed_gpus_are_no_resource_of_a_node():
    assert set(ALERTS) - alerts(CLAIMED) == NOT_OF_ONE_L4 | OF_RESOURCES


@pytest.mark.parametrize(
    ("patch", "more"),
    [
        (
            {"nodeGroups.gpu.autoscaler": "clusterAutoscaler"},
            {"NodesNotLaunching", "AutoscalerStopped", "AutoscalerMissing"},
        ),
        (POOL, {"KarpenterNodesNotLaunching", "KarpenterLimitNearlyReached", "AutoscalerMissing"}),
        ({"workloads.vllm.qwen.autoscaling": {"min": 1, "max": 1}}, {"AutoscalerBlind", "AutoscalerMissing"}),
    ],
)
def test_autoscalers_have_alerts_where_there_are_some(patch, more):
    assert alerts(patch) - alerts({}) == more


def test_neuron_has_no_alert_of_gpus():
    found = alerts(NEURON)

    assert {"NeuronExecutionErrors", "AcceleratorNodeUnused", "AcceleratedHardwareNotReady"} <= found
    assert not {name for name in found if name.startswith(("Gpu", "Vllm"))}


def test_without_accelerators_there_are_no_alerts():
    assert alerts(NOTHING) == set()


def test_shared_gpus_alone_have_no_pod_that_is_idle_by_itself():
    sharing = {"strategy": "timeSlicing", "replicas": 4}

    assert "GpuIdleWithPod" in alerts({})
    assert "GpuIdleWithPod" not in alerts({"nodeGroups.gpu.sharing": sharing})


@pytest.mark.parametrize(
    ("sharing", "told"),
    [
        ({"strategy": "timeSlicing", "replicas": 4}, {"GpuMemoryNearlyFull"}),
        ({"strategy": "mps", "replicas": 4}, set()),  # each client has a part of its own
        ({"strategy": "mig", "mig": MIG}, {"MigLayoutWrong"}),
        ({"strategy": "mig", "mig": MIG, "replicas": 2}, {"GpuMemoryNearlyFull", "MigLayoutWrong"}),
    ],
    ids=lambda value: value["strategy"] if isinstance(value, dict) else "",
)
def test_memory_is_told_of_where_pods_share_it_and_layouts_where_there_are_some(sharing, told):
    found = alerts({"nodeGroups.gpu.instanceType": "p4d.24xlarge", "nodeGroups.gpu.sharing": sharing})

    assert found & {"GpuMemoryNearlyFull", "MigLayoutWrong"} == told


def test_an_alert_whose_metrics_nobody_scrapes_is_left_out_with_the_reason():
    emitted = {Exporter.DCGM}

    assert "GpuXidNeedsReset" in alerts({}, emitted)
    assert "GpuExporterMissing" not in alerts({}, emitted)
    reasons = {one.alert: one.reason for one in left_out(stack_of({}), emitted)}
    assert reasons["GpuExporterMissing"] == "nobody scrapes kube-state-metrics"
    assert reasons.keys() | alerts({}, emitted) == alerts({})


def test_prometheus_always_has_metrics_of_itself():
    assert "AcceleratorMetricsMissing" in alerts({}, {Exporter.KUBE_STATE_METRICS})
    assert alerts({}, ()) == set()


def test_what_is_recorded_of_nodes_needs_kube_state_metrics():
    assert "accelerator:free" in recorded({})
    assert recorded({}, {Exporter.DCGM}) == {
        "accelerator:price_usd_per_hour",
        "accelerator:part_of_node",
        "accelerator:gpu_broken",
        "accelerator:gpu_state",
    }


def test_a_block_whose_end_nobody_knows_has_no_alert_and_that_is_said():
    unknown = {**EVERYTHING, "capacityBlocks.training.expect": {}}

    assert not OF_BLOCKS & alerts(unknown)
    assert {(one.alert, one.reason) for one in left_out(stack_of(unknown), EVERY)} == {
        (name, "nobody says when capacityBlocks.training ends: write its expect.end, or ask AWS") for name in OF_BLOCKS
    }
    assert alerts(unknown, block_ends={"training": datetime(2027, 1, 1, tzinfo=UTC)}) >= OF_BLOCKS


def test_what_aws_says_of_the_end_counts_more_than_the_settings():
    moved = datetime(2026, 12, 8, 11, 30, tzinfo=UTC)

    assert block_end(stack_of(EVERYTHING), "training").timestamp() == END
    assert block_end(stack_of(EVERYTHING), "training", {"training": moved}) == moved


def test_a_block_that_is_yet_to_be_bought_ends_after_its_hours():
    purchase = {
        "offeringId": "cb-0123456789abcdef0",
        "instanceType": "p5.48xlarge",
        "instanceCount": 2,
        "durationHours": 48,
        "start": "2026-12-01T11:30:00Z",
        "maxUpfrontFeeUsd": 9000,
    }
    stack = stack_of({**EVERYTHING, "capacityBlocks.training": {"purchase": purchase}})

    assert block_end(stack, "training") == datetime(2026, 12, 3, 11, 30, tzinfo=UTC)


@pytest.mark.parametrize("capacity_type", ["spot"])
def test_only_what_is_bought_on_demand_has_a_price(capacity_type):
    assert "accelerator:usd_per_million_tokens" in recorded({})
    assert "accelerator:price_usd_per_hour" not in recorded({"nodeGroups.gpu.capacityType": capacity_type})
    assert "accelerator:usd_per_million_tokens" not in recorded({"nodeGroups.gpu.capacityType": capacity_type})


def test_a_node_costs_what_the_plan_says():
    """Of several types the plan takes the dearest; disks are a line of their own there, and no series."""
    stack = stack_of(EVERYTHING)
    priced = {}
    for rule in recording_rules(stack):
        if rule.name == "accelerator:price_usd_per_hour":
            usd = Decimal(rule.expression.removeprefix("vector(").removesuffix(")"))
            priced.setdefault(rule.labels["node_group"], []).append(usd)

    planned = {
        name: line.usd
        for name in stack.groups
        for line in estimate(stack.settings, date(2026, 11, 23)).by_subject[f"node group {name}"]
        if not line.name.endswith("disks")
    }
    assert {name: max(prices) for name, prices in priced.items()} == {
        name: usd for name, usd in planned.items() if usd is not None
    }
    assert len(priced["pool"]) == 2


def test_the_text_of_a_rule_file_has_its_rules():
    groups = rules_of(stack_of({}), EVERY)

    made = as_rule_file(groups)
    assert yaml.safe_load(as_text(made)) == made


def test_pages_can_be_elsewhere():
    groups = rules_of(stack_of({}), EVERY)

    made = as_rule_file(groups, "https://example.com/runbooks")

    addresses = {
        rule["annotations"]["runbook_url"] for group in made["groups"] for rule in group["rules"] if "alert" in rule
    }
    assert "https://example.com/runbooks/replace-a-gpu-node.md" in addresses
