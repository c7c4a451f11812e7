"""`accel simulate` as a user runs it: commands one after the other on one folder, and what they print."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from eks_accelerators.accel.reports.registry import schema_of
from tests.accel.plans import accel_here
from tests.docs.pages import CUT, ROOT, blocks
from tests.polls import PATIENCE_SECONDS
from tests.simulator.worlds import PROJECT

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("engines")]

README = ROOT / "README.md"


def run(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "eks_accelerators.accel", "simulate", *arguments]
    # As wide as in a pipe, whatever the width of the test run's own terminal.
    environment = {**os.environ, "COLUMNS": "140"}
    return subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True, check=False, **options)


def refused(*arguments: str) -> str:
    """What the command says that starts nothing."""
    done = accel_here("simulate", *arguments, cwd=PROJECT)
    assert done.returncode == 2
    return done.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("simulation") / "state"


@pytest.fixture(scope="module")
def deployed(folder: Path) -> subprocess.CompletedProcess[str]:
    done = run("dev", "--state", str(folder))
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture(scope="module")
def again(folder: Path, deployed: Any) -> dict[str, Any]:
    done = run("dev", "up", "--state", str(folder), "--json", "--throttle", "5")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    jsonschema.validate(found, schema_of("simulate"))
    return found


def lines(text: str) -> set[str]:
    """Lines without what differs from run to run: generated names, addresses, moments, widths of columns."""
    text = re.sub(r"-[0-9a-f]{7,8}\b", "", re.sub(r"\bip-[\d-]+", "ip", text))
    text = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", "", text)
    return {" ".join(line.replace("─", "").split()) for line in text.splitlines()}


def test_the_readme_shows_a_deployment_of_today(deployed):
    (shown,) = [block for block in blocks(README, "text") if "up of dev" in block]

    assert lines(shown) - {CUT} - lines(deployed.stdout) == set()


def test_every_resource_is_told_in_a_line_of_its_own(deployed):
    assert len(re.findall(r"^\+ create   aws:ec2:Subnet  ", deployed.stdout, re.MULTILINE)) == 4
    assert "+ create   kubernetes:apps:Deployment  llama" in deployed.stdout
    assert "\x1b[" not in deployed.stdout, "colour, where nobody can see it"


def test_the_second_time_nothing_changes(again):
    assert again["ok"]
    assert (again["changes"], again["resources"], again["timeline"]) == ({}, [], None)


def test_pods_are_where_the_json_says(again):
    (node,) = [node for node in again["nodes"] if not node["system"]]
    (llama,) = [pod for pod in again["pods"] if pod["owner"] == "Deployment/llama"]

    assert node["accelerators"] == {"nvidia.com/gpu": {"allocatable": 4, "requested": 4}}
    assert (llama["count"], llama["phase"], llama["nodes"]) == (4, "Running", [node["name"]])


def test_throttled_calls_are_made_again(again):
    throttling = again["throttling"]

    assert throttling["throttled"] == throttling["calls"] // 5


def test_time_goes_on_and_not_back(folder, again):
    later = run("dev", "status", "--state", str(folder), "--at", "+2d", "--json")
    earlier = run("dev", "status", "--state", str(folder), "--at", "2020-01-01")

    assert json.loads(later.stdout)["clock"][:10] > again["clock"][:10]
    assert earlier.returncode == 2
    assert "does not run backwards" in earlier.stderr


@pytest.mark.thorough
def test_what_fails_is_said_and_the_state_is_kept(tmp_path):
    failed = run(
        "dev", "--state", str(tmp_path / "state"), "--fail", "NodeGroup:l4-shared=InsufficientInstanceCapacity"
    )
    fixed = run("dev", "--state", str(tmp_path / "state"), "--json")

    assert failed.returncode == 1
    assert "InsufficientInstanceCapacity" in failed.stdout
    assert json.loads(fixed.stdout)["ok"]


@pytest.mark.thorough
def test_a_fault_that_strikes_nothing_is_said(folder, deployed):
    done = run("dev", "up", "--state", str(folder), "--json", "--fail", "NodeGroup:nobody")

    assert (done.returncode, json.loads(done.stdout)["ok"]) == (0, True)
    assert "--fail NodeGroup:nobody: there was no create of it, so nothing failed" in done.stderr


REFUSED = [
    pytest.param(["dev", "--at", "yesterday"], "'yesterday' is no time", id="no-time"),
    pytest.param(["dev", "sideways"], "none of up, preview", id="no-action"),
    pytest.param(["dev", "--fail", "x/NodeGroup"], "TYPE[:NAME][=REASON]", id="no-fault"),
    pytest.param(["dev", "--account", "/nonexistent"], "No such file", id="no-account-file"),
    pytest.param(
        ["dev", "--account", str(PROJECT / ".pre-commit-hooks.yaml")], "the account has no keys", id="no-account"
    ),
    pytest.param(["dev", "status", "--state", "/nonexistent/state"], "there is no simulation", id="nothing-to-show"),
    pytest.param(["nope"], "name one of the stacks", id="no-stack"),
    pytest.param(["dev", "--state", str(PROJECT / "docs")], "is not a simulation", id="somebody-else's-folder"),
    pytest.param(["dev", "--fresh", "--state", str(PROJECT / "docs")], "nothing was removed", id="nothing-is-removed"),
]


@pytest.mark.parametrize(("arguments", "words"), REFUSED)
def test_what_cannot_be_simulated_is_one_clear_message(arguments, words, tmp_path):
    state = [] if "--state" in arguments else ["--state", str(tmp_path / "state")]

    assert words in refused(*arguments, *state)
    assert not (PROJECT / "docs" / "lock").exists(), "a folder that is somebody else's is not touched"


def test_an_account_file_with_mistakes_names_all_of_them(tmp_path):
    file = tmp_path / "account.yaml"
    file.write_text("quotas: {L-DB2E81BA: many}\ncapacityReservation: []\n")
    said = refused("dev", "--account", str(file), "--state", str(tmp_path / "state"))

    assert "quotas.L-DB2E81BA" in said
    assert "capacityReservation" in said


@pytest.mark.thorough
def test_an_account_file_comes_too_late_for_an_account(tmp_path):
    file, state = tmp_path / "account.yaml", tmp_path / "state"
    file.write_text("{}")
    run("dev", "preview", "--state", str(state))
    again = run("dev", "preview", "--account", str(file), "--state", str(state))

    assert again.stderr == f"--account {file}: not used, {state} has its account; --fresh starts over\n"


@pytest.mark.thorough
def test_a_reader_that_goes_away_ends_it(tmp_path):
    command = f"{sys.executable} -m eks_accelerators.accel simulate dev --state {tmp_path / 'state'} | head -1"
    done = subprocess.run(command, shell=True, cwd=PROJECT, capture_output=True, text=True, check=False)

    assert done.stdout.startswith("+ create")
    assert "Traceback" not in done.stderr


def test_kept_until_it_is_interrupted(folder, again):
    command = [
        sys.executable,
        "-m",
        "eks_accelerators.accel",
        "simulate",
        "dev",
        "status",
        "--keep",
        "--state",
        str(folder),
    ]
    with subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as kept:
        assert kept.stderr
        try:
            told, deadline = "", time.monotonic() + PATIENCE_SECONDS
            while "KUBECONFIG=" not in told and time.monotonic() < deadline:
                told += kept.stderr.readline()
            kubeconfig = Path(told.rpartition("KUBECONFIG=")[2].strip())
            assert kubeconfig.exists()
            kept.send_signal(signal.SIGINT)

            assert kept.wait(PATIENCE_SECONDS) == 0
        finally:
            kept.kill()  # otherwise nobody ends it


def test_a_preview_before_the_first_deployment_starts_no_cluster(tmp_path):
    """It needs the engine of Pulumi alone, and says what a first deployment makes, in AWS and in Kubernetes."""
    folder = tmp_path / "state"
    done = run("dev", "preview", "--state", str(folder), "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)

    assert not (folder / "kubernetes").exists()
    assert (found["nodes"], found["pods"], found["errors"]) == ([], [], [])
    made = {(each["operation"], each["type"]) for each in found["resources"]}
    assert {("create", "aws:eks/nodeGroup:NodeGroup"), ("create", "kubernetes:apps/v1:Deployment")} <= made
