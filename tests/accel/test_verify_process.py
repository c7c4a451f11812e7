"""`accel verify` as a process: it asks at a terminal before what takes long, and what a killed one has left the next removes."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time

import pytest
from typer.testing import CliRunner

from eks_accelerators.accel.cli import app
from eks_accelerators.accel.report import check_stack
from eks_accelerators.accel.stacks import locate
from eks_accelerators.verification.check_pod import NAMESPACE
from eks_accelerators.verification.space import ALIVE
from tests.accel.plans import ROOT
from tests.polls import PATIENCE_SECONDS, until
from tests.verification.http_cluster import kubeconfig, served
from tests.verification.worlds import PaperCluster

ACCEL = (sys.executable, "-m", "eks_accelerators.accel", "verify", "dev")


@pytest.fixture
def cluster():
    """That of `dev`, on paper."""
    return PaperCluster(check_stack(locate("dev")).checked.stack)


@pytest.fixture
def file(cluster, tmp_path):
    with served(cluster) as url:
        yield str(kubeconfig(tmp_path, url))


def verify(file, *options):
    return CliRunner().invoke(app, ["verify", "dev", "--kubeconfig", file, *options])


def created(cluster):
    return [each for each in cluster.asked if each.startswith("create")]


QUESTION = (
    r"thorough on 1 node takes about 1 minute \(\d+\.\d\d USD of nodes at on-demand prices, which run anyway\)\. "
    r"Idle nodes are busy meanwhile\. Go on\? \[y/N\]: ?{answer} "
)


def at_a_terminal(file, *options, answer):
    """What the command prints where ``answer`` is typed at its question, and its exit status."""
    leader, follower = pty.openpty()
    command = [*ACCEL, "--kubeconfig", file, *options]
    with subprocess.Popen(command, cwd=ROOT, stdin=follower, stdout=follower, stderr=follower) as process:
        os.close(follower)
        printed, asked, end = b"", False, time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < end:
            readable, _, _ = select.select([leader], [], [], 1)
            try:
                new = os.read(leader, 4096) if readable else b""
            except OSError:  # the other end is closed: the process has ended
                break
            printed += new
            if not asked and b"[y/N]" in printed:
                asked = True
                os.write(leader, f"{answer}\n".encode())
        status = process.wait(PATIENCE_SECONDS)
    os.close(leader)
    return " ".join(re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", printed.decode()).split()), status


@pytest.mark.slow
def test_no_leaves_everything_as_it_is(cluster, file):
    printed, status = at_a_terminal(file, "--level", "thorough", answer="n")

    assert re.search(QUESTION.format(answer="n"), printed), printed
    assert printed.endswith("not verified")

    assert (status, created(cluster)) == (2, [])


@pytest.mark.slow
def test_yes_goes_on(cluster, file):
    printed, status = at_a_terminal(file, "--level", "thorough", answer="y")

    assert re.search(QUESTION.format(answer="y"), printed), printed
    assert "create namespaces accel-verify" in created(cluster)
    assert (status, cluster.kept) == (0, {})


def test_nobody_is_at_the_terminal(cluster, file):
    found = verify(file, "--level", "thorough")

    assert (found.exit_code, created(cluster)) == (2, [])
    assert "nobody is at the terminal to confirm: add --yes" in found.output


@pytest.mark.parametrize("options", [("--level", "thorough", "--yes"), ("--level", "standard")])
def test_it_is_not_asked_where_that_was_answered_or_costs_minutes_alone(cluster, file, options):
    found = verify(file, *options)

    assert (found.exit_code, cluster.kept) == (0, {})
    assert "Go on?" not in found.output
    # Of a WebSocket that is refused the answer is told, and not its headers.
    assert "it cannot be asked: GET /api/v1/namespaces/llm/pods/llama-0/exec: no such way [gpu-shares]" in found.output


def ended_in_the_midst(file, cluster, number):
    """The exit status of a verification that gets a signal while a Job of it waits."""
    cluster.jobs_start = False
    with subprocess.Popen(
        [*ACCEL, "--kubeconfig", file], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        until(lambda: any(kind == "jobs" for kind, *_ in list(cluster.kept)))
        process.send_signal(number)
        status = process.wait(PATIENCE_SECONDS)
    cluster.jobs_start = True
    return status


@pytest.mark.slow
def test_ctrl_c_leaves_nothing(cluster, file):
    assert ended_in_the_midst(file, cluster, signal.SIGINT) == 128 + signal.SIGINT
    assert cluster.kept == {}


@pytest.mark.slow
def test_what_a_killed_one_has_left_the_next_one_removes(cluster, file):
    assert ended_in_the_midst(file, cluster, signal.SIGKILL) == -signal.SIGKILL
    kinds = {kind for kind, *_ in cluster.kept}
    assert {"namespaces", "jobs"} <= kinds

    at_once = verify(file)
    assert (at_once.exit_code, {kind for kind, *_ in cluster.kept}) == (3, kinds)
    assert "another verification is under way" in at_once.output
    assert "after a crash until then" in at_once.output

    # What it has said of the time until which it is at work is over.
    cluster.annotate("namespaces", NAMESPACE, {ALIVE: "2026-01-01T00:00:00+00:00"})
    found = verify(file)
    assert (found.exit_code, cluster.kept) == (0, {})
    assert "removed the namespace accel-verify, which a verification that was killed had left" in found.stderr
    assert "removed" not in verify(file).output
