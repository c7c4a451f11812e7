"""How much a simulation holds. Seconds and memory are told, and not judged: they depend on the machine."""

import resource
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from eks_accelerators.accelerators.sharing import Sharing
from eks_accelerators.simulator.kubernetes.report import Count, node_reports, pod_reports
from tests.polls import until
from tests.simulator.small_clusters import (
    NVIDIA_TOLERATION,
    add_group,
    deployment,
    install_nvidia_plugin,
    pods,
    resize,
    small_cluster,
)

NODES, SLICES, GONE = 200, 10, 20
PODS = NODES * SLICES
PATIENCE_SECONDS = 600


class Told:
    """Prints what took how long, past pytest's capture."""

    def __init__(self, capsys):
        self._capsys, self._began = capsys, time.monotonic()

    def say(self, text):
        now = time.monotonic()
        with self._capsys.disabled():
            print(f"\n  {text}: {now - self._began:.1f} s", end="")
        self._began = now

    def memory(self, sim):
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1024 if sys.platform == "linux" else 1024**2)
        peaks = {"python": own} | {name: peak(pid) for name, pid in sim.cluster.servers.pids.items()}
        with self._capsys.disabled():
            print("\n  peak memory in MiB:", ", ".join(f"{name} {mib}" for name, mib in peaks.items() if mib))


def peak(pid):
    """Peak memory of a process in MiB; None where the system does not say."""
    status = Path(f"/proc/{pid}/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) // 1024 for line in lines if line.startswith("VmHWM")), None)


def wait(condition):
    """Asks seldom, for the answers are long."""
    until(condition, PATIENCE_SECONDS, every=1)


@pytest.mark.thorough
def test_two_hundred_nodes_and_two_thousand_pods(engines, tmp_path, capsys):
    with small_cluster(tmp_path / "state", engines) as sim:
        api, shared = sim.cluster.api, Sharing("timeSlicing", SLICES)
        install_nvidia_plugin(sim, shared)
        told = Told(capsys)

        add_group(sim, "l4", nodes=NODES, sharing=shared)
        told.say(f"{NODES} nodes are there")

        def slices():
            listed = api.list("v1", "Node", remembered=True)
            return sum(int(node["status"]["allocatable"].get("nvidia.com/gpu", "0")) for node in listed)

        wait(lambda: slices() == PODS)
        told.say(f"they advertise {PODS} slices")

        api.apply(deployment("many", PODS, asks={"nvidia.com/gpu": "1"}, tolerations=[NVIDIA_TOLERATION]))
        wait(lambda: running(api) == PODS)
        told.say(f"{PODS} pods run")

        found = pods(sim, "many")
        assert Counter(pod["status"]["phase"] for pod in found) == {"Running": PODS}
        assert set(Counter(pod["spec"]["nodeName"] for pod in found).values()) == {SLICES}
        (report,) = [each for each in pod_reports(api) if each.owner == "Deployment/many"]
        assert (report.phase, report.count, len(report.nodes)) == ("Running", PODS, NODES)
        taken = [node.accelerators["nvidia.com/gpu"] for node in node_reports(api) if not node.is_system]
        assert taken == [Count(SLICES, SLICES)] * NODES
        told.say("looked at")

        resize(sim, "l4", NODES - GONE)
        wait(lambda: running(api) == PODS - GONE * SLICES)
        # In one report where all have been told why, in two until then.
        waiting = [each for each in pod_reports(api) if (each.owner, each.phase) == ("Deployment/many", "Pending")]
        assert sum(each.count for each in waiting) == GONE * SLICES
        told.say(f"{GONE} nodes have gone, and {GONE * SLICES} pods wait")
        told.memory(sim)


def running(api):
    return api.get("apps/v1", "Deployment", "many", "default")["status"].get("readyReplicas", 0)
