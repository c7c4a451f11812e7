"""A plan: the report of a stack, and the resources that its program registers."""

import traceback
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from eks_accelerators.accel.plan.recorder import SECRET, Recording, record_file
from eks_accelerators.accel.plan.resource_problems import problems_of
from eks_accelerators.accel.report import CheckedStack, check_stack
from eks_accelerators.accel.reports.plan import PlanReport
from eks_accelerators.accel.stacks import StackLocation
from eks_accelerators.accelerators import clock
from eks_accelerators.components.stack.configuration import already_checked
from eks_accelerators.settings import stack_file
from eks_accelerators.settings.load import PROJECT
from eks_accelerators.settings.problems import Problem, SettingsError, Severity
from eks_accelerators.settings.pulumi_values import as_engine_config


@dataclass(frozen=True, slots=True)
class Plan:
    """A checked stack, everything that its program registers, and the report of both."""

    checked: CheckedStack
    recording: Recording | None
    report: PlanReport

    @property
    def failed(self) -> bool:
        """Whether a deployment would stop."""
        return self.checked.failed


def plan(location: StackLocation, now: datetime | None = None) -> Plan:
    """Plan the stack at ``location``: no network, no credentials, no Pulumi CLI.

    With an error among the settings nothing is registered, as under `pulumi up`. Secrets that are named
    and not set are planned as secrets, with a warning.
    """
    found = check_stack(location, now or clock.now())
    if found.failed:
        return Plan(found, None, _report(found, Recording()))
    config, secrets = _configuration(location, found)
    # Secrets that are not set are planned as if they were: the report has the warning.
    checked = replace(found.checked, unset_secrets=())
    program = location.program
    try:
        with already_checked(checked):
            recording = record_file(program, project=PROJECT, stack_name=location.name, config=config, secrets=secrets)
    except SettingsError:
        raise
    except (Exception, SystemExit) as error:
        raise _program_failed(error, program) from error
    found = replace(found, problems=(*found.problems, *problems_of(recording.resources)))
    return Plan(found, recording, _report(found, recording))


def _report(found: CheckedStack, recording: Recording) -> PlanReport:
    return PlanReport(
        **{**dict(found.report), "problems": found.problems},
        resources=sorted(recording.resources, key=lambda resource: resource.urn),
        outputs=dict(sorted(recording.outputs.items())),
    )


def _configuration(location: StackLocation, found: CheckedStack) -> tuple[dict[str, str], set[str]]:
    """What the engine would hand to the program. Secrets cannot be read here, and need not be."""
    config = dict(stack_file.read(location.file).config)
    unset = {f"{PROJECT}:{p.path}" for p in found.problems if p.code == "secret-unset"}
    secrets = {key for key, value in config.items() if isinstance(value, dict) and set(value) == {"secure"}} | unset
    return as_engine_config({**config, **dict.fromkeys(secrets, SECRET)}), secrets


def _program_failed(error: BaseException, program: Path) -> SettingsError:
    """What went wrong in the program, with the line nearest to it that is the program's own."""
    frames = [
        f
        for f in traceback.extract_tb(error.__traceback__)
        if Path(f.filename).parent.parent == program.parent or f.filename == str(program)
    ]
    where = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else program.name
    return SettingsError(
        [
            Problem(
                "program",
                Severity.ERROR,
                where,
                f"the program failed: {error}",
                type(error).__name__,
                "a program that runs",
                f"fix {program.name}, or what it calls",
            )
        ]
    )
