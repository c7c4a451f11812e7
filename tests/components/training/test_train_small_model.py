"""The sample program itself: four processes on processors train, one is killed, and from the checkpoint they come to the same loss."""

import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from eks_accelerators.simulator.processes import free_port
from tests.components.training.torch import DEBIAN_PYTHON, needs_torch
from tests.polls import until

PROGRAMS = Path(__file__).parents[3] / "components" / "programs"
RANKS = 4
STEPS = "--steps=60", "--every=10", "--width=16", "--batch=16"
SLOWLY = "--pause=0.2"
"""Seconds for each step: what is done to the run after its 40th happens before the 60th, on a busy machine too."""

pytestmark = [needs_torch, pytest.mark.slow]


def start(program: str, *arguments: str, **environment: str) -> "list[subprocess.Popen[str]]":
    """As many ranks as there are, as `torchrun` starts them: torchrun 1.13 does not run on this Python."""
    address = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}
    shared = {"WORLD_SIZE": str(RANKS), "OMP_NUM_THREADS": "1", **address}
    return [
        subprocess.Popen(
            [DEBIAN_PYTHON, "-W", "ignore", PROGRAMS / program, *arguments],
            env={**os.environ, **shared, "RANK": str(rank), "LOCAL_RANK": str(rank), **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for rank in range(RANKS)
    ]


def end(ranks: "list[subprocess.Popen[str]]") -> tuple[list[int], str]:
    """Exit statuses, and what rank 0 said."""
    outputs = [rank.communicate(timeout=300)[0] for rank in ranks]
    return [rank.returncode for rank in ranks], outputs[0]


def loss_of(output: str) -> str:
    (loss,) = re.findall(r"finished 60 steps: loss (\S+),", output)
    return loss


def until_saved(step: int, folder: Path, ranks: "list[subprocess.Popen[str]]") -> None:
    """Wait for a checkpoint of that step, or a later one."""

    def is_saved() -> bool:
        assert all(rank.poll() is None for rank in ranks), end(ranks)
        return any(int(file.stem[5:]) >= step for file in folder.glob("step-*.json"))

    until(is_saved, every=0.02)


@pytest.mark.thorough
def test_a_run_that_lost_a_rank_and_was_ended_comes_to_the_same_loss(tmp_path):
    asked = {"STOP_FILE": str(tmp_path / "stop"), "CHECKPOINTS": str(tmp_path / "runs")}
    statuses, uninterrupted = end(start("train_small_model.py", *STEPS, STOP_FILE=str(tmp_path / "never")))
    assert statuses == [0] * RANKS, uninterrupted
    first, last = re.findall(r"from step (\d+) of (\d+)", uninterrupted)[0]
    assert (first, last) == ("0", "60")

    # A rank is killed after the second checkpoint: the others fail, as they wait for it.
    ranks = start("train_small_model.py", *STEPS, SLOWLY, **asked)
    until_saved(20, tmp_path / "runs", ranks)
    ranks[2].send_signal(signal.SIGKILL)
    statuses, _ = end(ranks)
    assert statuses[2] == -signal.SIGKILL
    assert 0 not in statuses

    # The newest checkpoint is damaged besides: the one before is taken. Then the nodes are to go.
    newest = max((tmp_path / "runs").glob("*.pt"))
    newest.write_bytes(newest.read_bytes()[:100])
    ranks = start("train_small_model.py", *STEPS, SLOWLY, **asked)
    until_saved(40, tmp_path / "runs", ranks)
    Path(asked["STOP_FILE"]).touch()
    statuses, resumed = end(ranks)
    assert statuses == [0] * RANKS, resumed
    began = int(re.findall(r"from step (\d+) of", resumed)[0])
    ended = int(re.findall(r"ended at step (\d+), as asked", resumed)[0])
    assert 10 <= began < 40 <= ended < 60

    # And goes on where there are nodes again.
    Path(asked["STOP_FILE"]).unlink()
    statuses, finished = end(start("train_small_model.py", *STEPS, **asked))
    assert statuses == [0] * RANKS, finished
    assert f"from step {ended} of 60" in finished
    assert loss_of(finished) == loss_of(uninterrupted)
    assert len(list((tmp_path / "runs").glob("*.json"))) == 2, "older checkpoints go"

    # Begun again, as by a Job that is made anew, it has nothing to do.
    statuses, again = end(start("train_small_model.py", *STEPS, **asked))
    assert statuses == [0] * RANKS, again
    assert "nothing is left of 60 steps" in again


def test_what_is_measured_is_read_as_the_table_of_nccl_tests():
    from eks_accelerators.verification import nccl_tests

    statuses, output = end(start("measure_all_reduce.py", "--smallest=65536", "--largest=262144", "--rounds=2"))
    run = nccl_tests.parse(output)

    assert statuses == [0] * RANKS
    assert run.passed, run
    assert [(each.size_bytes, each.wrong) for each in run.measurements] == [(65536, 0), (131072, 0), (262144, 0)]
    assert all(each.bus_gb_per_second >= 0 for each in run.measurements)
