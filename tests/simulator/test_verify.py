"""`accel --simulated verify` of a deployed stack, over a real API server: what is broken is found, and then all is well again."""

import json
import shutil

import jsonschema
import pytest
from typer.testing import CliRunner

from eks_accelerators.accel.cli import app
from eks_accelerators.accel.reports.registry import schema_of
from eks_accelerators.simulator import engines as simulator_engines
from eks_accelerators.simulator.kubernetes.control_plane import control_plane

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


def test_a_fault_is_found_by_its_code_and_is_over_afterwards(folder):
    status, broken = verify(folder, "--fault", "xid=79:l4-shared")
    assert (status, wrong(broken)) == (2, [("gpu-xid", "reboot")])

    status, well = verify(folder, "--level", "thorough", "--yes")
    assert (status, wrong(well)) == (0, [])
    shares = [each["found"] for each in well["findings"] if each["code"] == "gpu-shares"]
    assert [found.partition(" on GPU-")[0] for found in shares] == ["4"]


def test_nothing_is_left_in_the_cluster(folder):
    with control_plane(simulator_engines.find(), folder / "kubernetes") as running:
        spaces = [each["metadata"] for each in running.api.list("v1", "Namespace")]

    # The controllers stop with the command, some of them before what is deleted is gone.
    left = {each["name"] for each in spaces if "deletionTimestamp" not in each}
    assert "accel-verify" not in left


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
