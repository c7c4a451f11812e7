"""Tests that need engines: skipped and counted where these are missing, a failure in CI."""

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from eks_accelerators.accel.cli import app
from eks_accelerators.accel.exit_status import ExitStatus
from eks_accelerators.accel.simulate.command import simulate
from eks_accelerators.accel.simulate.options import Action, Options
from eks_accelerators.accel.stacks import StackLocation
from eks_accelerators.simulator import engines
from tests.simulator.lives import every, to
from tests.simulator.worlds import stack_file

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
        env={"PATH": str(folder), "PYTHONPATH": str(folder), "HOME": str(Path.home()), **environment},
        capture_output=True,
        text=True,
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


NODES_OF_KARPENTER = every(
    to("nodeGroups.l4-shared", {"instanceType": "g6.2xlarge", "size": {"max": 2}, "autoscaler": "karpenter"}),
    to("workloads.vllm.llama.replicas", 1),
)


@pytest.mark.parametrize(
    ("stack", "change", "missing"),
    [
        pytest.param("dev", None, "prometheus", id="whoever-shows-alerts"),
        pytest.param("dev", NODES_OF_KARPENTER, "prometheus and karpenter", id="whoever-adds-nodes"),
        pytest.param(
            "staging",
            None,
            "prometheus, keda-operator, keda-metrics-server and cluster-autoscaler",
            id="whoever-adds-servers-too",
        ),
        pytest.param(
            "prod", None, "prometheus, keda-operator, keda-metrics-server and cluster-autoscaler", id="beside-a-block"
        ),
    ],
)
def test_a_load_names_the_further_engines_that_it_lacks(tmp_path, monkeypatch, capsys, stack, change, missing):
    """The first ones are there; nothing is started, and nothing written."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in engines.ENGINES:
        (tools / name).touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(engines, "_tool_folders", lambda _start: iter([tools]))
    file = stack_file(tmp_path / "stacks", stack, change)

    status = simulate(StackLocation(stack, file, ROOT), Options(Action.LOAD, tmp_path / "state"))

    said = capsys.readouterr().err
    assert (status, said) == (
        ExitStatus.REFUSED,
        f"missing {missing}. Run `make engines MORE=1`, or put them on PATH\n",
    )
    assert not (tmp_path / "state").exists()
