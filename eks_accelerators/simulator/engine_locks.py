"""Locks of engines on the state in a folder: those that were killed leave theirs."""

import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

from eks_accelerators.simulator.outcome import Outcome
from eks_accelerators.simulator.state.locks import is_own, locks, process_of

_PATIENCE_SECONDS = 30
"""For an engine whose command was killed: without its providers it ends by itself, in a second or two."""


def unlocked(backend: Path, outcome: Outcome) -> bool:
    """Remove the locks of engines that were killed, as `pulumi cancel` does; False where one is still at work.

    One command at a time is at work in a folder, so any lock is of a command before. Where only that was killed, its
    engine is still there, which has nobody to tell what it does, and nobody to ask: it is ended. Somebody who runs
    the CLI by himself is waited for.
    """
    until = time.monotonic() + _PATIENCE_SECONDS
    for lock in locks(backend):
        number = process_of(lock)
        while number and _is_engine(number) and lock.exists():
            if is_own(lock):
                with suppress(ProcessLookupError):
                    os.kill(number, signal.SIGKILL)
            elif time.monotonic() > until:
                outcome.ok = False
                told = f"the engine of a command before, process {number}, is still at work: wait for it, or end it"
                outcome.messages.append(("error", told))
                return False
            time.sleep(0.05)
        if lock.exists():
            lock.unlink()
            told = "the engine of a command before was killed; its lock was removed, as `pulumi cancel` does"
            outcome.messages.append(("warning", told))
    return True


def _is_engine(number: int) -> bool:
    """Whether an engine runs as process ``number``, which may be a stranger's by now."""
    if Path("/proc/self").exists():
        try:
            return Path(f"/proc/{number}/exe").readlink().name.startswith("pulumi")
        except OSError:  # it has ended, or is another user's
            return False
    said = subprocess.run(["ps", "-p", str(number), "-o", "comm="], capture_output=True, text=True, check=False)  # noqa: S607
    return Path(said.stdout.strip()).name.startswith("pulumi")
