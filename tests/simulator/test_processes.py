"""Servers end with the process that started them, however it ends."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, count
from pathlib import Path

import pytest

from eks_accelerators.simulator import processes
from eks_accelerators.simulator.processes import ServerError, Servers, free_port
from tests.polls import until

LONG = 600
ON = "for _ in range(12_000): time.sleep(0.05)"  # not one long sleep: a signal that comes just before it is handled after it
PROGRAM = """
import json, os, signal, sys, time
from eks_accelerators.simulator.processes import Servers
servers = Servers()
servers.start("first", ["sleep", "600"])
servers.start("second", ["sh", "-c", "sleep 600 & wait"])
{then}
print(json.dumps([str(servers.folder), servers.pids]), flush=True)
{at_last}
"""


def alive(pid):
    """Whether a process runs; a zombie does not, though nobody may have asked for its status."""
    entry = Path(f"/proc/{pid}/stat")
    if Path("/proc/self").exists():
        return entry.exists() and entry.read_text().rpartition(")")[2].split()[0] != "Z"
    return subprocess.run(["ps", "-p", str(pid)], capture_output=True, check=False).returncode == 0


@pytest.fixture
def servers():
    with Servers() as running:
        yield running


@pytest.fixture
def program():
    """Starts a program that starts servers; returns its process, their folder and their process IDs."""
    started = []

    def start(at_last, then=""):
        text = PROGRAM.format(at_last=at_last, then=then)
        process = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, start_new_session=True)
        started.append(process)
        folder, pids = json.loads(process.stdout.readline())
        return process, Path(folder), pids

    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_nothing_is_left_of_a_process_that_is_killed(program, number):
    process, folder, pids = program(ON)
    assert all(map(alive, pids.values()))

    os.killpg(process.pid, number)  # as a terminal sends Ctrl-C: to the whole group

    until(lambda: not any(map(alive, pids.values())) and not folder.exists())


@pytest.mark.parametrize("at_last", ["", "raise SystemExit(3)", "1 / 0", "os._exit(1)"])
def test_nothing_is_left_of_a_process_that_ends(program, at_last):
    _, folder, pids = program(f"sys.stderr.close(); {at_last}")

    until(lambda: not any(map(alive, pids.values())) and not folder.exists())


def test_a_child_that_holds_the_pipe_open_does_not_matter(program):
    child = "if os.fork() == 0: os.setsid(); time.sleep(20); os._exit(0)"
    process, folder, pids = program(ON, then=child)

    process.kill()
    process.wait()

    until(lambda: not any(map(alive, pids.values())) and not folder.exists())


def test_closing_ends_servers_and_what_they_started_themselves(servers):
    servers.start("parent", ["sh", "-c", "sleep 600 & echo $! > child; wait"])
    child = servers.folder / "child"
    until(lambda: child.exists() and child.read_text().strip())
    pids = [*servers.pids.values(), int(child.read_text())]

    servers.close()
    servers.close()

    until(lambda: not any(map(alive, pids)))  # who is killed and nobody's child goes when it gets the processor next
    assert not servers.folder.exists()


def test_a_server_that_ended_leaves_nothing_behind(servers):
    servers.start("parent", ["sh", "-c", "sleep 600 & echo $! > child; exit 1"])
    child = servers.folder / "child"
    until(lambda: child.exists() and child.read_text().strip())
    pid = int(child.read_text())

    until(lambda: not alive(pid))


def test_the_last_server_ends_first(servers, tmp_path):
    note = "trap 'echo {} >> {}; exit' TERM; touch {}; while :; do sleep 0.01; done"
    for name in ("first", "second", "third"):
        servers.start(name, ["sh", "-c", note.format(name, tmp_path / "order", tmp_path / name)])
        until((tmp_path / name).exists)

    servers.close()

    assert (tmp_path / "order").read_text().split() == ["third", "second", "first"]


def test_a_server_that_does_not_want_to_end_is_killed(servers):
    servers.start("stubborn", ["sh", "-c", "trap '' TERM; touch ready; while :; do sleep 0.05; done"])
    until((servers.folder / "ready").exists)

    servers.close()

    assert not alive(servers.pids["stubborn"])


@pytest.mark.parametrize(("stateless", "asked"), [(False, True), (True, False)])
def test_a_server_without_a_state_is_not_asked_to_end(servers, tmp_path, stateless, asked):
    note = f"trap 'touch {tmp_path}/asked; exit' TERM; touch {tmp_path}/ready; while :; do sleep 0.01; done"
    servers.start("server", ["sh", "-c", note], stateless=stateless)
    until((tmp_path / "ready").exists)

    servers.close()

    assert (tmp_path / "asked").exists() == asked
    assert not alive(servers.pids["server"])


def test_a_server_that_ends_early_says_why(servers):
    servers.start("etcd", ["sh", "-c", "for i in $(seq 100); do echo line $i; done; echo the disk is full >&2; exit 3"])

    with pytest.raises(ServerError, match="etcd ended with status 3") as error:
        servers.wait("etcd", lambda: False, LONG)

    assert "the disk is full" in str(error.value)
    assert "line 100" in str(error.value)
    assert "line 1\n" not in str(error.value)


def test_a_server_that_ended_is_no_zombie(servers):
    servers.start("short", ["true"])

    until(lambda: not Path(f"/proc/{servers.pids['short']}").exists())


def test_waiting_ends(servers):
    servers.start("slow", ["sh", "-c", "echo still busy; sleep 600"])
    until(lambda: servers.log("slow"))

    with pytest.raises(ServerError, match=r"slow was not ready after 0\.1 s.*\nstill busy"):
        servers.wait("slow", lambda: False, 0.1)


def test_a_program_that_is_not_there_is_named(servers):
    with pytest.raises(ServerError, match="no/such/program"):
        servers.start("etcd", ["no/such/program"])


def test_servers_that_were_stopped_cannot_be_asked(servers):
    servers.close()

    with pytest.raises(ServerError, match="stopped"):
        servers.check()


def test_servers_see_nothing_of_the_environment(servers, monkeypatch):
    monkeypatch.setenv("ETCD_NAME", "another")
    servers.start("env", ["env"])

    until(lambda: "HOME" in servers.log("env"))
    assert "ETCD_NAME" not in servers.log("env")


def test_a_lock_lasts_until_all_servers_have_ended(servers, tmp_path):
    with Servers() as others:
        assert servers.lock(tmp_path / "lock", 0)
        assert not others.lock(tmp_path / "lock", 0.1)
        servers.close()
        assert others.lock(tmp_path / "lock", 0)


def test_many_threads_can_ask(servers):
    def start(number):
        servers.start(f"server-{number}", ["sleep", "600"])
        servers.check()

    threads = [threading.Thread(target=start, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert all(map(alive, servers.pids.values()))
    assert len(set(servers.pids.values())) == 17


def test_a_port_that_is_taken_is_not_free(monkeypatch):
    with socket.create_server(("127.0.0.1", free_port())) as server:
        taken = server.getsockname()[1]
        places = chain([taken - processes._PORTS.start], count())
        monkeypatch.setattr(processes.secrets, "randbelow", lambda _: next(places))

        assert free_port() != taken


def test_a_long_temporary_folder_leaves_room_for_sockets(tmp_path, monkeypatch):
    far = tmp_path / ("x" * 80)
    far.mkdir()
    monkeypatch.setenv("TMPDIR", str(far))

    with Servers() as running:
        assert len(str(running.folder)) < 60
    assert not running.folder.exists()


def test_they_start_while_another_thread_changes_the_environment():
    # The simulated account does, and the control plane starts beside it.
    done = threading.Event()

    def change() -> None:
        names = [f"EKS_ACCELERATORS_TEST_{number}" for number in range(200)]
        while not done.is_set():
            os.environ.update(dict.fromkeys(names, "a value"))
            for name in names:
                del os.environ[name]

    with ThreadPoolExecutor(1) as pool:
        changing = pool.submit(change)
        try:
            for _ in range(10):
                with Servers() as running:
                    assert running.folder.is_dir()
        finally:
            done.set()
        changing.result()
