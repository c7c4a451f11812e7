"""The first process of a training pod, with a made-up `torchrun`: how it begins, how it ends, and what the Job sees of it."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.components.training.torch import DEBIAN_PYTHON, needs_torch
from tests.polls import PATIENCE_SECONDS
from tests.ports import nobody_listens

PROGRAMS = Path(__file__).parents[3] / "components" / "programs"
ENVIRONMENT = {
    "NODES": "4",
    "PROCESSES_PER_NODE": "8",
    "RENDEZVOUS_HOST": "localhost",
    "RENDEZVOUS_ID": "llama",
    "MAX_RESTARTS": "3",
    "SAVE_SECONDS": "10",
    "JOB_COMPLETION_INDEX": "0",
}

UNTIL_ASKED = 'while [ ! -e "$STOP_FILE" ]; do sleep 0.05; done; echo saved'
"""A program that looks for STOP_FILE, as the sample does."""
DEAF = 'trap "echo SIGTERM; exit 9" TERM; while true; do sleep 0.05; done'
"""A program that knows SIGTERM alone."""


@contextmanager
def launched(
    tmp_path: Path, torchrun: str, launcher: Sequence[str | Path] = (PROGRAMS / "launch.py",), **environment: str
) -> Iterator["subprocess.Popen[str]"]:
    """`launch.py` with a shell script in place of torchrun."""
    script = tmp_path / "torchrun"
    script.write_text(f"#!/bin/sh\necho began\n{torchrun}\n", encoding="utf-8")
    script.chmod(0o755)
    given = {
        **ENVIRONMENT,
        "STOP_FILE": str(tmp_path / "stop"),
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        **environment,
    }
    process = subprocess.Popen([sys.executable, *launcher, "train.py"], env=given, stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def ended(process: "subprocess.Popen[str]") -> int:
    """Its exit status, once it has ended by itself."""
    return process.wait(PATIENCE_SECONDS)


def _end(process: "subprocess.Popen[str]", *, after: str) -> tuple[int, list[str]]:
    """Its exit status and output where it gets SIGTERM after it has said ``after``."""
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        lines.append(line.strip())
        if after in line:
            process.send_signal(signal.SIGTERM)
            break
    rest, _ = process.communicate(timeout=PATIENCE_SECONDS)
    return process.returncode, lines + rest.splitlines()


@pytest.mark.parametrize(("script", "status"), [("exit 0", 0), ("exit 3", 3), ("kill -9 $$", 137)])
def test_a_program_that_ends_by_itself_says_how(tmp_path, script, status):
    with launched(tmp_path, script) as process:
        assert ended(process) == status


def test_a_pod_that_goes_lets_the_program_save(tmp_path):
    with launched(tmp_path, UNTIL_ASKED) as process:
        status, lines = _end(process, after="began")

    assert status == 143
    assert lines == [
        "began",
        "launch: asking the program to save and end",
        "saved",
        "launch: the program has ended, as it was asked to; waiting for the end of the pod",
    ]


def test_where_another_pod_goes_the_job_counts_no_failure(tmp_path):
    with launched(tmp_path, 'touch "$STOP_FILE"; exit 0') as process:
        assert ended(process) == 75


def test_a_failure_stays_one_though_another_pod_goes(tmp_path):
    with launched(tmp_path, 'touch "$STOP_FILE"; exit 1') as process:
        assert ended(process) == 1


def test_a_program_that_knows_sigterm_alone_gets_it_in_the_end(tmp_path):
    with launched(tmp_path, DEAF, SAVE_SECONDS="0.3") as process:
        status, lines = _end(process, after="began")

    assert status == 143
    assert "launch: it has not ended in 0.3 seconds; SIGTERM" in lines
    assert "SIGTERM" in lines


ITS_TIME_COMES = f"""
import os, sys
from pathlib import Path
sys.path.insert(0, {str(PROGRAMS)!r})
import launch

class Clock(launch.datetime):
    @classmethod
    def now(cls, zone):
        began = Path(os.environ["STOP_FILE"]).with_name("began").exists()
        return cls(2026, 12, 1, 10, 51 if began else 49, tzinfo=zone)

launch.datetime = Clock
sys.exit(launch.main(launch.completed(os.environ), sys.argv[1:]))
"""
"""The launcher, by whose clock a block ends soon after the program has begun."""


def test_before_the_end_of_a_block_it_saves_and_waits(tmp_path):
    """A pod that ended then would be followed by one on the same node, for the minutes that this has left."""
    script = f"touch {tmp_path}/began; {UNTIL_ASKED}"
    with launched(tmp_path, script, ["-c", ITS_TIME_COMES], STOP_AT="2026-12-01T10:50:00+00:00") as process:
        status, lines = _end(process, after="waiting for the end of the pod")

    assert status == 143
    assert "saved" in lines


def test_kubeflow_trainer_says_how_many_there_are(tmp_path):
    """Each TrainJob of a runtime has its own number of nodes: they are in torchrun's variables, and not in ours."""
    told = {
        "PET_NNODES": "2",
        "PET_NPROC_PER_NODE": "1",
        "PET_MASTER_ADDR": "mine-node-0-0.mine",
        "PET_MASTER_PORT": "29501",
    }
    without = {
        name: value
        for name, value in ENVIRONMENT.items()
        if name not in ("NODES", "PROCESSES_PER_NODE", "RENDEZVOUS_HOST")
    }
    script = tmp_path / "torchrun"
    script.write_text('#!/bin/sh\necho "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    ended = subprocess.run(
        [sys.executable, PROGRAMS / "launch.py", "train.py"],
        env={**without, **told, "STOP_FILE": str(tmp_path / "stop"), "PATH": path},
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE_SECONDS,
    )

    assert ended.stdout.split()[:2] == ["--nnodes=2", "--nproc_per_node=1"]
    assert "--rdzv_endpoint=mine-node-0-0.mine:29501" in ended.stdout


def test_after_the_end_of_a_block_nothing_begins(tmp_path):
    with launched(tmp_path, UNTIL_ASKED, STOP_AT="2026-01-01T10:50:00+00:00") as process:
        status, lines = _end(process, after="waiting for the end of the pod")

    assert status == 143
    assert lines == ["launch: the time is over before the program began; waiting for the end of the pod"]


def test_a_stop_file_that_was_left_is_no_request(tmp_path):
    (tmp_path / "stop").touch()
    with launched(tmp_path, "exit 0") as process:
        assert ended(process) == 0


def test_the_others_wait_for_the_first(tmp_path):
    sys.path.insert(0, str(PROGRAMS))
    try:
        import launch  # type: ignore[import-not-found]
    finally:
        sys.path.remove(str(PROGRAMS))
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert launch.wait_for_first("localhost", port=port)
    with nobody_listens() as address:
        port = int(address.rpartition(":")[2])
        over = iter([False, False, True])
        assert not launch.wait_for_first("localhost", port=port, pause=0.05, is_over=lambda: next(over))


OF_A_TRAIN_JOB = {
    "PET_NNODES": "4",
    "PET_NPROC_PER_NODE": "8",
    "PET_NODE_RANK": "1",
    "PET_MASTER_ADDR": "llama-0.llama",
    "PET_MASTER_PORT": "29500",
}
"""What Kubeflow Trainer 2.3.0 sets (`pkg/constants/constants.go`): torchrun reads these too."""


@needs_torch
@pytest.mark.slow
@pytest.mark.parametrize(
    "told", [{"NODES": "4", "PROCESSES_PER_NODE": "8", "RENDEZVOUS_HOST": "llama-0.llama"}, OF_A_TRAIN_JOB]
)
def test_torchrun_understands_its_command_line(told):
    """By the parser of torch itself, and the rendezvous takes all of its configuration; from Kubeflow Trainer's words, the same."""
    program = """
import launch, os, sys
from torch.distributed.run import config_from_args, get_args_parser
environment = launch.completed({**os.environ, "RENDEZVOUS_ID": "llama", "MAX_RESTARTS": "3"})
for index in "0", "1":
    command = launch.torchrun({**environment, "JOB_COMPLETION_INDEX": index}, ["train.py", "--steps", "5"])
    config, _, arguments = config_from_args(get_args_parser().parse_args(command[1:]))
    print(config.min_nodes, config.max_nodes, config.nproc_per_node, config.max_restarts, config.rdzv_backend,
          config.rdzv_endpoint, config.run_id, sorted(config.rdzv_configs.items()), arguments[-3:])
"""
    ended = subprocess.run(
        [DEBIAN_PYTHON, "-W", "ignore", "-c", program],
        cwd=PROGRAMS,
        env={**os.environ, **told},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_SECONDS,
    )

    lines = ended.stdout.splitlines()
    assert lines == [
        "4 4 8 3 c10d llama-0.llama:29500 llama "
        f"[('is_host', '{is_host}'), ('join_timeout', '3600'), ('timeout', 900)] ['train.py', '--steps', '5']"
        for is_host in (1, 0)
    ], ended.stderr
