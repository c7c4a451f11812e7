"""Nothing that others wrote does anything where a command shows it: not in a terminal, in Markdown, in HTML or in JSON."""

import json
import re
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from io import StringIO

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from eks_accelerators.accel.blocks.calendar_html import page
from eks_accelerators.accel.cli import app
from eks_accelerators.accel.exit_status import ExitStatus
from eks_accelerators.accel.markdown_text import cell, code, fence, plain, prose
from eks_accelerators.accel.render_text import console
from eks_accelerators.accel.renderers import markdown
from eks_accelerators.accel.report import check_stack
from eks_accelerators.accel.stacks import locate
from eks_accelerators.accel.streams import Escaped
from eks_accelerators.accel.tables import print_table
from eks_accelerators.capacity.blocks.account_reservations import AccountReservation
from eks_accelerators.capacity.blocks.calendar import Lane
from eks_accelerators.settings.printable import one_line, shown
from tests.accel.nasty import NASTY, unseen
from tests.accel.plans import text as terminal
from tests.accel.plans import write_stack
from tests.accel.test_bad_inputs import project, run_main  # noqa: F401  (a fixture)

ALL = "".join(NASTY.values())
ID = "cr-0123456789abcdef0"

COMMANDS = {
    "check": ["check", "STACK"],
    "plan": ["plan", "STACK"],
    "preflight": ["preflight", "STACK"],
    "verify": ["verify", "STACK", "--kubeconfig", "TEXT", "--context", "TEXT", "--watch-block", "TEXT"],
    "policy": ["policy", "deploy", "STACK"],
    "schema": ["schema", "TEXT"],
    "simulate": ["simulate", "STACK", "preview"],
    "fit": ["fit", "--model", "TEXT", "--instances", "TEXT", "--region", "TEXT"],
    "images": ["images"],
    "sharing check": ["sharing", "check", "FILE", "--instance-type", "TEXT"],
    "mig check": ["mig", "check", "TEXT", "TEXT"],
    "monitoring dashboards": ["monitoring", "dashboards", "STACK", "--output", "TEXT", "--without", "TEXT"],
    "blocks search": ["blocks", "search", "--stack", "STACK", "--group", "TEXT"],
    "blocks buy": ["blocks", "buy", "TEXT", "--max-price", "1", "--stack", "STACK"],
    "blocks extend": ["blocks", "extend", ID, "--days", "1", "--max-price", "TEXT"],
    "blocks clear": ["blocks", "clear", "TEXT"],
    "blocks list": ["blocks", "list", "--stack", "STACK"],
    "blocks show": ["blocks", "show", "TEXT"],
    "blocks status": ["blocks", "status", "--stack", "STACK"],
    "blocks watch": ["blocks", "watch", "TEXT"],
    "blocks calendar": ["blocks", "calendar", "--stack", "STACK"],
    "facts add": ["facts", "add", "TEXT", "--from", "TEXT"],
    "facts remove": ["facts", "remove", "TEXT"],
    "facts list": ["facts", "list"],
    "facts show": ["facts", "show", "TEXT"],
}
"""How each command is asked. STACK and FILE are files that hold nasty text, TEXT is such a text itself."""


def names(group, before=()):
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            yield from names(command, (*before, name))
        else:
            yield " ".join((*before, name))


def test_every_command_is_asked():
    assert set(COMMANDS) == set(names(get_command(app)))


@pytest.fixture
def nasty_stack(project):  # noqa: F811
    """A stack file of nasty text, which breaks as few rules as it can."""
    without_nul = {key: text for key, text in NASTY.items() if key != "nul"}
    patch = {
        "owner": NASTY["colour"] + NASTY["bidi"],
        "tags": {f"{key}{text}"[:60]: text for key, text in without_nul.items()},
        "nodeGroups": {f"gpu{text}": {"instanceType": text, "labels": {text: text}} for text in NASTY.values()},
        "workloads.vllm.qwen.model": NASTY["comment"],
    }
    write_stack(project / "stacks", patch)
    return project / "stacks" / "Pulumi.test.yaml"


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("text", ["colour", "bidi", "link", "c1", "return", "newline"])
def test_no_command_lets_it_through(nasty_stack, monkeypatch, capsys, command, text):
    odd = nasty_stack.with_name(f"Pulumi.{NASTY[text].replace('/', '')}.yaml")
    odd.write_bytes(nasty_stack.read_bytes())
    values = {"STACK": str(odd), "FILE": str(odd), "TEXT": NASTY[text]}
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")

    status, out, err = run_main(
        monkeypatch, capsys, nasty_stack.parents[1], *(values.get(word, word) for word in COMMANDS[command])
    )

    asked_by_nobody = not {"STACK", "FILE", "TEXT"} & set(COMMANDS[command])
    well = {ExitStatus.DONE} if asked_by_nobody else {ExitStatus.REFUSED, ExitStatus.UNKNOWN}  # or nobody is signed in
    assert ExitStatus(status) in well
    assert out + err
    assert not unseen(out + err)
    assert not [line for line in (out + err).splitlines() if line.startswith("  error: made up")]


@pytest.mark.parametrize("command", [words for words in COMMANDS.values() if words[0] in ("check", "plan")])
def test_json_stays_json(nasty_stack, monkeypatch, capsys, command):
    arguments = [str(nasty_stack) if word == "STACK" else word for word in command]

    _, out, _ = run_main(monkeypatch, capsys, nasty_stack.parents[1], *arguments, "--json")

    problems = json.loads(out)["problems"]
    assert any(NASTY["comment"] in problem["path"] for problem in problems)
    assert not unseen(out)


@pytest.mark.parametrize("name", NASTY)
def test_a_report_of_text_that_breaks_no_rule(tmp_path, name):
    text = NASTY[name]
    write_stack(tmp_path, {"owner": "ml", "workloads.vllm.qwen.model": f"a/b{text}"})
    report = check_stack(locate(str(tmp_path / "Pulumi.test.yaml"))).report
    group = {"instance_type": text, "capacity_block": text, "sharing_effects": {text: text}}
    shown = {
        "stack": text,
        "region": text,
        "node_groups": (report.node_groups[0].model_copy(update=group),),
        "cost": report.cost.model_copy(update={"unknown_at_desired": (text,)}),
    }
    report = report.model_copy(update=shown)
    out = terminal(report)

    assert not unseen(out + markdown(report))
    assert one_line(text).split()[0] in out
    assert not re.search(r"^\s*error: made up", out + markdown(report), re.MULTILINE)


@pytest.mark.parametrize("text", NASTY.values(), ids=list(NASTY))
def test_markdown_has_no_meaning(text):
    """Outside of code nothing is left that begins anything; a code span ends where it should."""
    for made in (code(text), plain(text), prose(f"the {text} of `{text}`"), cell(text)):
        outside = outside_of_code(made.replace("\\|", "¦"))
        assert not re.search(r"[<>\[\]!@#*`|\\&]", outside), made
        assert "\n" not in made
    block = fence([text, "```", "````"])
    assert block[0] == block[-1] == "`````"
    assert not [line for line in block[1:-1] if line.startswith("`" * 5)]


def outside_of_code(made):
    """What CommonMark shows outside of code spans: a run of backticks ends at the next one of the same length."""
    left, rest = "", made
    while opening := re.search("`+", rest):
        closing = re.search(rf"(?<!`){opening[0]}(?!`)", rest[opening.end() :])
        if closing is None:
            return left + rest
        left += rest[: opening.start()]
        rest = rest[opening.end() + closing.end() :]
    return left + rest


@pytest.mark.parametrize("text", ["g6.2xlarge", "nvidia.com/gpu: 4", "min 0, desired 1", "meta-llama/Llama-3.2-1B"])
def test_ordinary_text_stays_as_it_is(text):
    assert plain(text) == prose(text) == cell(text) == shown(text) == one_line(text) == text


def test_a_span_of_our_own_stays_one():
    assert prose("did you mean `nodeGroups`?") == "did you mean `nodeGroups`?"


def test_tables(capsys):
    out = StringIO()
    print_table("t", [{"name": text, "note": text} for text in NASTY.values()], console(out))

    assert not unseen(out.getvalue())
    assert "[red]a[/red][/]" in out.getvalue()


def test_a_terminal_gets_our_colours_and_no_others():
    stream = StringIO()
    stream.isatty = lambda: True
    made = console(Escaped(stream))
    made.print(NASTY["colour"], style="bold")

    assert r"\u001b[31mred" in stream.getvalue()
    assert "\x1b[31m" not in stream.getvalue()


@pytest.mark.parametrize("text", NASTY.values(), ids=list(NASTY))
def test_html(text):
    now = datetime(2026, 12, 1, tzinfo=UTC)
    text_of = dict.fromkeys(("id", "block_id", "region", "state", "instance_type", "zone", "zone_id"), text)
    held = AccountReservation(**text_of, count=1, available=1, start=now, end=now + timedelta(days=1), tags={})
    made = page(text, [Lane(text, (held,), ())], now, now + timedelta(days=2), now)
    tags = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attrs: tags.append(tag)
    parser.handle_comment = tags.append
    parser.feed(made)

    assert set(tags) <= {"html", "head", "meta", "title", "style", "body", "h1", "div", "span", "em", "b", "i", "br"}
    assert tags.count("b") == 1
    assert not unseen(made)
