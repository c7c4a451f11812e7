"""`accel blocks search` against a simulated account."""

import json
import re

import pytest
from typer.testing import CliRunner

from eks_accelerators.accel.cli import app
from eks_accelerators.accelerators import clock
from tests.accel.plans import ROOT, write_stack
from tests.conftest import NOW

PROD = str(ROOT / "stacks" / "Pulumi.prod.yaml")


H100 = {"instanceType": "p5.48xlarge", "capacityBlock": "block", "size": {"max": 1}}


@pytest.fixture
def accel(tmp_path, monkeypatch):
    """The command line, over a simulation of its own: what is on sale there depends on the day, which stands still."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))

    def run(*arguments, simulation=tmp_path / "simulation"):
        with clock.set_to(NOW):
            return CliRunner().invoke(app, ["--simulation", str(simulation), "blocks", *map(str, arguments)])

    return run


def test_the_offerings_for_a_node_group(accel):
    result = accel("search", "--stack", PROD, "--group", "h100", "--days", 3)

    assert result.exit_code == 0
    head, columns = result.stdout.splitlines()[0], result.stdout.splitlines()[2]
    assert head == "On sale: 4 x p5.48xlarge for 3 days"
    assert columns.split() == [
        "offering",
        "zone",
        "start",
        "(UTC)",
        "end",
        "(UTC)",
        "hours",
        "$",
        "up",
        "front",
        "instance",
        "accelerator",
        "demand",
        "note",
    ]
    assert len(re.findall(r"^cb-[0-9a-f]{17} ", result.stdout, re.MULTILINE)) == 6
    assert re.search(
        r"^To buy the cheapest: accel --simulated blocks buy cb-\w+ --max-price [0-9.]+ --stack \S+ --group h100$",
        result.stdout,
        re.MULTILINE,
    )
    assert "Assumed: Capacity Blocks on sale are made up" in result.stdout


@pytest.mark.parametrize(
    ("zones", "unsuitable"),
    [
        pytest.param(["us-east-2a", "us-east-2b"], {"us-east-2c"}, id="a-zone-without-a-subnet"),
        pytest.param(["use2-az1", "use2-az2"], set(), id="zones-whose-names-only-aws-knows"),
    ],
)
def test_what_the_node_group_could_not_use_is_marked_and_not_proposed(accel, tmp_path, zones, unsuitable):
    block = {"capacityBlocks.block.reservationId": "cr-0123456789abcdef0", "nodeGroups.gpu": H100, "workloads": {}}
    stack = write_stack(tmp_path, {"network.create.zones": zones, **block})

    search = ("search", "--stack", stack, "--group", "gpu", "--days", 3)
    found, text = json.loads(accel(*search, "--json").stdout), accel(*search).stdout
    assert {each["zone"] for each in found["offerings"] if "unsuitable" in each["notes"]} == unsuitable
    (cheapest,) = (each for each in found["offerings"] if "cheapest" in each["notes"])
    assert cheapest["zone"] not in unsuitable
    assert f"To buy the cheapest: accel --simulated blocks buy {cheapest['id']} " in text


def test_all_regions_at_once(accel):
    result = accel("search", "--stack", PROD, "--group", "h100", "--days", 3, "--all-regions", "--json")
    found = json.loads(result.stdout)

    assert result.exit_code == 0
    assert {each["region"] for each in found["offerings"]} == {"us-east-2"}
    assert {"us-east-1", "us-west-2", "eu-north-1"} <= set(found["without"])
    assert found["unasked"] == []
    assert found["wanted"] == {"instanceType": "p5.48xlarge", "instanceCount": 4, "hours": 72, "from": None, "to": None}
    assert sorted(note for each in found["offerings"] for note in each["notes"]) == ["cheapest", "earliest"]


def test_none_is_an_answer(accel):
    result = accel(
        "search", "--stack", PROD, "--type", "p5.48xlarge", "--count", 4, "--days", 3, "--region", "eu-west-1"
    )

    assert (result.exit_code, result.stdout.splitlines()[0]) == (
        0,
        "None on sale (4 x p5.48xlarge for 3 days): eu-west-1",
    )


def test_the_account_is_the_same_the_next_time_without_its_stack(accel):
    wanted = ("--type", "trn1.32xlarge", "--count", 1, "--days", 1, "--json")

    first, second = accel("search", "--stack", PROD, *wanted), accel("search", *wanted)

    assert json.loads(first.stdout)["offerings"] == json.loads(second.stdout)["offerings"] != []


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        pytest.param(["--days", 3], "what is wanted? Missing: --type, --count;", id="nothing-named"),
        pytest.param(["--group", "h100", "--days", 3], "name the stack with --stack", id="a-group-of-no-stack"),
        pytest.param(
            ["--stack", PROD, "--group", "h10", "--days", 3],
            "the stack prod has no node group called h10: did you mean h100?",
            id="no-such-group",
        ),
        pytest.param(
            ["--stack", PROD, "--group", "h100", "--type", "p5e.48xlarge", "--days", 3],
            "--type p5e.48xlarge differs from p5.48xlarge of the node group h100",
            id="two-types",
        ),
        pytest.param(
            ["--stack", PROD, "--group", "h100", "--days", 15], "no Capacity Block lasts 360 hours", id="fifteen-days"
        ),
        pytest.param(
            ["--stack", PROD, "--group", "h100", "--days", 3, "--from", "soon"], "'soon' is no time", id="no-time"
        ),
        pytest.param(
            ["--stack", PROD, "--group", "h100", "--days", 3, "--all-regions", "--region", "us-east-1"],
            "--region and --all-regions exclude each other",
            id="all-and-one",
        ),
        pytest.param(
            ["--type", "p5.48xlarge", "--count", 4, "--days", 3], "there is no simulation in", id="an-account-of-nobody"
        ),
    ],
)
def test_what_cannot_be_searched_is_a_line(accel, arguments, line):
    result = accel("search", *arguments)

    assert (result.exit_code, result.stdout) == (2, "")
    assert line in result.stderr


def test_a_simulated_account_is_that_of_a_stack():
    result = CliRunner().invoke(
        app, ["--simulated", "blocks", "search", "--type", "p5.48xlarge", "--count", "1", "--days", "1"]
    )

    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "whose simulated account? Name the stack with --stack, or a folder with --simulation\n"


def test_a_profile_that_is_not_there_is_a_line(monkeypatch):
    monkeypatch.setenv("AWS_PROFILE", "nobody")

    result = CliRunner().invoke(app, ["blocks", "search", "--type", "p5.48xlarge", "--count", "1", "--days", "1"])

    line = "The config profile (nobody) could not be found: name one that is there, by AWS_PROFILE or aws:profile\n"
    assert (result.exit_code, result.stderr) == (3, line)
