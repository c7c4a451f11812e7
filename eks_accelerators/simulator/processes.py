"""Servers that end with this process, however it ends: also by an exception, Ctrl-C, SIGTERM or SIGKILL.

A process that is killed cannot clean up, so another one does: the supervisor (`eks_accelerators/simulator/supervisor.py`). It starts the
servers, in sessions of their own, where no Ctrl-C reaches them, and ends them when a pipe that this process holds
closes. That works alike on Linux and macOS.
"""

import errno
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

_SUPERVISOR = Path(__file__).with_name("supervisor.py")
_ENVIRONMENT = ("TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""What the supervisor gets of this process's environment: where temporary files go, and what Python may need to start.

Not all of it, and not by inheriting it: a child that inherits reads it while it starts, and fails with "bad address"
where another thread changes a variable just then."""

_LOG_LINES = 15
_STOPPED = "the servers have been stopped"
_PATIENCE_SECONDS = 60
"""For the supervisor to end all servers: well above its own grace for each of them."""

_PORTS = range(20_000, 32_768)
"""Below those that a system gives to clients, and to servers that take any: on Linux from 32768, on macOS from 49152."""


class ServerError(Exception):
    """A server that did not start, or ended early; the message has the last lines of its log."""

    def __init__(self, message: str, log: str = "") -> None:
        super().__init__(f"{message}\n{log}" if log else message)
        self.log = log


class Servers:
    """Servers of one purpose, and the temporary folder that they share; all end with `close`.

    Safe to use from several threads.
    """

    def __init__(self) -> None:
        # Isolated and without site-packages: it starts in a few milliseconds, and nothing of the environment changes it.
        self._supervisor = subprocess.Popen(
            [sys.executable, "-I", "-S", str(_SUPERVISOR), str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
            bufsize=0,
            start_new_session=True,
        )
        self._lock = threading.Lock()
        self.folder = Path(self._read()["folder"])
        self.pids = {"supervisor": self._supervisor.pid}

    def start(self, name: str, arguments: Sequence[str | Path], *, stateless: bool = False) -> int:
        """Start a server, and return its process ID; its log is `<name>.log` in `folder`.

        One that is ``stateless`` is not asked to end, it is killed: it has nothing to write down.
        """
        asked = {"start": name, "arguments": [str(part) for part in arguments], "stateless": stateless}
        pid: int = self._ask(asked)["pid"]
        self.pids[name] = pid
        return pid

    def lock(self, file: Path, seconds: float) -> bool:
        """Lock ``file`` until all servers have ended; False where another has it after ``seconds``."""
        locked: bool = self._ask({"lock": str(file.absolute()), "seconds": seconds})["locked"]
        return locked

    def check(self) -> None:
        """Raise `ServerError` where a server has ended by itself."""
        for name, code in self._ask({})["ended"].items():
            raise ServerError(f"{name} ended with status {code}. The end of its log:", self.log(name))

    def wait(self, name: str, ready: Callable[[], bool], seconds: float) -> None:
        """Wait until ``ready`` says so; raises `ServerError` where a server ends, or after ``seconds``."""
        until = time.monotonic() + seconds
        while not ready():
            self.check()
            if time.monotonic() > until:
                raise ServerError(f"{name} was not ready after {seconds:g} s. The end of its log:", self.log(name))
            time.sleep(0.03)

    def hold(self, name: str) -> None:
        """Let a server do nothing until `let_go_on`; it can still be ended."""
        self._signal(name, signal.SIGSTOP)

    def let_go_on(self, name: str) -> None:
        """Let a server that is held go on where it was."""
        self._signal(name, signal.SIGCONT)

    def _signal(self, name: str, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):  # of one that has ended `check` tells
            os.kill(self.pids[name], number)

    def log(self, name: str) -> str:
        """The last lines of a server's log."""
        file = self.folder / f"{name}.log"
        text = file.read_text(encoding="utf-8", errors="replace") if file.exists() else ""
        return "\n".join(text.splitlines()[-_LOG_LINES:])

    def close(self) -> None:
        """End all servers, and return when they have ended. Doing it again does nothing."""
        assert self._supervisor.stdin is not None and self._supervisor.stdout is not None  # noqa: PT018  (they are pipes)
        self._supervisor.stdin.close()
        try:
            self._supervisor.wait(_PATIENCE_SECONDS)
        finally:
            self._supervisor.stdout.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        with self._lock:
            try:
                assert self._supervisor.stdin is not None  # it is a pipe
                self._supervisor.stdin.write(json.dumps(request).encode() + b"\n")
                answer = self._read()
            except (BrokenPipeError, ValueError):  # the pipe is closed, at the other end or here
                raise ServerError(_STOPPED) from None
        if "error" in answer:
            raise ServerError(f"cannot start a server: {answer['error']}")
        return answer

    def _read(self) -> dict[str, Any]:
        assert self._supervisor.stdout is not None  # it is a pipe
        line = self._supervisor.stdout.readline()
        if not line:
            raise ServerError(_STOPPED)
        answer: dict[str, Any] = json.loads(line)
        return answer


def free_port() -> int:
    """A port of 127.0.0.1 that is free now, at random: another process hardly takes it before it is used."""
    while True:
        port = _PORTS[secrets.randbelow(len(_PORTS))]
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise
            else:
                return port
