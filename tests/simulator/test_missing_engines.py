"""Tests that need engines: skipped and counted where these are missing, a failure in CI."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from eks_accelerators.accel.cli import app
from eks_accelerators.simulator import engines

ROOT = Path(__file__).parents[2]
HIDE = """
from pathlib import Path
from eks_accelerators.simulator import engines
engines._REPOSITORY = Path("nowhere")
"""


def run(folder, *arguments, **environment):
    """Run a test that needs engines where there are none; workers load the plugin too."""
    (folder / "hide_engines.py").write_text(HIDE)
    test = f"{ROOT}/tests/simulator/test_control_plane.py::test_the_kubeconfig_is_complete"
    options = ["-c", f"{ROOT}/pyproject.toml", "-p", "no:cacheprovider", "-p", "hide_engines"]
    return subprocess.run(
        [sys.executable, "-m", "pytest", *options, *arguments, test],
        cwd=folder,
        env={"PATH": str(folder), "PYTHONPATH": str(folder), "HOME": os.environ["HOME"], **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("arguments", [[], ["-n1"]])
def test_they_are_skipped_and_counted(tmp_path, arguments):
    done = run(tmp_path, *arguments)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 skipped" in done.stdout
    assert "1 engine tests skipped: missing pulumi, etcd, " in done.stdout
    assert "Run `make engines`, or put them on PATH" in done.stdout


def test_in_ci_it_is_a_failure(tmp_path):
    done = run(tmp_path, CI="true")

    assert done.returncode == 1
    assert "missing pulumi, etcd, " in done.stdout


@pytest.mark.parametrize(
    ("options", "needed"),
    [
        (["preview"], "pulumi."),
        (["preview", "--fresh"], "pulumi."),
        (["preview", "--keep"], "pulumi, etcd, kube-apiserver, kube-controller-manager, kube-scheduler and kwok."),
        (["up"], "pulumi, etcd, kube-apiserver, kube-controller-manager, kube-scheduler and kwok."),
    ],
)
def test_a_command_asks_for_what_it_needs(tmp_path, monkeypatch, options, needed):
    """A preview before there is a cluster starts none."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(engines, "_tool_folders", lambda _start: iter([tmp_path]))
    ran = CliRunner().invoke(app, ["simulate", "dev", *options, "--state", str(tmp_path / "new")])

    assert (ran.exit_code, f"missing {needed}" in ran.stderr) == (2, True), ran.stderr


def test_a_preview_of_a_cluster_that_is_there_asks_for_its_engines(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(engines, "_tool_folders", lambda _start: iter([tmp_path]))
    (tmp_path / "there" / "kubernetes").mkdir(parents=True)
    ran = CliRunner().invoke(app, ["simulate", "dev", "preview", "--state", str(tmp_path / "there")])

    assert "kwok." in ran.stderr
