"""What time brings to a deployed stack: nodes, and the pods on them, by the clock of the account."""

import shutil
from datetime import datetime

import pytest

from eks_accelerators.simulator.kubernetes.report import node_reports, pod_reports
from tests.simulator.lives import every, to, without
from tests.simulator.worlds import load, simulation

PATIENCE_SECONDS = 60


def moment(text):
    """`24 06:30` is that time of that day of November 2026, in UTC; the 23rd is a Monday."""
    day, _, time = text.partition(" ")
    return datetime.fromisoformat(f"2026-11-{day}T{time}:00+00:00")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("change", "by_day", "by_night"),
    [
        pytest.param(None, (2, 0, 0), (0, 0, 0), id="as-it-is-shipped"),
        pytest.param(
            every(without("workloads.vllm.llama.autoscaling"), to("workloads.vllm.llama.replicas", 2)),
            (2, 2, 0),
            (0, 0, 2),
            id="servers-that-stay",
        ),
    ],
)
def test_staging_sleeps_at_night_and_over_the_weekend(engines, tmp_path, change, by_day, by_night):
    """Nodes of its group l4-shared, and its servers that run and that wait: as it is shipped KEDA, which has no program here,
    would bring them by day; those whose number is fixed wait every night, which the rule `scheduled-scaling-waits` says.
    """
    week = {
        "23 09:00": by_day,
        "23 19:59": by_day,
        "23 20:00": by_night,
        "24 05:59": by_night,
        "24 06:00": by_day,
        "27 20:00": by_night,
        "28 12:00": by_night,
        "29 23:00": by_night,
        "30 06:00": by_day,
    }
    stack = load(tmp_path, "staging", change)
    with simulation(tmp_path, engines, stack) as sim:
        outcome = sim.run("up", stack.program)
        assert outcome.ok, outcome.errors

        seen = {}
        for text in week:
            sim.set_clock(moment(text))
            sim.settle(PATIENCE_SECONDS)
            nodes = [node for node in node_reports(sim.cluster.api) if node.node_group == "l4-shared"]
            servers = [pod for pod in pod_reports(sim.cluster.api) if pod.owner == "Deployment/llama"]
            running, waiting = (
                sum(pod.count for pod in servers if pod.phase == phase) for phase in ("Running", "Pending")
            )
            seen[text] = len(nodes), running, waiting
        assert seen == week
    shutil.rmtree(tmp_path)
