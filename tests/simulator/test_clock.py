"""What time brings to a deployed stack: nodes, and the pods on them, by the clock of the account."""

import shutil
from datetime import datetime

import pytest

from eks_accelerators.simulator.kubernetes.report import node_reports, pod_reports
from tests.simulator.worlds import load, simulation

PATIENCE_SECONDS = 60


def moment(text):
    """`24 06:30` is that time of that day of November 2026, in UTC; the 23rd is a Monday."""
    day, _, time = text.partition(" ")
    return datetime.fromisoformat(f"2026-11-{day}T{time}:00+00:00")


@pytest.mark.thorough
def test_staging_sleeps_at_night_and_over_the_weekend(engines, tmp_path):
    """The stack as it is shipped: nodes of its group l4-shared, and servers that run on them, the fewest that there may be."""
    week = {
        "23 09:00": (2, 2),
        "23 19:59": (2, 2),
        "23 20:00": (0, 0),
        "24 05:59": (0, 0),
        "24 06:00": (2, 2),
        "27 20:00": (0, 0),
        "28 12:00": (0, 0),
        "29 23:00": (0, 0),
        "30 06:00": (2, 2),
    }
    stack = load(tmp_path, "staging")
    with simulation(tmp_path, engines, stack) as sim:
        outcome = sim.run("up", stack.program)
        assert outcome.ok, outcome.errors

        seen = {}
        for text in week:
            sim.set_clock(moment(text))
            sim.settle(PATIENCE_SECONDS)
            nodes = [node for node in node_reports(sim.cluster.api) if node.node_group == "l4-shared"]
            servers = [pod for pod in pod_reports(sim.cluster.api) if pod.owner == "Deployment/llama"]
            seen[text] = len(nodes), sum(pod.count for pod in servers if pod.phase == "Running")
        assert seen == week
    shutil.rmtree(tmp_path)
