"""`accel facts`: a type that the package lacks is asked of AWS once, and every command knows it from then on."""

import json
import shutil

import jsonschema
import pytest
import yaml
from typer.testing import CliRunner

from eks_accelerators.accel.cli import app
from eks_accelerators.accel.plan import plan
from eks_accelerators.accel.preflight.command import ask
from eks_accelerators.accel.reports.registry import schema_of
from eks_accelerators.accel.stacks import locate
from eks_accelerators.accelerators import clock, instance_types
from eks_accelerators.capacity.aws_calls import Aws
from eks_accelerators.capacity.aws_calls.recordings import RecordingClients
from eks_accelerators.capacity.facts.asker import Asker
from eks_accelerators.capacity.facts.type_from_aws import added
from eks_accelerators.settings.project import OWN_FACTS
from tests.accel.plans import ROOT
from tests.capacity.facts.test_round_trip import NEW, with_new_type
from tests.capacity.facts.world import product, world
from tests.capacity.fakes import FakeAws, judge, refusal
from tests.capacity.preflight.world import GOOD
from tests.conftest import NOW
from tests.settings.stack_files import document

REGION = "us-west-2"


def prices(parameters):
    wanted = {each["Field"]: each["Value"] for each in parameters["Filters"]}
    if wanted.get("instanceType") == NEW:
        return {"PriceList": [product({"regionCode": REGION}, 98.5), product({"regionCode": "us-gov-west-1"}, 120)]}
    return {"PriceList": []}


QUOTAS = {
    "Quotas": [
        {"QuotaCode": "L-417A185B", "QuotaName": "Running On-Demand P instances"},
        {"QuotaCode": "L-00000007", "QuotaName": "All P7 Spot Instance Requests"},
        {"QuotaCode": "L-0000000C", "QuotaName": "Concurrent P7-R100 Capacity Blocks per account"},
    ]
}
ANSWERS = {**with_new_type(), "get_products": prices, "list_aws_default_service_quotas": QUOTAS}


def record(folder, **changed):
    """A folder of recorded answers, in which AWS has the new type; botocore's models judge each."""
    with clock.set_to(NOW), Aws(RecordingClients(world(**{**ANSWERS, **changed}), folder)) as aws:
        found = added(Asker(aws, REGION, NOW.date()), NEW)
    for file in folder.iterdir():
        content = json.loads(file.read_text())
        for page in content.get("pages", []):
            judge(page, content["call"]["service"], content["call"]["operation"])
    return found


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project like this one, with a stack on the new type."""
    folder = tmp_path / "project"
    (folder / "stacks").mkdir(parents=True)
    for name in ("Pulumi.yaml", "__main__.py"):
        shutil.copy(ROOT / name, folder / name)
    patch = {
        "region": REGION,
        "network.create.zones": ["us-west-2a", "us-west-2b"],
        "nodeGroups.gpu.instanceType": NEW,
        "nodeGroups.gpu.zones": ["us-west-2b"],
    }
    text = yaml.safe_dump(document(patch), sort_keys=False)
    (folder / "stacks" / "Pulumi.dev.yaml").write_text(text, encoding="utf-8")
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def answers(tmp_path):
    record(tmp_path / "answers")
    return tmp_path / "answers"


def run(*arguments):
    with clock.set_to(NOW):
        return CliRunner().invoke(app, [str(argument) for argument in arguments])


def add(answers, *more):
    return run("facts", "add", NEW, "--region", REGION, "--from", answers, *more)


def test_a_type_is_found_and_what_is_unknown_is_said(project, answers, snapshot):
    result = add(answers)

    assert result.exit_code == 0, result.stderr
    assert result.stdout.replace(str(project), "PROJECT") == snapshot


def test_what_is_written_has_its_source_and_date(project, answers):
    add(answers)

    (row,) = json.loads((project / OWN_FACTS).read_text())["instance_types"]
    assert row["source"] == "EC2 DescribeInstanceTypes in us-west-2, 2026-11-20"
    assert row["price_source"] == dict.fromkeys((REGION, "us-gov-west-1"), "AWS price list AmazonEC2, 2026-11-20")
    assert row["quota"]["spot_code"] == "L-00000007"
    assert row["quota"]["capacity_block_account_code"] == "L-0000000C"
    assert row["offered_az_ids_us"] == {REGION: ["usw2-az2"]}


def test_every_command_knows_it(project, answers):
    """Before, none of them does."""
    assert run("check", "dev").exit_code == 2
    add(answers)

    checked = json.loads(run("check", "dev", "--json").stdout)
    planned = json.loads(run("plan", "dev", "--json").stdout)
    fit = run("fit", "--model", "Qwen/Qwen2.5-7B-Instruct", "--instances", NEW, "--region", REGION, "--json")

    assert [problem["code"] for problem in checked["problems"]] == []
    assert {line["usdPerHour"] for line in checked["cost"]["lines"] if NEW in line["name"]} == {"98.5000"}
    group = next(
        each for each in planned["resources"] if each["type"] == "aws:eks/nodeGroup:NodeGroup" and "gpu" in each["name"]
    )
    assert group["inputs"]["instanceTypes"] == [NEW]
    assert {row["instanceType"] for row in json.loads(fit.stdout)["rows"]} == {NEW}
    assert run("sharing", "check", project / "none.yaml", "--instance-type", NEW).exit_code == 2
    assert NEW in run("facts", "show", NEW).stdout


def test_a_preflight_asks_for_its_quota(project, answers):
    add(answers)

    with clock.set_to(NOW), Aws(FakeAws(dict(GOOD))) as aws:
        found = ask(plan(locate("dev")), aws, "111122223333")

    asked = json.dumps([call.parameters for call in aws.calls], default=str)
    assert "L-417A185B" in asked
    assert NEW in asked
    assert found


def test_fit_knows_a_type_that_the_stack_file_describes(project):
    described = {
        "source": "announcement of the family, 2026-11-20",
        "vcpus": 192,
        "memoryMib": 2097152,
        "accelerator": {"name": "R100", "count": 8, "memoryMib": 294912},
        "onDemandUsdPerHour": {REGION: 98.5},
    }
    path = project / "stacks" / "Pulumi.dev.yaml"
    stack = yaml.safe_load(path.read_text())
    stack["config"]["eks-accelerators:instanceTypes"] = {NEW: described}
    path.write_text(yaml.safe_dump(stack, sort_keys=False))

    found = run("fit", "--model", "Qwen/Qwen2.5-7B-Instruct", "--instances", NEW, "--stack", "dev", "--best")

    assert found.exit_code == 0, found.output
    assert f"instanceType: {NEW}" in found.stdout


def test_the_list_says_which_are_ones_own(project, answers):
    add(answers)

    rows = json.loads(run("facts", "list", "--json").stdout)["instanceTypes"]

    assert [row["name"] for row in rows if row["own"]] == [NEW]
    assert len(rows) == len(instance_types.every())
    assert all(row["source"] for row in rows)
    assert NEW in run("facts", "list").stdout


def test_the_json_is_what_the_schemas_allow(project, answers):
    for command in (("add", NEW, "--region", REGION, "--from", answers), ("show", NEW), ("remove", NEW)):
        jsonschema.validate(json.loads(run("facts", *command, "--json").stdout), schema_of(f"facts {command[0]}"))


def test_a_type_is_forgotten(project, answers):
    add(answers)

    assert run("facts", "remove", NEW).exit_code == 0
    assert run("facts", "show", NEW).exit_code == 2
    assert run("facts", "remove", NEW).exit_code == 2


def test_adding_again_replaces(project, answers):
    for _ in range(2):
        assert add(answers).exit_code == 0

    assert len(json.loads((project / OWN_FACTS).read_text())["instance_types"]) == 1


@pytest.mark.parametrize(
    ("name", "said"),
    [
        pytest.param("g6.xlarge", "the package has facts of g6.xlarge", id="shipped"),
        pytest.param("g4ad.xlarge", "AMD Radeon Pro V520", id="other-maker"),
        pytest.param("m7i.large", "has no accelerator", id="none"),
    ],
)
def test_what_is_not_asked_for(project, answers, name, said):
    result = run("facts", "add", name, "--from", answers)

    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
    assert not (project / OWN_FACTS).exists()


@pytest.mark.parametrize(
    ("changed", "status", "said"),
    [
        pytest.param(
            {"describe_instance_types": refusal("InvalidInstanceType")}, 2, "name a region that has it", id="not-there"
        ),
        pytest.param(with_new_type("MI400X", "AMD"), 2, "no accelerators that this package serves", id="other-maker"),
        pytest.param(
            {"describe_instance_types": refusal("UnauthorizedOperation", status=403)}, 3, "may not", id="denied"
        ),
    ],
)
def test_what_aws_does_not_give(project, tmp_path, changed, status, said):
    with pytest.raises(Exception, match=said):
        record(tmp_path / "answers", **changed)

    result = add(tmp_path / "answers")

    assert (result.exit_code, result.stdout) == (status, "")
    assert said in result.stderr


def test_without_prices_the_type_is_added_and_they_are_unknown(project, tmp_path):
    record(tmp_path / "answers", get_products=refusal("AccessDeniedException"))

    result = add(tmp_path / "answers", "--json")

    found = json.loads(result.stdout)
    assert result.exit_code == 0
    assert found["instanceType"]["on_demand_usd_per_hour"] == {}
    assert any(line.startswith("pricing:GetProducts") for line in found["unknown"])


def test_quotas_without_the_name_of_the_family_are_unknown(project, tmp_path):
    record(tmp_path / "answers", list_aws_default_service_quotas={"Quotas": QUOTAS["Quotas"][:1]})

    unknown = json.loads(add(tmp_path / "answers", "--json").stdout)["unknown"]

    assert [line.partition(" of p7")[0] for line in unknown if line.startswith("quota")] == [
        "quota of Spot Instances",
        "quota of Capacity Blocks",
    ]


def test_a_folder_that_is_none(project, tmp_path):
    result = add(tmp_path / "nowhere")

    assert (result.exit_code, "no folder of recorded answers" in result.stderr) == (3, True)


def test_a_broken_file_stops_no_other_command(project, answers):
    (project / OWN_FACTS).parent.mkdir()
    (project / OWN_FACTS).write_text("{")

    assert run("facts", "list").exit_code == 0
    assert add(answers).exit_code != 0
