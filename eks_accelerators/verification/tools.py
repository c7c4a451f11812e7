"""Tools that run in one pod, one after the other, and what each of them printed: a script, and how its log is read."""

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

_BEGIN, _END = "### accel begin ", "### accel end "
_SHELL = f'run() {{ echo "{_BEGIN}$1"; shift; "$@" 2>&1; echo "{_END}$?"; }}'
_SECTION = re.compile(
    rf"^{re.escape(_BEGIN)}(?P<name>\S+)\n(?P<text>.*?)(?:^{re.escape(_END)}(?P<status>\d+)$|(?={re.escape(_BEGIN)})|\Z)",
    re.M | re.S,
)


@dataclass(frozen=True, slots=True)
class Tool:
    """A program with its arguments, and the ``name`` by which its output is found."""

    name: str
    command: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """What a tool printed, on both channels. ``status`` is its exit status, None where it was ended in the midst of it."""

    text: str
    status: int | None

    @property
    def lines(self) -> list[str]:
        """Lines of the output, stripped, without the empty ones."""
        return [line.strip() for line in self.text.splitlines() if line.strip()]

    @property
    def said(self) -> str:
        """What it said, in one line, for who has to find out why it failed."""
        words = " / ".join(self.lines[-3:]) or "it printed nothing"
        return f"{words} (exit status {'none: it was ended' if self.status is None else self.status})"


NOTHING = ToolOutput("", None)
"""Of a tool that was not even begun."""


def script(tools: Sequence[Tool], *, hold_seconds: int = 0, clean: Sequence[str] = ()) -> str:
    """A script for `sh -c` that runs all tools, whatever becomes of each, and then stays for ``hold_seconds``.

    The command ``clean`` is run where the pod is told to end before that.
    """
    lines = [f"trap {shlex.quote(f'{shlex.join(clean)}; exit 143')} TERM"] if clean else []
    lines += [_SHELL, *(f"run {tool.name} {shlex.join(tool.command)}" for tool in tools)]
    return "\n".join([*lines, f"sleep {hold_seconds}"] if hold_seconds else lines)


def tools_of(text: str) -> list[Tool]:
    """The tools of a script; none of a text that is none."""
    words = [shlex.split(line) for line in text.splitlines() if line.startswith("run ")]
    return [Tool(line[1], tuple(line[2:])) for line in words if len(line) > 2]


def printed(name: str, text: str, status: int) -> str:
    """What the script prints of one tool."""
    return f"{_BEGIN}{name}\n{text}{'' if not text or text.endswith(chr(10)) else chr(10)}{_END}{status}\n"


def outputs(log: str) -> dict[str, ToolOutput]:
    """What each tool printed, by its name; a log that ends in the midst of a tool has its beginning."""
    return {
        found["name"]: ToolOutput(found["text"], None if found["status"] is None else int(found["status"]))
        for found in _SECTION.finditer(log.replace("\r\n", "\n"))
    }
