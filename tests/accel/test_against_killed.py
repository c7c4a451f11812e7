"""What `accel plan --against` leaves behind when it is ended: nothing, or what the next run removes. Real git, real signals."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from filelock import lock_descriptor

from eks_accelerators.accel.plan.git_worktree import GitError, checked_out
from tests.accel.plans import ROOT
from tests.git import git
from tests.polls import PATIENCE_SECONDS

# Says when it looks at the other tree, and goes on doing so. The module alone: its package imports Pulumi, for seconds.
# In short sleeps: a signal that comes just before one is handled after it.
LOOKS = """
import sys, time
from pathlib import Path
sys.path.insert(0, {folder!r})
from git_worktree import checked_out
with checked_out(Path(sys.argv[1]), "HEAD") as tree:
    print(tree, flush=True)
    for _ in range(1200):
        time.sleep(0.05)
""".format(folder=str(ROOT / "eks_accelerators" / "accel" / "plan"))


def worktrees(repository):
    listed = git(repository, "worktree", "list", "--porcelain").splitlines()
    return [Path(line.split()[1]) for line in listed if line.startswith("worktree ")][1:]


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """The folder of temporary files, of this test alone."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return folder


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "--quiet")
    (folder / "file").write_text("text")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "first")
    return folder


def looking(repository, before=""):
    """A process that looks at another tree, and that tree."""
    process = subprocess.Popen(
        [sys.executable, "-c", before + LOOKS, str(repository)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    tree = Path(process.stdout.readline().strip())
    assert (tree / "file").exists()
    return process, tree


def ended(process, number, *, group=False):
    """Send a signal, to the whole group as a terminal does for Ctrl-C, and wait."""
    (os.killpg if group else os.kill)(process.pid, number)
    process.stdout.close()
    return process.wait(PATIENCE_SECONDS)


@pytest.mark.parametrize(
    ("number", "group", "status"),
    [
        pytest.param(signal.SIGTERM, False, 128 + signal.SIGTERM, id="SIGTERM"),
        pytest.param(signal.SIGHUP, False, 128 + signal.SIGHUP, id="SIGHUP"),
        # Python itself ends by the signal once the exception has reached the top.
        pytest.param(signal.SIGINT, True, -signal.SIGINT, id="Ctrl-C"),
    ],
)
def test_a_signal_leaves_nothing(temporary, repository, number, group, status):
    process, _ = looking(repository)

    assert ended(process, number, group=group) == status
    assert worktrees(repository) == []
    assert list(temporary.iterdir()) == []


def test_a_second_signal_waits_for_the_clean_up(temporary, repository):
    process, _ = looking(repository)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        os.kill(process.pid, number)

    process.stdout.close()
    assert process.wait(PATIENCE_SECONDS) != 0
    assert worktrees(repository) == []
    assert list(temporary.iterdir()) == []


def test_an_ignored_signal_stays_ignored(temporary, repository):
    process, tree = looking(repository, "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)\n")
    os.kill(process.pid, signal.SIGHUP)
    time.sleep(0.3)

    assert (process.poll(), tree.exists()) == (None, True)
    ended(process, signal.SIGTERM)


def test_what_a_killed_one_left_goes_with_the_next(temporary, repository):
    process, left = looking(repository)
    ended(process, signal.SIGKILL)
    assert worktrees(repository) == [left]

    with checked_out(repository, "HEAD") as tree:
        assert worktrees(repository) == [tree]
        assert not left.parent.exists()

    assert (worktrees(repository), list(temporary.iterdir())) == ([], [])


def test_one_that_is_at_work_is_left_alone(temporary, repository):
    process, other = looking(repository)
    with checked_out(repository, "HEAD") as tree:
        assert set(worktrees(repository)) == {other, tree}

    assert worktrees(repository) == [other]
    assert (other / "file").exists()
    ended(process, signal.SIGTERM)


def _without_folder(left):
    shutil.rmtree(left.parent)


def _half_made(left):
    """As where git was killed while it made it."""
    gitdir = Path((left / ".git").read_text().removeprefix("gitdir: ").strip())
    (gitdir / "locked").write_text("initializing")
    (left / ".git").unlink()


def _half_removed(left):
    """As where the clean-up was killed after git's part of it."""
    git(left, "worktree", "remove", "--force", str(left))


@pytest.mark.parametrize("cut", [_without_folder, _half_made, _half_removed], ids=lambda each: each.__name__.strip("_"))
def test_so_does_what_is_not_whole(temporary, repository, cut):
    process, left = looking(repository)
    ended(process, signal.SIGKILL)
    cut(left)

    with checked_out(repository, "HEAD"):
        pass

    assert (worktrees(repository), list(temporary.iterdir())) == ([], [])


@pytest.mark.parametrize("name", ["mine/tree", "accel-against-mine/tree", "accel-against-mine/other"])
@pytest.mark.parametrize("unmounted", [False, True])
def test_a_worktree_of_the_user_s_is_left_alone(temporary, repository, tmp_path, name, unmounted):
    """Also one called like ours, as there is no lock of ours beside it; git's `prune` would forget one that is away."""
    mine = tmp_path / "elsewhere" / name
    git(repository, "worktree", "add", "--detach", "--quiet", str(mine))
    if unmounted:
        away = tmp_path / "elsewhere"
        away.rename(tmp_path / "away")

    with checked_out(repository, "HEAD"):
        pass

    assert worktrees(repository) == [mine]
    assert unmounted or (mine / "file").exists()


def test_a_folder_of_another_repository_is_left_to_it(temporary, repository, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(repository, other)
    process, left = looking(other)
    ended(process, signal.SIGKILL)

    with checked_out(repository, "HEAD"):
        pass

    assert worktrees(other) == [left]
    with checked_out(other, "HEAD"):
        assert not left.exists()


def test_what_is_no_commit_leaves_nothing_and_says_why(temporary, repository):
    with pytest.raises(GitError, match=r"git worktree failed: .*nothing"), checked_out(repository, "nothing"):
        pytest.fail("there is no such commit")

    assert (worktrees(repository), list(temporary.iterdir())) == ([], [])


def test_signals_are_as_before_afterwards(temporary, repository):
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers], signal.pthread_sigmask(signal.SIG_BLOCK, [])
    with (
        checked_out(repository, "HEAD") as tree,
        (tree.parent / "in-use").open() as lock,
    ):
        assert not lock_descriptor(lock.fileno(), blocking=False)

    assert ([signal.getsignal(number) for number in numbers], signal.pthread_sigmask(signal.SIG_BLOCK, [])) == before
