"""A machine that is not served is answered alike by every command that takes the name of one."""

import pytest
from typer.testing import CliRunner

from eks_accelerators.accel.cli import app
from eks_accelerators.accelerators.instance_types import UnknownInstanceTypeError
from tests.accel.plans import write_stack

NAMES = ("dl1.24xlarge", "g4ad.xlarge", "v5e", "Standard_ND96isr_H100_v5", "p3.2xlarge", "m7i.large", "g6.2xlrge")


def said(*arguments):
    """The words of what a command prints, however it breaks its lines."""
    ran = CliRunner().invoke(app, list(map(str, arguments)))
    assert ran.exit_code == 2
    return " ".join(ran.output.split())


@pytest.mark.parametrize("name", NAMES)
def test_every_command_says_the_same(tmp_path, name):
    stack = write_stack(tmp_path, {"nodeGroups.gpu.instanceType": name})
    file = tmp_path / "plugin.yaml"
    file.write_text("version: v1\n")
    expected = UnknownInstanceTypeError(name)

    for command in ("check", "plan", "preflight"):
        found = said(command, stack)
        assert expected.message in found, command
        assert expected.fix in found, command
    for command in (
        ("fit", "--model", "meta-llama/Llama-3.2-1B", "--instances", name),
        ("mig", "check", name, "1g.10gb=7"),
        ("sharing", "check", file, "--instance-type", name),
        ("blocks", "search", "--type", name, "--count", "1", "--days", "1"),
    ):
        assert str(expected) in said(*command), command
