"""The way from a search to the end of a Capacity Block, as `docs/capacity-blocks.md` shows it: walked, on simulated AWS."""

import os
import re
import shlex
import shutil
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from eks_accelerators.accel.cli import app
from eks_accelerators.accelerators import clock
from eks_accelerators.simulator import engines
from tests.conftest import NOW
from tests.docs.pages import ROOT, blocks, text

PAGE = ROOT / "docs" / "capacity-blocks.md"
LINE = "      reservationId: cr-"


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A copy of the program with the stack `trial`, whose block is yet to be bought."""
    for name in ("Pulumi.yaml", "__main__.py"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / ".tools").symlink_to(ROOT / ".tools")
    stacks = tmp_path / "stacks"
    stacks.mkdir()
    lines = text(ROOT / "stacks" / "Pulumi.prod.yaml").splitlines(keepends=True)
    kept = [line for line in lines if not line.startswith(LINE)]
    assert len(kept) == len(lines) - 1
    (stacks / "Pulumi.trial.yaml").write_text("".join(kept), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "140")  # as in a pipe, whatever the width of the test run's own
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path


def shown_commands():
    found = [line for block in blocks(PAGE, "sh") for line in block.splitlines()]
    return [line for line in found if line.startswith(("accel --simulated", "accel simulate trial", "sed -i "))]


def shown_outputs():
    section = text(PAGE).partition("### The way, on simulated AWS")[2].partition("\n### ")[0]
    return re.findall(r"^```text\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)


def walked(commands):
    """What each command prints. The account begins at `NOW`, and keeps its own time."""
    return [answer_of(line) for line in commands]


def answer_of(line):
    if line.startswith("sed "):
        return subprocess.run(line, shell=True, check=True, capture_output=True, text=True).stdout
    return simulated(line) if line.startswith("accel simulate") else asked(line)


def asked(line):
    with clock.set_to(NOW):
        result = CliRunner().invoke(app, shlex.split(line)[1:])
    assert result.exit_code == 0, result.output
    return result.stdout


def simulated(line):
    command = [sys.executable, "-m", "eks_accelerators.accel", *shlex.split(line)[1:]]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def tidy(output):
    return [line.rstrip() for line in output.splitlines() if line.strip()]


def test_search_and_purchase_are_answered_so(project):
    commands, shown = shown_commands()[:4], shown_outputs()[:4]

    assert [tidy(output) for output in walked(commands)] == [tidy(output) for output in shown]


@pytest.mark.engines
@pytest.mark.thorough
def test_the_whole_way(project):
    try:
        engines.find(start=ROOT)
    except engines.MissingEnginesError as error:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(str(error))

    outputs = walked(shown_commands())

    answers = [output for output, line in zip(outputs, shown_commands(), strict=True) if "--simulated" in line]
    assert [tidy(output) for output in answers] == [tidy(output) for output in shown_outputs()]
    deployed, first, over, second = [
        output for output, line in zip(outputs, shown_commands(), strict=True) if line.startswith("accel simulate")
    ]
    on_nodes = [
        len(re.findall(r"  p5\.48xlarge +us-east-2a +h100", output)) for output in (deployed, first, over, second)
    ]
    assert on_nodes == [0, 4, 0, 4]
    assert "update   aws:ec2:LaunchTemplate  h100" in over
