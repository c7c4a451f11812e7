"""Starts a training program on one node of several, and ends it in time: the first process of each pod.

It runs `torchrun` with a rendezvous on the pod of index 0. A pod that is lost is followed by another, which joins: the
agents of the others end their processes and meet again (`c10d`; with the rendezvous `static` nobody could join). Where
the pod of index 0 is lost, all agents fail, and all pods are followed by others.

It asks the program to save and end when the pod is to go (SIGTERM), and at STOP_AT, before a Capacity Block is drained: it
makes the file STOP_FILE, which the program looks for at every step. `torchrun` kills processes 30 seconds after SIGTERM, too
soon to save much; so it gets that signal only when SAVE_SECONDS are over, and a program that knows no STOP_FILE then has
those 30 seconds. After STOP_AT it waits for the end of the pod: whoever ends now is followed by a pod on the same nodes.

A program whose pod is to go ends on all nodes, with status 0 and STOP_FILE there. On the nodes that stay that is status 75:
the Job counts no failure, makes new pods, and these begin from the checkpoint together with the one that went.

Environment: NODES, PROCESSES_PER_NODE and RENDEZVOUS_HOST, or what Kubeflow Trainer sets for each TrainJob in their place;
RENDEZVOUS_PORT, where it is not 29500; RENDEZVOUS_ID, MAX_RESTARTS; JOB_COMPLETION_INDEX, which Kubernetes sets; STOP_FILE, SAVE_SECONDS, and STOP_AT (RFC 3339) where there is an end. Arguments: the program and its own.

Source: torch 1.13 to 2.13, `torch.distributed.run` (flags; those with an underscore are understood by all), `elastic/rendezvous`
(`is_host`, `join_timeout`), `elastic/multiprocessing/api.py` (30 seconds), read 2026-11-22.
"""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

PORT = 29500
JOIN_SECONDS = 3600
"""How long agents wait for each other: a node that is new has an image of 10 GB to pull. torchrun's default is 600."""

TERMINATED = 128 + signal.SIGTERM
"""Exit status of whoever ended because it was told to: never 0, which would complete the Job."""

OF_TRAINER = {
    "NODES": "PET_NNODES",
    "PROCESSES_PER_NODE": "PET_NPROC_PER_NODE",
    "RENDEZVOUS_HOST": "PET_MASTER_ADDR",
    "RENDEZVOUS_PORT": "PET_MASTER_PORT",
}
"""Kubeflow Trainer's words: variables of torchrun. What is on its command line goes before them, so that its rendezvous is `c10d`."""

AGAIN = 75
"""Exit status where the program ended early because another pod goes (EX_TEMPFAIL of sysexits.h)."""


def torchrun(environment: Mapping[str, str], program: Sequence[str]) -> list[str]:
    """The command line of this node's agent."""
    is_first = environment["JOB_COMPLETION_INDEX"] == "0"
    return [
        "torchrun",
        f"--nnodes={environment['NODES']}",
        f"--nproc_per_node={environment['PROCESSES_PER_NODE']}",
        f"--max_restarts={environment['MAX_RESTARTS']}",
        "--rdzv_backend=c10d",
        f"--rdzv_endpoint={environment['RENDEZVOUS_HOST']}:{port_of(environment)}",
        f"--rdzv_id={environment['RENDEZVOUS_ID']}",
        # Who is the host is said, not guessed: torchrun compares names, and the name of a Service is none of the pod's.
        f"--rdzv_conf=is_host={int(is_first)},join_timeout={JOIN_SECONDS}",
        *program,
    ]


def port_of(environment: Mapping[str, str]) -> int:
    """Where the pod of index 0 awaits the others."""
    return int(environment.get("RENDEZVOUS_PORT", PORT))


def completed(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment with what Kubeflow Trainer says of the job."""
    told = {ours: environment[theirs] for ours, theirs in OF_TRAINER.items() if theirs in environment}
    return {**told, **environment}


def wait_for_first(
    host: str, *, port: int = PORT, pause: float = 2.0, is_over: Callable[[], bool] = lambda: False
) -> bool:
    """Wait until the pod of index 0 answers: torchrun itself would give up after a minute. False where ``is_over`` first."""
    while not is_over():
        try:
            socket.create_connection((host, port), timeout=5).close()
        except OSError:
            time.sleep(pause)
        else:
            return True
    return False


class Supervisor:
    """One command, and who asks it to end."""

    def __init__(self, stop_file: Path, save_seconds: float, stop_at: datetime | None) -> None:
        self.stop_file, self.save_seconds, self.stop_at = stop_file, save_seconds, stop_at
        self.told = threading.Event()
        """The pod is to go: SIGTERM came."""

    def run(self, command: Sequence[str], before: Callable[[], bool] = lambda: True) -> int:
        """The exit status of the command, `TERMINATED` where it was asked to end. ``before`` says whether to start it."""
        signal.signal(signal.SIGTERM, lambda *_: self.told.set())
        self.stop_file.unlink(missing_ok=True)
        if self.is_over() or not before():
            return self._await_end("the time is over before the program began")
        child = subprocess.Popen(list(command))
        while (status := child.poll()) is None and not self.is_over():
            time.sleep(0.2)
        if status is not None:
            return self._of(status)
        self._end(child)
        return self._await_end("the program has ended, as it was asked to")

    def _of(self, status: int) -> int:
        """The exit status of the pod, of that of a command that ended by itself."""
        if status == 0 and self.stop_file.exists():
            _say("another pod goes; beginning again with the next")
            return AGAIN
        return status if status >= 0 else 128 - status

    def is_over(self) -> bool:
        """Whether the program has to end now."""
        return self.told.is_set() or (self.stop_at is not None and datetime.now(UTC) >= self.stop_at)

    def _end(self, child: "subprocess.Popen[bytes]") -> None:
        _say("asking the program to save and end")
        self.stop_file.touch()
        try:
            child.wait(self.save_seconds)
        except subprocess.TimeoutExpired:
            _say(f"it has not ended in {self.save_seconds:g} seconds; SIGTERM")
            child.terminate()
            child.wait()

    def _await_end(self, why: str) -> int:
        _say(f"{why}; waiting for the end of the pod")
        self.told.wait()
        return TERMINATED


def _say(text: str) -> None:
    print(f"launch: {text}", flush=True)


def main(environment: Mapping[str, str], program: Sequence[str]) -> int:
    """Run the program of this pod to its end."""
    stop_at = environment.get("STOP_AT")
    supervisor = Supervisor(
        Path(environment["STOP_FILE"]),
        float(environment["SAVE_SECONDS"]),
        datetime.fromisoformat(stop_at) if stop_at else None,
    )
    is_first = environment["JOB_COMPLETION_INDEX"] == "0"

    def before() -> bool:
        host, port = environment["RENDEZVOUS_HOST"], port_of(environment)
        return is_first or wait_for_first(host, port=port, is_over=supervisor.is_over)

    return supervisor.run(torchrun(environment, program), before)


if __name__ == "__main__":
    sys.exit(main(completed(os.environ), sys.argv[1:]))
