"""Every command: one report, one way to print it, a schema that allows nothing else, and one meaning of its exit status."""

import ast
import json
from pathlib import Path

import jsonschema
import pytest
from typer.main import get_command
from typer.testing import CliRunner

from eks_accelerators import accel
from eks_accelerators.accel import emit
from eks_accelerators.accel.cli import app
from eks_accelerators.accel.exit_status import ExitStatus
from eks_accelerators.accel.renderers import markdown
from eks_accelerators.accel.reports import blocks, json_page
from eks_accelerators.accel.reports.base import Report, ReportPart
from eks_accelerators.accel.reports.registry import OF_SCRIPTS, REPORTS, schema_of
from tests.accel.plans import ROOT
from tests.accel.test_blocks_commands import Place
from tests.accel.test_nasty_text import names

LLAMA = "meta-llama/Llama-3.2-1B"
LAYOUT = "3g.40gb=1,1g.20gb=2"
COMMANDS = {
    "check": ["check", "prod"],
    "plan": ["plan", "prod"],
    "policy": ["policy", "deploy", "dev"],
    "fit": ["fit", "--model", LLAMA],
    "images": ["images"],
    "sharing check": ["sharing", "check", "FILE", "--instance-type", "g6.xlarge"],
    "mig check": ["mig", "check", "p5.48xlarge", LAYOUT],
    "monitoring dashboards": ["monitoring", "dashboards", "prod", "--output", "FOLDER"],
    "preflight": ["--simulation", "FOLDER", "preflight", "dev"],
    "blocks search": ["search", "--group", "h100", "--days", "2"],
    "blocks buy": ["buy", "OFFERING", "--group", "h100", "--max-price", "99999", "--dry-run"],
    "blocks list": ["list"],
    "blocks show": ["show", "RESERVATION"],
    "blocks extend": ["extend", "RESERVATION", "--days", "2"],
    "blocks status": ["status"],
    "blocks calendar": ["calendar"],
    "facts list": ["facts", "list"],
    "facts show": ["facts", "show", "p5.48xlarge"],
}
"""How each command is asked that ends well; its JSON is held against its schema."""

ACTIONS = {"simulate load"}
"""Actions of a command that have a report of their own."""

ELSEWHERE = {*ACTIONS, "simulate", "verify", "facts add", "facts remove", "blocks clear", "blocks watch"}
"""Simulations need the engines (tests/simulator/test_command_line.py, tests/simulator/test_closed_loop.py, tests/accel/test_verify.py), the next two a type that is new (test_facts.py). Of the others there is nothing to clear, and nothing
comes of waiting, in an account whose clock stands: their reports are made below."""


def test_every_command_has_a_report_and_every_report_a_command():
    assert set(names(get_command(app))) == {*REPORTS, "schema"} - ACTIONS
    assert set(COMMANDS) | ELSEWHERE == set(REPORTS)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A simulated account with a block that was bought."""
    folder = tmp_path_factory.mktemp("account")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_STATE_HOME", str(folder / "state"))
        made = Place(folder)
        yield made, made.bought()


@pytest.fixture
def ask(place, tmp_path):
    """Run a command as it is in the table; a purchase in an account where nothing was bought."""
    bought, reservation = place
    file = tmp_path / "mps.yaml"
    file.write_text("version: v1\nsharing: {mps: {resources: [{name: nvidia.com/gpu, replicas: 2}]}}", encoding="utf-8")

    new = Place(tmp_path)

    def run(command, *options):
        words = {"FILE": str(file), "FOLDER": str(tmp_path / "simulation"), "RESERVATION": reservation}
        if command == "blocks buy":
            words["OFFERING"] = new.offer()["id"]
        arguments = [words.get(word, word) for word in COMMANDS[command]] + list(options)
        account = new if command == "blocks buy" else bought
        return account(*arguments) if command.startswith("blocks ") else CliRunner().invoke(app, arguments)

    return run


@pytest.mark.parametrize("command", COMMANDS)
def test_the_json_is_what_the_schema_allows_and_all_formats_come_from_one_function(ask, monkeypatch, command):
    emitted = []
    real = Report.as_data
    monkeypatch.setattr(Report, "as_data", lambda report: emitted.append(report) or real(report))

    result = ask(command, *([] if command == "policy" else ["--json"]))

    assert ExitStatus(result.exit_code) in (ExitStatus.DONE, ExitStatus.REFUSED), result.output
    schema = schema_of(command)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(result.stdout), schema)
    assert type(emitted[-1]) is REPORTS[command]
    assert markdown(emitted[-1]).strip()


def test_reports_that_no_simulated_account_gives(place):
    account, _ = place
    listed = json.loads(account("list", "--json").stdout)["blocks"]
    jsonschema.validate(blocks.WatchReport(**listed[0]).as_data(), schema_of("blocks watch"))
    cleared = blocks.ClearReport(cleared=("cb-0",), what="a block")
    jsonschema.validate(cleared.as_data(), schema_of("blocks clear"))


def objects(schema):
    if isinstance(schema, dict):
        if schema.get("type") == "object" and "properties" in schema:
            yield schema
        for value in schema.values():
            yield from objects(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from objects(value)


@pytest.mark.parametrize("command", [*REPORTS, *OF_SCRIPTS])
def test_a_schema_allows_no_other_key_and_says_what_each_means(command):
    for each in objects(schema_of(command)):
        assert each["additionalProperties"] is False
        for key, value in each["properties"].items():
            assert value.get("description"), key
        left_out = each["properties"].keys() - set(each["required"])
        assert left_out <= {"changes", "Condition"}


@pytest.mark.parametrize("command", [*REPORTS, *OF_SCRIPTS])
def test_the_schema_is_printed(command):
    assert json.loads(CliRunner().invoke(app, ["schema", *command.split()]).stdout) == schema_of(command)


def test_another_schema_is_answered_with_those_there_are():
    result = CliRunner().invoke(app, ["schema", "blocks", "bye"])

    assert (result.exit_code, result.stdout) == (ExitStatus.REFUSED, "")
    assert "blocks buy" in result.stderr


def test_the_page_is_current():
    written = json_page.PATH.read_text(encoding="utf-8")

    assert written == json_page.page(), "run `python -m eks_accelerators.accel.reports.json_page`"


def test_reports_are_not_changed():
    assert all(model.model_config["frozen"] for model in (ReportPart, *REPORTS.values(), *OF_SCRIPTS.values()))


SOURCES = [path for path in Path(accel.__path__[0]).rglob("*.py") if path.name != "exit_status.py"]


def calls(path):
    """The calls in a file: function by name, and arguments."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func), [ast.unparse(argument) for argument in node.args]


def test_nobody_ends_with_a_number_that_has_no_name():
    ends = {
        (path.name, argument)
        for path in SOURCES
        for function, arguments in calls(path)
        if function in ("typer.Exit", "sys.exit", "exit")
        for argument in arguments
        if argument.isdigit()
    }

    assert ends == set()


def test_nobody_but_emit_writes_json():
    writers = {path.name for path in SOURCES for function, _ in calls(path) if function == "json.dumps"}

    assert writers == {Path(emit.__file__).name, "cli.py", "policy.py", "render_changes.py", "difference.py"}


def test_no_report_is_a_dictionary_of_anything():
    """Programs are run with values of any kind, and settings are written as plain data; nothing that is found out is either."""
    free = {path.relative_to(accel.__path__[0]).as_posix() for path in SOURCES if "dict[str, Any]" in path.read_text()}

    assert free == {
        "facts/facts_file.py",
        "fit/fragment.py",
        "plan/engineless.py",
        "plan/recorder.py",
        "verify/gangs.py",  # it writes manifests
    }


def test_every_status_is_documented():
    page = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")

    assert all(f"| {status.value} | {status.meaning} |" in page for status in ExitStatus)
