"""Autoscalers that cannot do what they should: the real KEDA and Cluster Autoscaler, and the alerts about them."""

import contextlib
import io
import json

import pytest

from eks_accelerators.accel.simulate.command import simulate
from eks_accelerators.accel.simulate.options import Action, LoadOptions, Options
from eks_accelerators.accel.stacks import StackLocation
from tests.simulator.further import further
from tests.simulator.lives import every, to, without
from tests.simulator.worlds import PROJECT, stack_file

pytestmark = [pytest.mark.slow, pytest.mark.thorough, pytest.mark.usefixtures("engines")]

SCALED = every(
    without("nodeGroups.l4-shared.sharing"),
    to("nodeGroups.l4-shared.size", {"min": 4, "desired": 4, "max": 8}),
    to("nodeGroups.l4-shared.autoscaler", "clusterAutoscaler"),
    to("nodeGroups.l4-shared.nodeRepair", {"enabled": False}),
    to("workloads.vllm.llama.autoscaling", {"min": 4, "max": 12, "targetConcurrency": 4}),
    to("monitoring", {"prometheus": "stack"}),
    to("budget.monthlyUsd", 25000),
)
"""A GPU for each server, four nodes, and more where the load wants them."""

NODES = 4
BLIND, SEES, GONE, LASTS = 20, 37, 40, 62
"""Minutes: when no server can be measured, when they can again, and when kubelets fall silent."""
FAULTS = (
    "no-capacity:l4-shared",
    *[f"exporter-down=vllm:l4-shared@+{BLIND}m..+{SEES}m"] * NODES,
    *[f"kubelet-down:l4-shared@+{GONE}m"] * NODES,
)
LATE = 6


@pytest.fixture(scope="module")
def report(engines, tmp_path_factory):
    """The report of `accel simulate dev load` with all of these faults."""
    further("prometheus", "keda-operator", "keda-metrics-server", "cluster-autoscaler")
    folder = tmp_path_factory.mktemp("trouble")
    with contextlib.redirect_stdout(io.StringIO()) as written:
        file = stack_file(folder / "stacks", "dev", SCALED)
        asked = LoadOptions(requests=40, lasts=f"{LASTS}m", faults=FAULTS)
        simulate(StackLocation("dev", file, PROJECT), Options(Action.LOAD, folder / "state", as_json=True, load=asked))
    return json.loads(written.getvalue())


def minutes(report, text, after=0.0):
    """When something is told first."""
    told = [event["at"] / 60 for event in report["events"] if text in event["what"] and event["at"] >= 60 * after]
    assert told, text
    return told[0]


def test_no_capacity_is_told_by_the_autoscaler_and_a_quarter_of_an_hour_later_by_the_pods(report):
    begins = minutes(report, "servers without a place 0 →")

    assert begins <= minutes(report, "NodesNotLaunching fires") <= begins + 3 + LATE
    assert begins + 14.5 <= minutes(report, "AcceleratorPodUnschedulable fires") <= begins + 16 + LATE


def test_an_autoscaler_that_gets_no_answer_is_blind_until_it_does(report):
    fires = minutes(report, "AutoscalerBlind fires", BLIND)

    assert BLIND + 10 <= fires <= BLIND + 15 + LATE
    assert BLIND + 10 <= minutes(report, "AcceleratorMetricsMissing fires") <= BLIND + 11 + LATE
    assert SEES <= minutes(report, "AutoscalerBlind is over", fires) <= SEES + 11 + LATE


def test_an_autoscaler_stops_where_too_many_nodes_are_not_ready(report):
    assert GONE + 15 <= minutes(report, "AutoscalerStopped fires") <= GONE + 16 + LATE
    assert GONE + 10 <= minutes(report, "AcceleratorNodeUnhealthy fires") <= GONE + 11 + LATE


def test_nothing_else_fires(report):
    """Beside what the load explains: servers that are full answer late."""
    of_load = {"VllmFirstTokenSlow", "VllmFirstTokenSlowish", "VllmQueueGrowing"}
    of_faults = {"NodesNotLaunching", "AcceleratorPodUnschedulable", "AutoscalerBlind", "AcceleratorMetricsMissing"}
    of_faults |= {"AcceleratorNodeUnhealthy", "AutoscalerStopped"}
    fired = {name for sample in report["samples"] for name in sample["alerts"]}

    assert of_faults <= fired <= of_load | of_faults
