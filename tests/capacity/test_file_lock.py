"""A lock belongs to one process at a time, and to nobody once that process has ended."""

import errno
import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import Timeout

from eks_accelerators.capacity.file_lock import lock_at

# Holds the lock, and has a child that goes on after it: forked, as `multiprocessing` does, or a program of its own.
HOLDS = """
import os, subprocess, sys, time
from pathlib import Path
from eks_accelerators.capacity.file_lock import lock_at
with lock_at(Path(sys.argv[1])):
    if sys.argv[2] == "program":
        print(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], stdout=subprocess.DEVNULL).pid, flush=True)
    elif os.fork() == 0:
        print(os.getpid(), flush=True)
    time.sleep(60)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "lock"


def test_who_comes_second_is_refused_at_once_until_it_is_free(file: Path) -> None:
    with lock_at(file), pytest.raises(Timeout), lock_at(file):
        pytest.fail("it was held")
    with lock_at(file):
        assert file.exists()


@pytest.mark.parametrize("child", ["fork", "program"])
def test_it_dies_with_its_process_whatever_that_has_started(file: Path, child: str) -> None:
    holder = subprocess.Popen([sys.executable, "-c", HOLDS, file, child], stdout=subprocess.PIPE, text=True)
    assert holder.stdout
    with holder.stdout as said:
        number = int(said.readline())
    try:
        with pytest.raises(Timeout), lock_at(file):
            pytest.fail("it was held")
        holder.kill()
        holder.wait()
        os.kill(number, 0)  # lives on
        with lock_at(file):
            pass
    finally:
        holder.kill()
        os.kill(number, signal.SIGKILL)


def test_a_child_that_ends_leaves_it_to_its_parent(file: Path) -> None:
    with lock_at(file):
        child = os.fork()
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)
        with pytest.raises(Timeout), lock_at(file):
            pytest.fail("it was held")


def test_without_locks_in_the_file_system_there_is_an_error_and_no_file_that_locks_for_good(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*_: object) -> None:
        raise OSError(errno.ENOSYS, "Function not implemented")

    monkeypatch.setattr(fcntl, "flock", missing)
    with pytest.raises(OSError, match="Function not implemented"), lock_at(file):
        pytest.fail("nothing holds it")
    monkeypatch.undo()

    with lock_at(file):
        pass
