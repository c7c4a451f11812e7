"""The launcher with torch's own agents: pods that are lost without a word, and what becomes of the others.

Each node is a process group of its own, which is killed as a whole: launcher, agent and rank.
"""

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from eks_accelerators.simulator.processes import free_port
from tests.components.training.torch import DEBIAN_PYTHON, needs_torch
from tests.polls import until

PROGRAMS = Path(__file__).parents[3] / "components" / "programs"
NODES = 3
_LONG_SECONDS = 420
"""torch's agents take minutes until they give up the first one."""
STEPS = "--steps=60", "--every=10", "--width=16", "--batch=16"

pytestmark = [needs_torch, pytest.mark.slow]


class Gang:
    """The nodes of one job. `torchrun` is that of the torch that is there."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.started = folder, 0
        agent = folder / "torchrun"
        agent.write_text(f'#!/bin/sh\nexec {DEBIAN_PYTHON} -W ignore -m torch.distributed.run "$@"\n', encoding="utf-8")
        agent.chmod(0o755)
        self.port = str(free_port())
        self.nodes = {index: self.start(index) for index in range(NODES)}

    def start(self, index: int) -> "subprocess.Popen[bytes]":
        """The pod of this index, or the one that follows it."""
        told = {
            "NODES": str(NODES),
            "PROCESSES_PER_NODE": "1",
            "RENDEZVOUS_HOST": "localhost",
            "RENDEZVOUS_PORT": self.port,
            "RENDEZVOUS_ID": "llama",
            "MAX_RESTARTS": "3",
            "JOB_COMPLETION_INDEX": str(index),
            "STOP_FILE": str(self.folder / f"stop-{index}"),
            "SAVE_SECONDS": "10",
            "CHECKPOINTS": str(self.folder / "runs"),
            "OMP_NUM_THREADS": "1",
            "GLOO_SOCKET_IFNAME": "lo",
            # torchrun 1.13 does not understand its own default of these on this Python.
            "PET_REDIRECTS": "0:1",
            "PET_TEE": "0:1",
            "PET_LOG_DIR": str(self.folder / "logs"),
            "PATH": f"{self.folder}:{os.environ['PATH']}",
        }
        self.started += 1
        with (self.folder / f"log-{self.started}-of-{index}").open("wb") as log:
            return subprocess.Popen(
                [DEBIAN_PYTHON, PROGRAMS / "launch.py", PROGRAMS / "train_small_model.py", *STEPS, "--pause=0.1"],
                env=told,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def lose(self, index: int) -> None:
        """The pod is gone, with all that is in it."""
        os.killpg(self.nodes[index].pid, signal.SIGKILL)
        self.nodes[index].wait()

    def replace(self, index: int) -> None:
        """The Job makes the pod that follows."""
        self.nodes[index] = self.start(index)

    def until_saved(self, step: int) -> None:
        """Wait for a checkpoint of that step, or a later one."""

        def is_saved() -> bool:
            assert all(node.poll() is None for node in self.nodes.values()), self.said()
            return any(int(file.stem[5:]) >= step for file in (self.folder / "runs").glob("step-*.json"))

        until(is_saved, why=self.said)

    def end(self) -> list[int]:
        """The exit statuses."""
        return [node.wait(_LONG_SECONDS) for _, node in sorted(self.nodes.items())]

    def began(self) -> list[int]:
        """The steps from which the program began, and began again; not what a pod said just before it was lost."""
        return [int(step) for step in re.findall(r"3 ranks by gloo, fp32, from step (\d+) of 60", self.said())]

    def said(self) -> str:
        """All that the nodes printed, in the order in which they were started."""
        return "\n".join(f"{file.name}: {file.read_text()}" for file in sorted(self.folder.glob("log-*")))

    def close(self) -> None:
        """End whoever is left."""
        for node in self.nodes.values():
            if node.poll() is None:
                os.killpg(node.pid, signal.SIGKILL)
            node.wait()


@pytest.fixture
def gang(tmp_path: Path) -> Iterator[Gang]:
    made = Gang(tmp_path)
    yield made
    made.close()


def test_a_pod_that_is_lost_is_followed_by_another_and_the_others_stay(gang):
    gang.until_saved(10)
    stayed = [gang.nodes[0].pid, gang.nodes[1].pid]

    gang.lose(2)
    gang.replace(2)

    assert gang.end() == [0] * NODES, gang.said()
    assert [gang.nodes[0].pid, gang.nodes[1].pid] == stayed
    assert max(gang.began()) >= 10, "it goes on from a checkpoint"
    assert "finished 60 steps" in gang.said()


@pytest.mark.thorough
def test_where_the_pod_with_the_rendezvous_is_lost_all_are_followed_by_others(gang):
    gang.until_saved(10)

    gang.lose(0)
    statuses = [gang.nodes[index].wait(_LONG_SECONDS) for index in (1, 2)]
    assert 0 not in statuses, gang.said()
    for index in range(NODES):
        gang.replace(index)

    assert gang.end() == [0] * NODES, gang.said()
    assert max(gang.began()) >= 10, "it goes on from a checkpoint"
