"""Runs `nccom-test` between nodes: one process in each pod of an Indexed Job. Its arguments are the command without hosts.

`nccom-test` starts its ranks on other nodes by MPI, which needs SSH. The pod of index 0 makes a key for this one run, hands its
public half to whoever asks, and measures as soon as all pods let it in. The others fetch that half by the name of the pod of
index 0, let that key in and no other, and end when the pod of index 0 no longer answers. No secret leaves the pod that made it.

Environment: HOSTS, the names of the pods by their index; JOB_COMPLETION_INDEX, which Kubernetes sets; JOIN_SECONDS, how long pods wait
for each other, and PAUSE_SECONDS between two looks, where they are not the usual ones. What it says itself begins with `launch:`;
the table is that of the pod of index 0.

Sources: AWS Neuron documentation, NCCOM-TEST user guide, `MPI Execution` (hosts, NEURON_RT_ROOT_COMM_ID, SSH); aws/aws-k8s-tester
0649472 `test/cases/neuron/manifests/multi-node-test-neuron.yaml` (the variables, and that it runs between pods); aws-neuron/deep-learning-containers
033cc6a `pytorch/training/2.9.0/Dockerfile.neuronx` (Open MPI 4.1.5, sshd); read 2026-11-22. It was not tried on devices.
"""

import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

KEY_PORT, SSH_PORT, RANKS_PORT, TIMES_PORT = 29500, 2222, 63182, 60006
"""Of the public key; of sshd, beside which a node may have its own; where ranks meet; where latencies are collected."""

INTERFACE = "eth0"
"""That of a pod in Amazon's VPC CNI."""

MISSED = 5
"""So many times in a row the pod of index 0 does not answer: it has ended."""

HANDED_ON = ("PATH", "LD_LIBRARY_PATH")
HANDED_ON_TOO = ("NEURON_", "CCOM_", "FI_", "OMPI_")
"""Variables of the container that sessions have as well: sshd gives them none of its own."""


class JoinError(Exception):
    """Pods did not find each other in time."""


def resolved(host: str) -> str:
    """The address of a host; empty where its name is not known yet."""
    try:
        return socket.gethostbyname(host)
    except OSError:
        return ""


def answers(address: str, port: int) -> bool:
    """Whether a TCP connection to ``address`` and ``port`` is taken within 5 seconds."""
    try:
        socket.create_connection((address, port), timeout=5).close()
    except OSError:
        return False
    return True


def fetched(address: str) -> str:
    """The public key that the pod of index 0 hands out; empty where it does not yet."""
    try:
        with socket.create_connection((address, KEY_PORT), timeout=5) as connection:
            return connection.makefile(encoding="ascii").readline().strip()
    except (OSError, UnicodeDecodeError):
        return ""


def hand_out(address: str, public_key: str) -> socket.socket:
    """Answer everybody with the public key, as long as this process lives."""
    listening = socket.create_server((address, KEY_PORT), backlog=64)

    def serve() -> None:
        while True:
            try:
                connection, _ = listening.accept()
                with connection:
                    connection.sendall(f"{public_key}\n".encode("ascii"))
            except OSError:
                if listening.fileno() < 0:
                    return

    threading.Thread(target=serve, daemon=True).start()
    return listening


def make_key(file: Path) -> str:
    """A key pair; its public half."""
    program = shutil.which("ssh-keygen") or "/usr/bin/ssh-keygen"
    subprocess.run([program, "-q", "-t", "ed25519", "-N", "", "-C", "nccom-test", "-f", str(file)], check=True)
    return file.with_suffix(".pub").read_text(encoding="ascii").strip()


def sshd(folder: Path, address: str, environment: Mapping[str, str]) -> list[str]:
    """The server that lets one key in, and gives its sessions the variables of the container."""
    given = {name: value for name, value in environment.items() if name in HANDED_ON or name.startswith(HANDED_ON_TOO)}
    options = {
        "ListenAddress": address,
        "HostKey": folder / "host",
        "AuthorizedKeysFile": folder / "authorized_keys",
        "AuthenticationMethods": "publickey",
        "PermitRootLogin": "prohibit-password",
        "StrictModes": "no",  # /tmp belongs to all
        "UsePAM": "no",
        "PidFile": "none",
        "MaxStartups": "100",
        "SetEnv": " ".join(f'{name}="{value}"' for name, value in sorted(given.items()) if '"' not in value),
    }
    program = shutil.which("sshd", path=f"{environment.get('PATH', '')}:/usr/sbin") or "/usr/sbin/sshd"
    # It starts itself anew for each connection, which it does by its whole name.
    return [program, "-D", "-e", "-f", "/dev/null", "-p", f"{SSH_PORT}", *_flags(options)]


def _flags(options: Mapping[str, object]) -> list[str]:
    return [word for name, value in options.items() if value for word in ("-o", f"{name}={value}")]


def client(key: Path) -> str:
    """What `ssh` has to know, whoever starts it: MPI does."""
    return "\n".join(
        (
            "Host *",
            f"  Port {SSH_PORT}",
            f"  IdentityFile {key}",
            "  IdentitiesOnly yes",
            "  BatchMode yes",
            "  StrictHostKeyChecking no",
            "  UserKnownHostsFile /dev/null",
            "  LogLevel ERROR",
            "",
        )
    )


def measuring(command: Sequence[str], addresses: Sequence[str]) -> list[str]:
    """The command over these hosts; this one collects the latencies."""
    collector = ("--data-collector-host", addresses[0], "--data-collector-port", f"{TIMES_PORT}")
    return [*command, "--hosts", *addresses, *collector]


def variables(addresses: Sequence[str]) -> dict[str, str]:
    """What `nccom-test`, MPI and Neuron's collectives have to be told beside."""
    return {
        "NEURON_RT_ROOT_COMM_ID": f"{addresses[0]}:{RANKS_PORT}",
        "CCOM_SOCKET_IFNAME": INTERFACE,
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    }


def say(text: str) -> None:
    """A line that no reader of the table takes for a row."""
    print(f"launch: {text}", flush=True)


class Pod:
    """One pod of the run. ``folder`` is its own, and is empty; ``home`` is where `ssh` looks for what it has to know."""

    def __init__(self, environment: Mapping[str, str], folder: Path, home: Path) -> None:
        self.environment, self.folder, self.home = environment, folder, home
        self.hosts = environment["HOSTS"].split()
        self.index = int(environment["JOB_COMPLETION_INDEX"])
        self.end = time.monotonic() + float(environment.get("JOIN_SECONDS", "1800"))
        self.pause = float(environment.get("PAUSE_SECONDS", "1"))
        self.addresses: list[str] = []

    def run(self, command: Sequence[str]) -> int:
        """The exit status of the pod: in that of index 0 the one of ``command``."""
        self._await(f"the names of {', '.join(self.hosts)}", self._all_resolved)
        return self._first(command) if self.index == 0 else self._other()

    def _await(self, what: str, done: Callable[[], object], *, still: Callable[[], bool] = lambda: True) -> None:
        """Ask until it is ``done``. Raises `JoinError` where the time is over, or where it can never be."""
        while not done():
            if time.monotonic() > self.end or not still():
                raise JoinError(f"not in time: {what}")
            time.sleep(self.pause)

    def _all_resolved(self) -> bool:
        self.addresses = [resolved(host) for host in self.hosts]
        return all(self.addresses)

    def _first(self, command: Sequence[str]) -> int:
        key = self.folder / "key"
        public = make_key(key)
        (self.home / ".ssh").mkdir(mode=0o700, parents=True, exist_ok=True)
        (self.home / ".ssh" / "config").write_text(client(key), encoding="utf-8")
        serving = self._let_in(public)
        listening = hand_out(self.addresses[0], public)
        try:
            for host, address in zip(self.hosts, self.addresses, strict=True):
                say(f"waiting for {host}")
                there = partial(answers, address, SSH_PORT)
                self._await(f"sshd of {host}", there, still=lambda: serving.poll() is None)
            environment = {**self.environment, **variables(self.addresses)}
            status = subprocess.run(measuring(command, self.addresses), env=environment, check=False).returncode
            return status if status >= 0 else 128 - status
        finally:
            listening.close()
            serving.terminate()

    def _other(self) -> int:
        first = self.addresses[0]
        self._await(f"the key of {self.hosts[0]}", lambda: fetched(first))
        serving = self._let_in(fetched(first))
        say(f"{self.hosts[0]} may come in")
        missed = 0
        while missed < MISSED and serving.poll() is None:
            time.sleep(self.pause)
            missed = 0 if fetched(first) else missed + 1
        if serving.poll() is not None:
            say(f"sshd has ended with status {serving.returncode}")
            return 1
        serving.terminate()
        return 0

    def _let_in(self, public: str) -> "subprocess.Popen[bytes]":
        make_key(self.folder / "host")
        (self.folder / "authorized_keys").write_text(f"{public}\n", encoding="ascii")
        if os.geteuid() == 0:  # where sshd locks itself in before somebody has proved who they are
            Path("/run/sshd").mkdir(exist_ok=True)
        environment = {**self.environment, **variables(self.addresses)}
        return subprocess.Popen(sshd(self.folder, self.addresses[self.index], environment))


def main(environment: Mapping[str, str], command: Sequence[str]) -> int:
    """Run this pod to its end."""
    folder = Path(environment.get("TMPDIR", "/tmp")) / f"nccom-{os.getpid()}"  # noqa: S108  (in the container, where nobody else is)
    folder.mkdir(mode=0o700)
    try:
        return Pod(environment, folder, Path.home()).run(command)
    except JoinError as error:
        say(str(error))
        return 1


if __name__ == "__main__":
    sys.exit(main(os.environ, sys.argv[1:]))
