"""Autoscalers that cannot do what they should: the real KEDA and Cluster Autoscaler, and the alerts about them."""

import contextlib
import io
import json

import pytest

from eks_accelerators.accel.exit_status import ExitStatus
from eks_accelerators.accel.simulate.command import simulate
from eks_accelerators.accel.simulate.options import Action, LoadOptions, Options
from eks_accelerators.accel.stacks import StackLocation
from eks_accelerators.monitoring.metrics import Exporter
from eks_accelerators.simulator.alert_causes import CAUSES, Site
from eks_accelerators.simulator.load.autoscaler_outages import LABELS
from eks_accelerators.simulator.simulation import opened
from tests.simulator.aged_nodes import age
from tests.simulator.fault_names import fault_names
from tests.simulator.further import further
from tests.simulator.lives import every, to, without
from tests.simulator.worlds import NOW, PROJECT, stack_file

pytestmark = [pytest.mark.slow, pytest.mark.thorough, pytest.mark.usefixtures("engines")]

SCALED = every(
    without("nodeGroups.l4-shared.sharing"),
    to("nodeGroups.l4-shared.size", {"min": 4, "desired": 4, "max": 8}),
    to("nodeGroups.l4-shared.autoscaler", "clusterAutoscaler"),
    to("nodeGroups.l4-shared.nodeRepair", {"enabled": False}),
    to("workloads.vllm.llama.autoscaling", {"min": 4, "max": 8, "targetConcurrency": 4}),
    to("monitoring", {"prometheus": "stack"}),
    to("budget.monthlyUsd", 25000),
)
"""A GPU for each server, four nodes, and more where the load wants them."""

NODES = 4
STOPS, RUNS = 12, 28
"""Minutes: when Cluster Autoscaler is scaled to 0, and when it is back."""
BLIND, SEES, GONE = 20, 37, 40
"""Minutes: when no server can be measured, when they can again, and when kubelets fall silent."""
KEDA_STOPS, LASTS = 46, 65
FAULTS = (
    "no-capacity:l4-shared",
    f"autoscaler-down=cluster-autoscaler@+{STOPS}m..+{RUNS}m",
    *[f"exporter-down=vllm:l4-shared@+{BLIND}m..+{SEES}m"] * NODES,
    *[f"kubelet-down:l4-shared@+{GONE}m"] * NODES,
    f"autoscaler-down=keda@+{KEDA_STOPS}m",
)
STRUCK = [cause for cause in CAUSES if cause.site is Site.SCALED and cause.text in fault_names(FAULTS)]
LATE = 6


@pytest.fixture(scope="module")
def state(tmp_path_factory):
    return tmp_path_factory.mktemp("trouble") / "state"


@pytest.fixture(scope="module")
def report(engines, state):
    """The report of `accel simulate dev load` with all of these faults."""
    further("prometheus", "keda-operator", "keda-metrics-server", "cluster-autoscaler")
    folder = state.parent
    with contextlib.redirect_stdout(io.StringIO()) as written:
        file = stack_file(folder / "stacks", "dev", SCALED)
        stack = StackLocation("dev", file, PROJECT)
        assert simulate(stack, Options(Action.UP, state)) is ExitStatus.DONE, written.getvalue()
        with opened(state, engines, region="us-east-2", now=NOW) as sim:
            age(sim.cluster, 3600)
        written.truncate(0)
        written.seek(0)
        asked = LoadOptions(requests=40, lasts=f"{LASTS}m", faults=FAULTS)
        simulate(stack, Options(Action.LOAD, state, as_json=True, load=asked))
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


def test_an_autoscaler_that_was_scaled_to_0_is_missing_until_it_is_back(report):
    """Each of the two; nobody scrapes one that is gone, so that no scrape fails."""
    fires = minutes(report, "AutoscalerMissing fires")

    assert STOPS + 10 <= fires <= STOPS + 11 + LATE
    assert RUNS <= minutes(report, "AutoscalerMissing is over", fires) <= RUNS + 1 + LATE
    assert KEDA_STOPS + 10 <= minutes(report, "AutoscalerMissing fires", RUNS) <= KEDA_STOPS + 11 + LATE


def test_all_is_back_where_the_load_has_ended(report, state, engines):
    with opened(state, engines, region="us-east-2", now=NOW) as sim:
        replicas = {
            name: [
                each["spec"]["replicas"] for each in sim.cluster.api.list("apps/v1", "Deployment", None, LABELS[name])
            ]
            for name in (Exporter.KEDA, Exporter.CLUSTER_AUTOSCALER)
        }

    assert replicas == {Exporter.KEDA: [1], Exporter.CLUSTER_AUTOSCALER: [1]}


def test_every_alert_of_the_causes_fires_and_nothing_else(report):
    """Beside what the load explains: servers that are full answer late."""
    of_load = {"VllmFirstTokenSlow", "VllmFirstTokenSlowish", "VllmQueueGrowing"}
    of_faults = {name for cause in STRUCK for name in cause.fires}
    fired = {name for sample in report["samples"] for name in sample["alerts"]}

    assert of_faults <= fired <= of_load | of_faults
