"""`accel --simulated verify` of a deployed stack, over a real API server: what is broken is found, and then all is well again."""

import json
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import jsonschema
import pytest
from typer.testing import CliRunner

from eks_accelerators.accel.cli import app
from eks_accelerators.accel.reports.registry import schema_of
from eks_accelerators.accel.verify.kubernetes_cluster import KubernetesCluster
from eks_accelerators.simulator import engines as simulator_engines
from eks_accelerators.simulator.folder import own
from eks_accelerators.verification.check_pod import MANAGED, NAMESPACE
from eks_accelerators.verification.cluster import ClusterError
from eks_accelerators.verification.space import ALIVE
from tests.accel.plans import ROOT
from tests.polls import PATIENCE_SECONDS, until
from tests.simulator.control_planes import control_plane

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(deployments, tmp_path_factory):
    """The simulation of `dev`, deployed."""
    made = tmp_path_factory.mktemp("verified") / "state"
    shutil.copytree(deployments.state("dev"), made, symlinks=True)
    yield made
    shutil.rmtree(made)


def verify(folder, *options, stack="dev"):
    found = CliRunner().invoke(app, ["--simulation", str(folder), "verify", stack, "--json", *options])
    report = json.loads(found.stdout)
    jsonschema.validate(report, schema_of("verify"))
    return found.exit_code, report


def wrong(report):
    return [
        (each["code"], each["severity"])
        for each in report["findings"]
        if each["severity"] not in ("pass", "notVerified")
    ]


def test_a_fault_that_finds_no_node_says_which_it_is_of(folder):
    done = CliRunner().invoke(app, ["--simulation", str(folder), "verify", "dev", "--fault", "slow-link"])

    assert done.exit_code == 2
    assert (
        "--fault slow-link=25: there is no node that it could strike; it is of nodes with several GPUs" in done.stderr
    )


@pytest.mark.parametrize(
    ("fault", "code", "severity"),
    [
        ("xid=79:l4-shared", "gpu-xid", "reboot"),
        pytest.param("lost-gpu:l4-shared", "gpu-count", "isolate", marks=pytest.mark.thorough),
    ],
)
def test_a_fault_is_found_by_its_code(folder, fault, code, severity):
    status, broken = verify(folder, "--fault", fault)

    assert (status, wrong(broken)) == (2, [(code, severity)])


def test_a_fault_is_over_afterwards(folder):
    status, well = verify(folder, "--level", "thorough", "--yes")
    assert (status, wrong(well)) == (0, [])
    shares = [each["found"] for each in well["findings"] if each["code"] == "gpu-shares"]
    assert [found.partition(" on GPU-")[0] for found in shares] == ["4"]


LABELLED = ",".join(f"{key}={value}" for key, value in MANAGED.items())


@contextmanager
def cluster_of(folder):
    """The cluster of the simulation as a command has it, one at a time: its API server and Kubernetes' own controllers."""
    with own(folder), control_plane(simulator_engines.find(), folder / "kubernetes") as running:
        yield running.api


def made_by_verifications(api):
    """The namespace is the lock, too; pods of its Jobs have labels of their own."""
    pods = [each for each in api.list("v1", "Pod") if each["metadata"]["namespace"] == NAMESPACE]
    return [*api.list("v1", "Namespace", None, LABELLED), *api.list("batch/v1", "Job", None, LABELLED), *pods]


def nothing_is_left(folder):
    """Whether all is gone. The controllers end with the command, some of them before what is deleted is gone: they go on here."""
    with cluster_of(folder) as api:
        assert [each["metadata"]["name"] for each in made_by_verifications(api) if is_kept(each, api)] == []
        until(lambda: not made_by_verifications(api), why=lambda: str(made_by_verifications(api)))
        return True


def is_kept(made, api):
    """Whether nobody has deleted it, nor its namespace."""
    space = api.get("v1", "Namespace", made["metadata"].get("namespace") or made["metadata"]["name"])
    return not any("deletionTimestamp" in each["metadata"] for each in (made, space or made))


def test_nothing_is_left_in_the_cluster(folder):
    assert nothing_is_left(folder)


def test_a_damaged_simulation_is_told_of_in_one_line(folder):
    passphrase = folder / "passphrase"
    kept = passphrase.read_bytes()
    passphrase.write_bytes(b"another")
    try:
        found = CliRunner().invoke(app, ["--simulation", str(folder), "verify", "dev"])
    finally:
        passphrase.write_bytes(kept)

    assert (found.exit_code, found.stdout, found.stderr.count("\n")) == (2, "", 1)
    assert f"{passphrase} is damaged: it is not what the last command left; start again with --fresh" in found.stderr


def ended_in_the_midst(folder, number):
    """Exit status and words of a process that gets a signal while pods of its verification are in the cluster."""
    command = [sys.executable, "-m", "eks_accelerators.accel", "--simulation", str(folder), "verify", "dev"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            while not has_pods(folder):
                assert process.poll() is None, f"it ended before a pod was seen: {process.stdout.read()}"
                time.sleep(0.5)
        finally:
            process.send_signal(number)
        return process.wait(PATIENCE_SECONDS), process.stdout.read()


def has_pods(folder):
    try:
        return bool(KubernetesCluster(folder / "kubernetes" / "kubeconfig").list("pods", NAMESPACE))
    except ClusterError:
        return False  # the API server is not there yet


@pytest.mark.thorough
def test_who_presses_ctrl_c_leaves_nothing(folder):
    status, said = ended_in_the_midst(folder, signal.SIGINT)

    assert (status, said) == (128 + signal.SIGINT, "interrupted; nothing of it is left in the cluster\n")
    assert nothing_is_left(folder)


@pytest.mark.thorough
def test_what_a_killed_process_has_left_the_next_removes_and_says_so(folder):
    assert ended_in_the_midst(folder, signal.SIGKILL) == (-signal.SIGKILL, "")

    at_once = CliRunner().invoke(app, ["--simulation", str(folder), "verify", "dev"])
    assert (at_once.exit_code, at_once.stdout) == (3, "")
    assert "another verification is under way in this cluster" in at_once.stderr
    with cluster_of(folder):
        # As a minute and a half later, when nobody says any more that it is at work.
        file = folder / "kubernetes" / "kubeconfig"
        KubernetesCluster(file).annotate("namespaces", NAMESPACE, {ALIVE: "2026-01-01T00:00:00+00:00"})

    found = CliRunner().invoke(app, ["--simulation", str(folder), "verify", "dev"])
    assert found.exit_code == 0
    assert "removed the namespace accel-verify, which a verification that was killed had left\n" in found.stderr
    assert nothing_is_left(folder)


@pytest.mark.thorough
def test_a_block_is_looked_at_when_it_begins(deployments, tmp_path):
    shutil.copytree(deployments.state("prod"), tmp_path / "state", symlinks=True)
    options = ("--watch-block", "training", "--level", "standard", "--fault", "slow-link:h100")

    try:
        status, report = verify(tmp_path / "state", *options, stack="prod")
    finally:
        shutil.rmtree(tmp_path / "state")

    assert (status, wrong(report)) == (2, [("collective-bandwidth", "isolate")])
    assert {each["found"] for each in report["findings"] if each["code"] == "nodes-present"} == {"4 nodes"}
