"""The help of the command line: what there is, in whole words, and an example of each command."""

import shlex
from collections.abc import Iterator

import click
import pytest
import typer.main
from typer.testing import CliRunner

from eks_accelerators.accel.cli import app
from eks_accelerators.accel.examples import EXAMPLES

NARROW = {"COLUMNS": "80", "TERMINAL_WIDTH": "80"}


def groups(command: click.Command, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    if commands := getattr(command, "commands", None):
        yield words
        for name, each in commands.items():
            yield from groups(each, (*words, name))


def leaves(command: click.Command, words: tuple[str, ...] = ()) -> Iterator[str]:
    commands = getattr(command, "commands", None)
    if commands is None:
        yield " ".join(words)
    for name, each in (commands or {}).items():
        yield from leaves(each, (*words, name))


ROOT_COMMAND = typer.main.get_command(app)


@pytest.mark.parametrize("words", groups(ROOT_COMMAND), ids=" ".join)
def test_a_list_of_commands_is_cut_off_nowhere(words):
    found = CliRunner().invoke(app, [*words, "--help"], env=NARROW).output

    assert "..." not in found.partition("Commands:")[2]
    assert max(map(len, found.splitlines())) <= 80


def test_every_command_has_an_example():
    assert sorted(EXAMPLES) == sorted(leaves(ROOT_COMMAND))


@pytest.mark.parametrize("command", EXAMPLES)
def test_examples_stand_in_the_help_as_they_are_typed(command):
    found = CliRunner().invoke(app, [*command.split(), "--help"], env=NARROW).output

    assert found.partition("Examples:\n")[2].splitlines() == [f"    {line}" for line in EXAMPLES[command]]


@pytest.mark.parametrize(
    ("command", "line"), [(command, line) for command, lines in EXAMPLES.items() for line in lines], ids=str
)
def test_an_example_is_of_its_command_and_is_understood(command, line):
    program, *arguments = shlex.split(line)
    root = ROOT_COMMAND.make_context("accel", arguments)
    words, context = [], root
    while getattr(context.command, "commands", None):
        name, found, rest = context.command.resolve_command(context, [*context._protected_args, *context.args])
        words.append(name)
        context = found.make_context(name, rest, parent=context)

    assert (program, " ".join(words)) == ("accel", command)
