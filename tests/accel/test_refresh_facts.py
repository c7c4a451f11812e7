"""`tools/refresh_facts.py` as people and the workflow run it, on recorded answers."""

import json
import shutil

import jsonschema
import pytest
import typer
from typer.testing import CliRunner

from eks_accelerators.accel.facts.refresh import RefreshOptions, refresh
from eks_accelerators.accel.reports.registry import schema_of
from eks_accelerators.accelerators import clock, data, iam_actions
from eks_accelerators.capacity.aws_calls import Aws
from eks_accelerators.capacity.aws_calls.recordings import RecordingClients
from eks_accelerators.capacity.facts.asker import Asker
from eks_accelerators.capacity.facts.refresh import refreshed
from eks_accelerators.capacity.facts.registry import MADE
from eks_accelerators.capacity.facts.type_from_aws import added
from tests.accel.plans import ROOT, python
from tests.accel.test_facts import ANSWERS, NEW, REGION
from tests.capacity.facts.test_round_trip import FOLDER, changed_type, quotas_with, versions_with
from tests.capacity.facts.world import world
from tests.capacity.fakes import judge, refusal
from tests.conftest import NOW
from tests.scripts import loaded

QUICK = ("quotas", "kubernetes-versions")
"""Files that are made from one call each."""
NEWER = {
    **versions_with({"clusterVersion": "1.38", "endOfStandardSupportDate": "2028-03-01T00:00:00Z"}),
    **quotas_with(L_0000000C="Concurrent P7-R100 Capacity Blocks per account"),
}


def record(folder, names=QUICK, **changed):
    """A folder with the answers that the files called ``names`` are made from."""
    with Aws(RecordingClients(world(**changed), folder)) as aws:
        list(refreshed(Asker(aws, "us-east-1", NOW.date()), FOLDER, names))
    return folder


@pytest.fixture
def files(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    for name in data.names():
        shutil.copy(FOLDER / f"{name}.json", folder)
    return folder


def run(files, answers, *more, names=QUICK):
    """The script itself."""
    app = typer.Typer()
    app.command()(loaded(ROOT / "tools" / "refresh_facts.py").main)
    arguments = [*names, "--into", files, "--from", answers, *more]
    with clock.set_to(NOW):
        return CliRunner().invoke(app, [str(each) for each in arguments], input="n\n")


def content(files):
    return {file.name: file.read_text() for file in files.iterdir()}


def test_what_changes_is_shown_and_then_written(files, tmp_path, snapshot):
    before = content(files)

    result = run(files, record(tmp_path / "answers", **NEWER), "--yes")

    assert result.exit_code == 0, result.output
    assert result.stdout == snapshot
    after = content(files)
    assert {name for name in after if after[name] != before[name]} == {"quotas.json", "kubernetes-versions.json"}
    added = [line for line in after["quotas.json"].splitlines() if line not in before["quotas.json"].splitlines()]
    assert len(added) == 4, "the quota, a comma on the line before, and in two lines who answered"
    assert json.loads(after["kubernetes-versions.json"])["answered"] == {
        'versions["1.38"]': "EKS DescribeClusterVersions in us-east-1, 2026-11-20"
    }


def test_written_once_nothing_changes_any_more(files, tmp_path):
    answers = record(tmp_path / "answers", **NEWER)
    run(files, answers, "--yes")

    result = run(files, answers, "--check")

    assert (result.exit_code, result.stdout.splitlines()[-1]) == (0, "No value changes.")


@pytest.mark.parametrize("more", [("--check",), ()], ids=["check", "no-at-the-question"])
def test_nothing_is_written_without_a_yes(files, tmp_path, more):
    before = content(files)

    result = run(files, record(tmp_path / "answers", **NEWER), *more)

    assert result.exit_code == 2
    assert '+ versions["1.38"]' in result.stdout
    assert content(files) == before


def test_a_yes_at_the_question_writes(files, tmp_path):
    asked = []
    options = RefreshOptions(files, QUICK, recorded=record(tmp_path / "answers", **NEWER))

    status = refresh(options, lambda question: not asked.append(question))

    assert (status, asked) == (0, ["Write quotas.json, kubernetes-versions.json?"])
    assert "1.38" in (files / "kubernetes-versions.json").read_text()


def test_what_is_not_answered_is_said_and_the_rest_is_written(files, tmp_path):
    answers = record(
        tmp_path / "answers", **{**NEWER, "describe_cluster_versions": refusal("AccessDenied", status=403)}
    )

    result = run(files, answers, "--yes")

    assert result.exit_code == 3
    assert "not answered: eks:DescribeClusterVersions: the caller may not ask this (AccessDenied)" in result.stdout
    assert "P7-R100" in (files / "quotas.json").read_text()
    assert (files / "kubernetes-versions.json").read_text() == (FOLDER / "kubernetes-versions.json").read_text()


@pytest.mark.parametrize(
    ("more", "status"), [((), 2), (("--yes",), 0), (("--yes", "--check"), 2)], ids=["json", "yes", "check"]
)
def test_as_json_nothing_is_asked_and_yes_alone_writes(files, tmp_path, snapshot, more, status):
    before = content(files)

    result = run(files, record(tmp_path / "answers", **NEWER), "--json", *more)

    report = json.loads(result.stdout)
    jsonschema.validate(report, schema_of("tools/refresh_facts.py"))
    assert result.exit_code == status
    assert report.pop("written") is (content(files) != before) is (status == 0)
    assert report == snapshot(name="report")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        pytest.param("models", "by hand: the models' own configurations", id="by-hand"),
        pytest.param("price", "no such file; there are instance-types, ", id="no-such-file"),
    ],
)
def test_what_no_command_makes(files, tmp_path, name, said):
    result = run(files, tmp_path, names=[name])

    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr


def test_without_answers_or_credentials_nobody_can_be_asked(files, tmp_path):
    result = run(files, tmp_path / "nowhere")

    assert result.exit_code == 3
    assert "no folder of recorded answers" in result.stderr


def test_the_script_needs_nothing_but_the_package():
    assert "Usage" in python(
        "import sys, runpy; sys.argv = ['x', '--help']; runpy.run_path('tools/refresh_facts.py', run_name='__main__')"
    )


def test_recorded_answers_are_ones_that_aws_can_give(tmp_path):
    """Every field of every answer that these tests use is one of botocore's models."""
    for file in record(tmp_path / "answers", names=MADE).iterdir():
        recorded = json.loads(file.read_text())
        for page in recorded["pages"]:
            judge(page, recorded["call"]["service"], recorded["call"]["operation"])


# The policy


def actions_of(calls):
    return {call.name for call in calls if call.service != "sts"}


def test_the_policy_allows_what_a_refresh_asks_and_nothing_else():
    with Aws(world()) as aws:
        list(refreshed(Asker(aws, "us-east-1", NOW.date()), FOLDER))
        asked = actions_of(aws.calls)

    assert asked == set(iam_actions.facts_policy()["Statement"][0]["Action"])


def test_adding_a_type_asks_nothing_more():
    with Aws(world(**ANSWERS)) as aws:
        added(Asker(aws, REGION, NOW.date()), NEW)
        asked = actions_of(aws.calls)

    assert asked < set(iam_actions.facts_policy()["Statement"][0]["Action"])


def test_a_changed_type_reaches_the_file(files, tmp_path):
    """The whole way of one value of the largest file."""
    answers = record(
        tmp_path / "answers", ["instance-types"], **changed_type("p5.48xlarge", VCpuInfo={"DefaultVCpus": 96})
    )

    result = run(files, answers, "--yes", names=["instance-types"])

    assert result.exit_code == 0
    before, after = (folder / "instance-types.json" for folder in (FOLDER, files))
    different = [
        new
        for old, new in zip(
            [line for line in before.read_text().splitlines() if line.startswith('  {"instance_type"')],
            [line for line in after.read_text().splitlines() if line.startswith('  {"instance_type"')],
            strict=True,
        )
        if old != new
    ]
    assert [json.loads(line.rstrip(","))["instance_type"] for line in different] == ["p5.48xlarge"]
