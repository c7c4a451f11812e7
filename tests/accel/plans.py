"""Plans for tests: of the stacks that are shipped, and of patches to the example."""

import contextlib
import functools
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import yaml

from eks_accelerators.accel.__main__ import main
from eks_accelerators.accel.detail import Detail
from eks_accelerators.accel.plan import Plan, plan
from eks_accelerators.accel.render_text import console
from eks_accelerators.accel.renderers import print_text
from eks_accelerators.accel.reports.base import Report, one_lined
from eks_accelerators.accel.stacks import StackLocation
from eks_accelerators.accelerators import clock
from tests.conftest import NOW
from tests.settings.example import Patch
from tests.settings.stack_files import document

ROOT = Path(__file__).parents[2]
STACKS = ("dev", "staging", "prod")


@functools.cache
def shipped(stack: str) -> Plan:
    """The plan of a stack that is shipped, made once; do not change it."""
    return _plan(StackLocation(stack, ROOT / "stacks" / f"Pulumi.{stack}.yaml", ROOT))


def write_stack(folder: Path, patch: Patch, name: str = "test") -> Path:
    """A stack file in ``folder`` with the patched example."""
    path = folder / f"Pulumi.{name}.yaml"
    path.write_text(yaml.safe_dump(document(patch), sort_keys=False), encoding="utf-8")
    return path


def planned(folder: Path, patch: Patch) -> Plan:
    """The plan of this repository's program for the patched example."""
    return _plan(StackLocation("test", write_stack(folder, patch), ROOT))


def _plan(location: StackLocation) -> Plan:
    """By one clock for the stack file and for the program, which refuses to buy what has begun."""
    with clock.set_to(NOW):
        return plan(location)


def of_kind(data: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    """The planned resources of one type, such as `aws:ec2/eip:Eip`."""
    return [resource for resource in data["resources"] if resource["type"] == kind]


def text(report: Report, width: int | None = None, detail: Detail = Detail.USUAL) -> str:
    """A report as a terminal of ``width`` columns shows it; without one, as it is piped."""
    stream = io.StringIO()
    out = console(stream)
    out.width = width or out.width
    print_text(one_lined(report), out, detail)
    return stream.getvalue()


def as_json(report: Report) -> str:
    """A report as the command line writes JSON."""
    return json.dumps(report.as_data(), indent=2)


def accel(*arguments: str | Path, cwd: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command line as people do, in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "eks_accelerators.accel", *map(str, arguments)],
        cwd=cwd,
        env=_environment() | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def accel_here(*arguments: str | Path, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """As `accel`, in this process, which has imported everything: for what needs neither signals nor an own environment."""
    out, err = io.StringIO(), io.StringIO()
    command = ["accel", *map(str, arguments)]
    with (
        contextlib.chdir(cwd),
        mock.patch.object(sys, "argv", command),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as end:
            status = int(end.code or 0)
        else:
            status = 0
    return subprocess.CompletedProcess(command, status, out.getvalue(), err.getvalue())


def python(code: str, **environment: str) -> str:
    """What ``code`` prints, in a process of its own."""
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=_environment() | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return run.stdout


def _environment() -> dict[str, str]:
    ours = ("COLUMNS", "NO_COLOR", "FORCE_COLOR", "PYTHONHASHSEED")
    return {key: value for key, value in os.environ.items() if key not in ours} | {"PYTHONPATH": str(ROOT)}
