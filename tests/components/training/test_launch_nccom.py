"""The pods of `nccom-test` between nodes, here as processes with an address each: with made-up sshd and nccom-test, and with the real sshd."""

import os
import re
import shutil
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.polls import PATIENCE_SECONDS

PROGRAM = Path(__file__).parents[3] / "components" / "programs" / "launch_nccom.py"
COMMAND = ["nccom-test", "-r", "64", "-N", "2", "--check", "allr"]
FIRST, OTHER = (f"127.{os.getpid() >> 8 & 0xFF}.{os.getpid() & 0xFF}.{number}" for number in (1, 2))
"""Addresses of this process alone: the ports are the same everywhere."""
HOSTS = f"{FIRST} {OTHER}"

SSHD = f"""#!{sys.executable}
import socket, sys
options = dict(word.partition("=")[::2] for word in sys.argv if "=" in word)
print("sshd for", open(options["AuthorizedKeysFile"]).read().split()[:1], options["SetEnv"], flush=True)
server = socket.create_server((options["ListenAddress"], int(sys.argv[sys.argv.index("-p") + 1])))
while True:
    server.accept()[0].close()
"""
MEASURES = 'echo "$@"; echo "root $NEURON_RT_ROOT_COMM_ID by $CCOM_SOCKET_IFNAME"; '

pytestmark = pytest.mark.skipif(
    not shutil.which("ssh-keygen") or sys.platform != "linux",
    reason="no ssh-keygen, or one address of this machine alone",
)


def programs(folder, sshd=SSHD, measures="exit 0"):
    """A folder with what an image has."""
    for name, text in {"sshd": sshd, "nccom-test": f"#!/bin/sh\n{MEASURES}{measures}\n"}.items():
        (folder / name).write_text(text, encoding="utf-8")
        (folder / name).chmod(0o755)
    return folder


def pods(folder, hosts=HOSTS, only=(0, 1), seconds="120", the_first_ends_by_itself=True):
    """Exit status and output of each pod; ``seconds`` is for how long each waits for the others."""
    with ExitStack() as stack:
        started = []
        for index in only:
            home = folder / f"home-{index}"
            home.mkdir()
            given = {
                "PATH": f"{folder}:{os.environ['PATH']}",
                "NEURON_LOGICAL_NC_CONFIG": "2",
                "HOSTS": hosts,
                "JOB_COMPLETION_INDEX": str(index),
                "JOIN_SECONDS": seconds,
                "PAUSE_SECONDS": "0.1",
                "HOME": str(home),
                "TMPDIR": str(home),
            }
            pod = subprocess.Popen(
                [sys.executable, "-I", PROGRAM, *COMMAND],
                env=given,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )
            stack.callback(pod.kill)
            started.append(pod)
        if not the_first_ends_by_itself:
            started[1].wait(PATIENCE_SECONDS)
            os.killpg(started[0].pid, signal.SIGKILL)  # its sshd too
        printed = [pod.communicate(timeout=PATIENCE_SECONDS)[0] for pod in started]
        return [(pod.returncode, text) for pod, text in zip(started, printed, strict=True)]


@pytest.mark.slow
def test_the_first_measures_as_soon_as_the_others_let_it_in_and_all_end_with_it(tmp_path):
    (first, measured), (other, said) = pods(programs(tmp_path))

    assert (first, other) == (0, 0)
    assert (
        f"-r 64 -N 2 --check allr --hosts {HOSTS} --data-collector-host {FIRST} --data-collector-port 60006\n"
        f"root {FIRST}:63182 by eth0\n"
    ) in measured
    assert f"launch: {FIRST} may come in" in said
    assert "sshd for ['ssh-ed25519']" in said
    for variable in ("PATH", "NEURON_LOGICAL_NC_CONFIG", "NEURON_RT_ROOT_COMM_ID", "OMPI_ALLOW_RUN_AS_ROOT"):
        assert f'{variable}="' in said, "sessions have what the container has"


@pytest.mark.slow
def test_what_nccom_test_says_of_itself_is_the_status_of_the_first_pod(tmp_path):
    (first, _), (other, _) = pods(programs(tmp_path, measures="echo '1 errors found - test failed'; exit 3"))

    assert (first, other) == (3, 0)


ALONE = {
    "the first, as the other does not come": (0, HOSTS, f"not in time: sshd of {OTHER}"),
    "the other, as the first does not come": (1, HOSTS, f"not in time: the key of {FIRST}"),
    "a name that nobody has": (0, f"{FIRST} nobody.invalid", f"not in time: the names of {FIRST}, nobody.invalid"),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", ALONE)
def test_who_is_alone_says_so_and_fails(tmp_path, case):
    index, hosts, said = ALONE[case]

    ((status, printed),) = pods(programs(tmp_path), hosts, only=[index], seconds="0.5")

    assert (status, f"launch: {said}" in printed) == (1, True), printed


@pytest.mark.slow
def test_an_sshd_that_ends_ends_the_run(tmp_path):
    ended = SSHD.replace("server =", f'if options["ListenAddress"] == "{OTHER}":\n    sys.exit(255)\nserver =')

    _, (other, said) = pods(programs(tmp_path, sshd=ended), the_first_ends_by_itself=False)

    assert other == 1
    assert "launch: sshd has ended with status 255" in said


def _sshd():
    return shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin")


@pytest.mark.slow
@pytest.mark.skipif(not _sshd() or os.geteuid() == 0, reason="no sshd, or one that locks itself in as another user")
def test_the_real_sshd_lets_the_first_pod_in(tmp_path):
    """As the user who runs the test: the key is let in, and its session has the variables of the container."""
    made = programs(
        tmp_path, measures=f"ssh -F \"$HOME/.ssh/config\" {OTHER} 'echo there with $NEURON_LOGICAL_NC_CONFIG'"
    )
    (made / "sshd").unlink()

    (first, measured), (other, _) = pods(made)

    assert (first, other) == (0, 0), measured
    assert re.search(r"^there with 2$", measured, re.M)
