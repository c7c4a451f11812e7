"""The command line: exit statuses, where output goes, and from where it can be run."""

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from eks_accelerators.accel.cli import app
from tests.accel.plans import ROOT, accel, python, write_stack

WARNING = {"cluster.endpoint.publicAccessCidrs": ["203.0.113.0/24"]}
ERROR = {"nodeGroups.gpu.size.desired": 9}


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.mark.parametrize(
    ("patch", "status"),
    [
        pytest.param({}, 0, id="no-problem"),
        pytest.param(WARNING, 0, id="warnings-only"),
        pytest.param(ERROR, 2, id="an-error"),
        pytest.param(WARNING | ERROR, 2, id="both"),
    ],
)
def test_errors_end_in_status_2_and_warnings_do_not(tmp_path, patch, status):
    assert run("check", write_stack(tmp_path, patch)).exit_code == status


def test_plan_and_check_end_alike():
    assert run("plan", ROOT / "stacks/Pulumi.dev.yaml").exit_code == 0


def test_problems_are_output_in_every_format(tmp_path):
    stack = write_stack(tmp_path, ERROR)

    for form in ([], ["--json"], ["--markdown"]):
        result = run("plan", stack, *form)
        assert (result.exit_code, result.stderr) == (2, "")
        assert "nodeGroups.gpu.size" in result.stdout


def test_json_is_all_of_the_output(tmp_path):
    stack = write_stack(tmp_path, {})

    problems = json.loads(run("check", stack, "--json").stdout)["problems"]
    assert [each for each in problems if each["severity"] == "error"] == []


def test_a_check_is_a_plan_without_resources():
    checked, planned = (json.loads(run(command, "dev", "--json").stdout) for command in ("check", "plan"))

    assert checked == {key: value for key, value in planned.items() if key not in ("resources", "outputs")}


@pytest.mark.parametrize("stack", ["nowhere", "stacks/Pulumi.nowhere.yaml"])
def test_an_unknown_stack_is_answered_with_those_there_are(stack, monkeypatch):
    monkeypatch.chdir(ROOT)
    result = run("check", stack)

    assert result.exit_code == 2
    assert "there is no such stack file" in result.stdout
    assert "name one of the stacks dev, prod, staging, or create the file" in result.stdout


def test_two_formats_at_a_time_are_refused():
    result = run("plan", "dev", "--json", "--markdown")

    assert (result.exit_code, result.stdout) == (2, "")
    assert "exclude each other" in result.stderr


@pytest.mark.parametrize(
    "arguments", [["frobnicate"], ["check"], ["check", "dev", "--frobnicate"], ["check", "a", "b"]]
)
def test_usage_errors_go_to_stderr(arguments):
    result = run(*arguments)

    assert (result.exit_code, result.stdout) == (2, "")
    assert "Usage" in result.stderr


def test_no_command_shows_the_help():
    assert "check" in run().output
    assert "plan" in run().output


@pytest.mark.parametrize("folder", [".", "stacks", "eks_accelerators/settings/model"])
def test_a_stack_is_found_from_any_folder_of_the_project(folder, monkeypatch):
    monkeypatch.chdir(ROOT / folder)

    assert json.loads(run("check", "dev", "--json").stdout)["nodeGroups"] != []


def test_a_path_is_planned_from_anywhere_by_the_program_beside_it(tmp_path):
    ran = accel("plan", ROOT / "stacks/Pulumi.dev.yaml", "--json", cwd=tmp_path)

    assert ran.returncode == 0
    assert len(json.loads(ran.stdout)["resources"]) > 50


def test_piped_output_has_no_colour_and_fits_no_terminal():
    ran = accel("check", "prod")

    assert (ran.returncode, ran.stderr) == (0, "")
    assert "\x1b" not in ran.stdout
    assert "aws.amazon.com/neuroncore: 64" in ran.stdout


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [
        pytest.param({"FORCE_COLOR": "1"}, True, id="forced"),
        pytest.param({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False, id="no-colour-wins"),
        pytest.param({"NO_COLOR": "1"}, False, id="no-colour", marks=pytest.mark.thorough),
        pytest.param({}, False, id="piped"),
    ],
)
def test_colour(environment, coloured):
    found = accel("check", "dev", **environment).stdout

    assert ("\x1b[33m" in found) == coloured


@pytest.mark.parametrize("columns", [60, *(pytest.param(each, marks=pytest.mark.thorough) for each in (80, 200))])
def test_words_stay_whole_at_any_width(columns):
    found = accel("check", "prod", COLUMNS=str(columns)).stdout
    tables = found.partition("Problems:")[0]

    for word in ("aws.amazon.com/neuroncore: 64", "trn2.48xlarge", "us-east-2a", "7,506.34"):
        assert word in tables
    assert max(map(len, tables.splitlines())) <= columns


@pytest.mark.parametrize("encoding", ["ascii", pytest.param("latin-1", marks=pytest.mark.thorough)])
def test_any_encoding_can_be_printed(encoding):
    ran = accel("plan", "dev", PYTHONIOENCODING=encoding)

    assert (ran.returncode, ran.stderr) == (0, "")


LOADED = """
import sys
from typer.testing import CliRunner
from eks_accelerators.accel.cli import app
CliRunner().invoke(app, {arguments!r})
print(*sorted(name for name in {heavy!r} if name in sys.modules))
"""


@pytest.mark.parametrize(
    ("arguments", "heavy"),
    [
        pytest.param(["--help"], ["boto3", "grpc", "pulumi", "pydantic", "yaml"], id="help-loads-nothing"),
        pytest.param(["check", "dev"], ["boto3", "grpc", "pulumi", "pulumi_aws"], id="check-loads-no-pulumi"),
        pytest.param(["check", "dev"], ["asyncio", "filelock", "platformdirs"], id="check-locks-nothing"),
        pytest.param(["check", "dev", "--json"], ["pulumi", "rich.console"], id="json-needs-no-terminal"),
        pytest.param(["plan", "dev"], ["boto3", "botocore"], id="plan-loads-no-client"),
    ],
)
def test_nothing_heavy_is_imported_where_it_is_not_needed(arguments, heavy):
    assert python(LOADED.format(arguments=arguments, heavy=heavy)).split() == []


def test_a_reader_that_leaves_early_sees_no_traceback():
    ran = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m eks_accelerators.accel check prod | head -n 1"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stderr == ""
