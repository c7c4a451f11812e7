"""Another revision, checked out beside this one for as long as it is looked at.

The worktree lies in a temporary folder of ours, in which a locked file says that it is in use. It goes with an exception,
Ctrl-C, SIGTERM and SIGHUP. A process that is killed cannot clean up, so the next one does: it removes worktrees of this
repository in such folders whose lock nobody holds. `git worktree prune` is not used: it would also forget worktrees of
the user's own whose disk is not mounted just now.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import TextIO

from filelock import lock_descriptor

_PREFIX = "accel-against-"
_TREE = "tree"
_LOCK = "in-use"
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class GitError(Exception):
    """Git did not do as it was told; the message says why."""


@contextmanager
def checked_out(root: Path, commit: str) -> Iterator[Path]:
    """A worktree of the repository at ``root`` with ``commit`` in it. Raises `GitError`. For the main thread only.

    SIGTERM and SIGHUP end the process as an exception does, with its clean-up.
    """
    _remove_abandoned(root)
    signals = _EndingSignals()
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX)).resolve()
    lock = _locked(folder)
    try:
        try:
            signals.release()
            git(root, "worktree", "add", "--detach", "--quiet", str(folder / _TREE), commit)
            yield folder / _TREE
        finally:  # a signal that comes before the next line has done its work finds the other `finally`
            signals.hold()
    finally:
        _remove(root, folder)
        lock.close()
        signals.restore()


def git(folder: Path, *arguments: str) -> str:
    """The output of one git command in ``folder``, stripped. Raises `GitError` where git is missing or fails."""
    # Inside a hook this names the index of the commit in the making, which is no other tree's.
    environment = {key: value for key, value in os.environ.items() if key != "GIT_INDEX_FILE"}
    try:
        run = subprocess.run(
            ["git", *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        raise GitError("git is not installed") from None
    if run.returncode:
        raise GitError(f"git {arguments[0]} failed: {run.stderr.strip()}")
    return run.stdout.strip()


class _EndingSignals:
    """SIGTERM, SIGHUP and Ctrl-C as exceptions: the first raises one, and none comes while something is cleaned up.

    They are held at first. A signal that this process ignores, as under `nohup`, it goes on to ignore.
    """

    def __init__(self) -> None:
        self._mask = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
        self._before = {number: signal.getsignal(number) for number in _ENDING}
        self._held = False
        self._waiting: list[int] = []
        for number, handler in self._before.items():
            if handler is not signal.SIG_IGN:
                signal.signal(number, self._end)

    def release(self) -> None:
        """Let them come."""
        signal.pthread_sigmask(signal.SIG_SETMASK, self._mask)

    def hold(self) -> None:
        """Let them wait, for this process and for those that it starts."""
        # Both: the mask does not hold back what Python has been told of and has not handled yet.
        self._held = True
        signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)

    def restore(self) -> None:
        """As before; a signal that has waited comes now."""
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, self._mask)
        if self._waiting:
            signal.raise_signal(self._waiting[0])

    def _end(self, number: int, frame: FrameType | None) -> None:
        if self._held:
            self._waiting.append(number)
            return
        self._held = True
        before = self._before[signal.Signals(number)]
        if callable(before):
            before(number, frame)
        sys.exit(128 + number)


def _locked(folder: Path) -> TextIO:
    """The file that says that the folder is in use. It is locked before it has its name."""
    lock = (folder / f"{_LOCK}.new").open("w")
    lock_descriptor(lock.fileno())
    (folder / f"{_LOCK}.new").rename(folder / _LOCK)
    return lock


def _remove_abandoned(root: Path) -> None:
    """Remove what runs that were killed have left: of ours, of this repository, and of nobody who is at work."""
    for folder in _folders(root):
        if not folder.exists():
            if folder.parent == _temporary():  # which the system has cleaned; elsewhere it may be a disk that is away
                _remove(root, folder)
            continue
        # Without the file in it no folder of ours, whatever its name; that of another user cannot be opened. By the
        # descriptor: filelock's `FileLock` would make the file where it is missing.
        with suppress(OSError), (folder / _LOCK).open("r+") as lock:
            if lock_descriptor(lock.fileno(), blocking=False):
                _remove(root, folder)


def _folders(root: Path) -> set[Path]:
    """Folders called like ours: of this repository's worktrees, and temporary ones that have no worktree yet or no more."""
    of_trees = {tree.parent for tree in _worktrees(root) if tree.name == _TREE and tree.parent.name.startswith(_PREFIX)}
    temporary = _temporary().glob(f"{_PREFIX}*")
    return of_trees | {folder for folder in temporary if not os.path.lexists(folder / _TREE)}


def _temporary() -> Path:
    return Path(tempfile.gettempdir()).resolve()


def _worktrees(root: Path) -> list[Path]:
    listed = git(root, "worktree", "list", "--porcelain").splitlines()
    return [Path(line.removeprefix("worktree ")) for line in listed if line.startswith("worktree ")]


def _remove(root: Path, folder: Path) -> None:
    # Forced twice: git locks a worktree while it makes it, and one whose making was cut short stays locked.
    remove = ("worktree", "remove", "--force", "--force", str(folder / _TREE))
    with suppress(GitError):
        git(root, *remove)
    shutil.rmtree(folder, ignore_errors=True)
    with suppress(GitError):  # one that is half made git only forgets once its files are gone
        if folder / _TREE in _worktrees(root):
            git(root, *remove)
