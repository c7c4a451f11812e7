"""Steps of the runbooks, tried: those of AWS by its models, those of `accel` by the command's own reading of them."""

import re
import shlex

import boto3
import pytest
from botocore import xform_name
from typer.testing import CliRunner

from eks_accelerators.accel.cli import app
from eks_accelerators.monitoring.alerts import ALERTS
from eks_accelerators.simulator.alert_causes import causes_of
from eks_accelerators.simulator.load.timed_faults import parse_timed
from tests.docs.pages import RUNBOOKS, blocks, spans


def commands(page, program):
    """Every command of a page that begins with the program, without what its output is piped to."""
    lines = [line.strip() for block in blocks(page, "sh") for line in block.splitlines()]
    found = [line.partition(" | ")[0] for line in (*lines, *spans(page)) if line.startswith(f"{program} ")]
    return list(dict.fromkeys(found))


def steps(program):
    return [
        pytest.param(page.stem, command, id=f"{page.stem}: {command}")
        for page in RUNBOOKS
        for command in commands(page, program)
    ]


@pytest.mark.parametrize(("page", "command"), steps("aws"))
def test_aws_knows_the_operation_and_its_options(page, command):
    """By botocore's models; options that the AWS CLI itself adds are its own."""
    _, service, operation, *options = shlex.split(command)
    model = boto3.client(service, region_name="us-east-2").meta.service_model
    operations = {xform_name(name, "-"): name for name in model.operation_names}
    of_cli = {"query", "max-items"}
    given = {option.removeprefix("--").removeprefix("no-") for option in options if option.startswith("--")}

    known = {xform_name(name, "-") for name in model.operation_model(operations[operation]).input_shape.members}

    assert given - of_cli <= known


@pytest.mark.parametrize(("page", "command"), steps("accel"))
def test_accel_reads_it(page, command):
    """With `--help` at its end it is read, and not done."""
    words = shlex.split(re.sub(r"<([\w-]+)>", r"a-\1", command))[1:]

    said = CliRunner().invoke(app, [*words, "--help"])

    assert said.exit_code == 0, said.output


@pytest.mark.parametrize("page", RUNBOOKS, ids=lambda page: page.stem)
def test_a_fault_that_a_page_tries_makes_its_alerts_fire(page):
    """Without its place and time it is one of their causes."""
    tried = [word for command in commands(page, "accel") for word in re.findall(r"--fault (\S+)", command)]
    causes = {cause.text for alert in ALERTS.values() if alert.runbook == page.stem for cause in causes_of(alert.name)}

    for text in tried:
        fault = parse_timed(text, {"l4-shared", "h100", "trn1", "trn2"})
        what = str(fault.device).partition(":")[0] if fault.device else fault.text.partition(":")[0]
        assert what in causes
