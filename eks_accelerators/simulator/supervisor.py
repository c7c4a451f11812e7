"""Minds servers for another process: started by `eks_accelerators.simulator.processes`, as a program of its own.

It starts what its parent asks for, and ends when the pipe from its parent closes, which the system does however the
parent ends. Then it ends the servers, removes its temporary folder and exits. Only the standard library, and only what
starts quickly: `filelock` and what it imports would take as long as the rest of the start.

A request is a line of JSON on standard input, an answer a line of JSON on standard output.
"""

import contextlib
import fcntl
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import Any

GRACE_SECONDS = 3.0
"""From SIGTERM to SIGKILL, for each server."""

_PULSE_SECONDS = 0.5
"""How often servers that ended are reaped, and the parent is looked for."""

_LONGEST_FOLDER = 60
"""Characters: the path of a Unix socket below it must fit into 104, the least of all systems."""


class Supervisor:
    """The servers, in the order of their start, and the folder that they share."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.servers: dict[str, subprocess.Popen[bytes]] = {}
        self._stateless: set[str] = set()
        self._locks: list[int] = []

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Do what is asked for; a failure is an answer too."""
        try:
            if "start" in request:
                if request.get("stateless"):
                    self._stateless.add(request["start"])
                return {"pid": self._start(request["start"], request["arguments"])}
            if "lock" in request:
                return {"locked": self._lock(request["lock"], request["seconds"])}
            self.reap()
            return {"ended": {name: p.returncode for name, p in self.servers.items() if p.returncode is not None}}
        except OSError as error:
            return {"error": str(error)}

    def reap(self) -> None:
        """Leave no zombies, and nothing that a server which ended has started itself.

        That is done at once: later the number of its group may be that of a stranger's.
        """
        for process in self.servers.values():
            if process.returncode is None and process.poll() is not None:
                _signal(process, signal.SIGKILL)

    def _start(self, name: str, arguments: list[str]) -> int:
        # Variables such as ETCD_NAME and HTTPS_PROXY configure servers too, so they get none of the parent's.
        environment = {"HOME": self.folder, "TMPDIR": self.folder, "PATH": os.defpath}
        with open(os.path.join(self.folder, f"{name}.log"), "ab") as log:  # noqa: PTH118, PTH123  (pathlib starts slowly)
            process = subprocess.Popen(
                arguments,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self.folder,
                env=environment,
                start_new_session=True,
            )
        self.servers[name] = process
        return process.pid

    def _lock(self, path: str, seconds: float) -> bool:
        """Take the lock of a file until the supervisor ends; False where another has it after so many seconds."""
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        until = time.monotonic() + seconds
        while True:
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                self._locks.append(descriptor)
                return True
            if time.monotonic() > until:
                os.close(descriptor)
                return False
            time.sleep(0.05)

    def stop(self) -> None:
        """End all servers, the last one first, and remove the folder."""
        self.reap()
        for name, process in reversed(self.servers.items()):
            if process.returncode is None:
                if name not in self._stateless:
                    _signal(process, signal.SIGTERM)
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        process.wait(GRACE_SECONDS)
                _signal(process, signal.SIGKILL)
                process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def _signal(process: "subprocess.Popen[bytes]", number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):  # macOS: EPERM for a group of zombies
        os.killpg(process.pid, number)


def requests(parent: int, supervisor: Supervisor) -> Iterator[dict[str, Any]]:
    """Requests until the pipe closes or the parent is gone.

    The pipe alone is not enough: a child that the parent forked without exec holds it open too.
    """
    left = b""
    while os.getppid() == parent:
        supervisor.reap()
        if not select.select([0], [], [], _PULSE_SECONDS)[0]:
            continue
        read = os.read(0, 65536)
        if not read:
            return
        *lines, left = (left + read).split(b"\n")
        for line in lines:
            yield json.loads(line)


def main() -> None:
    """Mind servers until the process that has started this one ends or closes the pipe."""
    os.umask(0o077)  # what servers write is the user's own
    folder = tempfile.mkdtemp(prefix="accel-")
    if len(folder) > _LONGEST_FOLDER:
        os.rmdir(folder)  # noqa: PTH106  (pathlib starts slowly)
        folder = tempfile.mkdtemp(prefix="accel-", dir="/tmp")
    supervisor = Supervisor(folder)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    try:
        print(json.dumps({"folder": folder}), flush=True)  # noqa: T201
        for request in requests(int(sys.argv[1]), supervisor):
            print(json.dumps(supervisor.answer(request)), flush=True)  # noqa: T201
    except BrokenPipeError:
        pass  # the parent has gone between its request and the answer
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        supervisor.stop()


if __name__ == "__main__":
    main()
