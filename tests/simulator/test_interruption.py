"""Ctrl-C and SIGTERM: one line, the state kept, the servers stopped, and the next command goes on from there."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.polls import PATIENCE_SECONDS, until
from tests.simulator.worlds import PROJECT

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("engines")]


def command(folder: Path, *arguments: str) -> list[str]:
    return [
        sys.executable,
        "-m",
        "eks_accelerators.accel",
        "simulate",
        "dev",
        *arguments,
        "--state",
        str(folder),
        "--json",
    ]


def servers(folder: Path) -> list[str]:
    """Command lines of what still runs for the simulation."""
    told = subprocess.run(["ps", "-e", "-o", "args="], capture_output=True, text=True, check=True).stdout
    return [line for line in told.splitlines() if str(folder) in line]


def interrupted(folder: Path, when: str, numbers: list[int]) -> tuple[int, str, str]:
    """Status, output and the end of what was said of a deployment that is told ``numbers`` once it says ``when``."""
    with subprocess.Popen(
        command(folder), cwd=PROJECT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stderr is not None
        try:
            line, deadline = "", time.monotonic() + PATIENCE_SECONDS
            while when not in line and time.monotonic() < deadline:
                line = process.stderr.readline()
            for number in numbers:
                # The terminal's Ctrl-C goes to everything that it has started.
                os.killpg(process.pid, number)
            out, err = process.communicate(timeout=PATIENCE_SECONDS)
        finally:
            process.kill()  # otherwise nobody ends it
    return process.returncode, out, "\n".join(told for told in err.splitlines() if told[:2] not in ("+ ", "! "))


@pytest.mark.parametrize(
    ("when", "numbers", "status"),
    [
        pytest.param("aws:ec2:Vpc", [signal.SIGINT], 130, id="at-the-beginning", marks=pytest.mark.thorough),
        pytest.param("aws:eks:NodeGroup", [signal.SIGINT], 130, id="in-the-middle"),
        pytest.param("aws:eks:Cluster", [signal.SIGTERM], 143, id="terminated", marks=pytest.mark.thorough),
        pytest.param(
            "aws:eks:Cluster",
            [signal.SIGINT, signal.SIGINT],
            130,
            id="by-somebody-impatient",
            marks=pytest.mark.thorough,
        ),
    ],
)
def test_a_deployment_that_is_interrupted_goes_on(tmp_path, when, numbers, status):
    folder = tmp_path / "state"

    found, out, err = interrupted(folder, when, numbers)
    assert (found, out) == (status, "")
    assert err == f"interrupted; the state is kept in {folder}: run it again, and it goes on from there"
    until(lambda: servers(folder) == [], why=lambda: str(servers(folder)))

    again = subprocess.run(command(folder), cwd=PROJECT, capture_output=True, text=True, check=False)
    report = json.loads(again.stdout)
    assert (again.returncode, report["ok"]) == (0, True), report["errors"]
    assert 0 < report["changes"]["create"] < 73
