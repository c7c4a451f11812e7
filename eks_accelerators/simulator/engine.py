"""The real Pulumi engine, with a state of its own in a folder."""

import asyncio
import os
import secrets
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml
from pulumi import automation
from pulumi.automation._stack import StackInitMode
from pulumi.automation.events import EngineEvent

from eks_accelerators.settings import stack_file
from eks_accelerators.simulator import event_loops, grpc_channels
from eks_accelerators.simulator.engine_locks import unlocked
from eks_accelerators.simulator.files import write
from eks_accelerators.simulator.interruption import handed_on
from eks_accelerators.simulator.outcome import Action, Outcome
from eks_accelerators.simulator.providers import wire
from eks_accelerators.simulator.pulumi_command import QUIET, PulumiCommand
from eks_accelerators.simulator.seal import read
from eks_accelerators.simulator.state.locks import locks, process_of
from eks_accelerators.simulator.state.service import StateService
from eks_accelerators.simulator.state.store import StackName, Store

BACKEND, WORKSPACE = "pulumi", "workspace"
"""Folders of the engine in that of a simulation."""

_PASSPHRASE, _HOME = "passphrase", "home"


@dataclass(frozen=True, slots=True)
class Program:
    """What is deployed: a Pulumi program and the configuration of one stack."""

    run: Callable[[], None]
    project: str
    stack: str
    config: Mapping[str, Any]
    """Values by full key, as in the stack file."""
    secrets: Mapping[str, str] = field(default_factory=dict)
    """Secret values by full key."""


Listener = Callable[[EngineEvent], None]


class Engine:
    """Runs operations of the engine on the state in ``folder``."""

    def __init__(self, pulumi: Path, folder: Path) -> None:
        grpc_channels.separate_those_of_the_sdk()
        self._folder = folder
        self._pulumi = pulumi
        self.backend = folder / BACKEND
        self.workspace = folder / WORKSPACE
        self._store = Store(self.backend)
        for each in (self.backend, self.workspace):
            each.mkdir(mode=0o700, parents=True, exist_ok=True)

    def run(
        self,
        action: Action,
        program: Program,
        providers: str,
        listen: Listener | None = None,
        flags: Sequence[str] = (),
    ) -> Outcome:
        """Run ``action``; ``providers`` is the value of PULUMI_DEBUG_PROVIDERS. A failure is in the outcome.

        ``flags`` go to the engine as they are. The lock of an engine that was killed is removed before.

        As `pulumi destroy` does, a destruction is previewed first, unless a flag says `--skip-preview`.
        """
        outcome = Outcome(action)
        if not unlocked(self.backend, outcome):
            return outcome
        command = PulumiCommand(self._pulumi, flags)
        with handed_on(command.interrupt):
            try:
                self._run(command, program, providers, listen, outcome)
            finally:
                self._store.settle()
        outcome.interrupted = command.interrupted
        return outcome

    def _run(
        self, command: PulumiCommand, program: Program, providers: str, listen: Listener | None, outcome: Outcome
    ) -> None:
        loops: list[asyncio.AbstractEventLoop] = []
        action = outcome.action
        deaf: list[BaseException] = []

        def hear(event: EngineEvent) -> None:
            outcome.note(event)
            if listen and not deaf:
                try:
                    listen(event)
                except BaseException as error:  # the SDK's thread must go on, or nobody ever hears the engine end
                    deaf.append(error)

        arguments: dict[str, Any] = {"on_event": hear, "suppress_progress": True, "color": "never"}
        if action == "preview":
            arguments.pop("suppress_progress")
        try:
            # How the SDK says, perhaps a while later, that the engine ended without a word; the outcome says it too.
            warnings.filterwarnings("ignore", "Error in event stream")
            with StateService(self._store, f"v{command.version}", command.process) as service:
                stack = self._stack(command, program, providers, service, loops.append)
                if action == "destroy" and "--skip-preview" not in command.flags:
                    _foresee(stack, outcome)
                getattr(stack, action)(**arguments)
        except automation.CommandError as error:
            outcome.fail(str(error))
            event_loops.end(loops)
        else:
            if action == "up":
                outcome.outputs = self._outputs(program)
        if deaf:
            raise deaf[0]

    def state(self, project: str, stack: str) -> dict[str, Any]:
        """The deployment as the engine has written it by now, or an empty one."""
        name = StackName(project, stack)
        return (self._store.deployment(name) or {}) if self._store.file(name).exists() else {}

    def _outputs(self, program: Program) -> dict[str, Any]:
        """The outputs of the stack, secrets left out."""
        resources = self.state(program.project, program.stack).get("resources", [])
        found = [each.get("outputs", {}) for each in resources if each["type"] == "pulumi:pulumi:Stack"]
        shown: dict[str, Any] = _without_secrets(found[0] if found else {})
        return shown

    def process(self) -> int | None:
        """ID of the engine's process, from its lock; None where no lock is held."""
        return next((number for lock in locks(self.backend) if (number := process_of(lock))), None)

    def _stack(
        self,
        command: PulumiCommand,
        program: Program,
        providers: str,
        service: StateService,
        started: Callable[[asyncio.AbstractEventLoop], None],
    ) -> automation.Stack:
        """``started`` is called in the program's event loop, ahead of the program."""

        def run() -> None:
            started(asyncio.get_running_loop())
            program.run()

        # The CLI notes each service that it was ever logged in to.
        (self._folder / _HOME / "credentials.json").unlink(missing_ok=True)
        settings = self._settings(program)
        workspace = automation.LocalWorkspace(
            program=run,
            work_dir=str(self.workspace),
            pulumi_home=str(self._folder / _HOME),
            env_vars={
                **QUIET,
                "PATH": f"{self._pulumi.parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
                "PULUMI_BACKEND_URL": service.url,
                "PULUMI_ACCESS_TOKEN": service.token,
                "PULUMI_CONFIG_PASSPHRASE": self._passphrase(),
                "PULUMI_DEBUG_PROVIDERS": providers,
            },
            secrets_provider="passphrase",
            project_settings=automation.ProjectSettings(name=program.project, runtime="python", main=str(Path.cwd())),
            pulumi_command=command,
        )
        stack = _Stack(program.stack, workspace, StackInitMode.CREATE_OR_SELECT)
        missing = {key: value for key, value in program.secrets.items() if key not in settings}
        self._write_settings(program)
        if missing:
            stack.set_all_config({key: automation.ConfigValue(value, secret=True) for key, value in missing.items()})
        return stack

    def _settings(self, program: Program) -> dict[str, Any]:
        """The configuration of the run before: its secrets need not be encrypted again."""
        path = self._settings_file(program)
        config: dict[str, Any] = (read(path, yaml.safe_load) if path.exists() else {}).get("config") or {}
        return config

    def _write_settings(self, program: Program) -> None:
        path = self._settings_file(program)
        before = read(path, yaml.safe_load) if path.exists() else {}
        kept = {key: value for key, value in (before.get("config") or {}).items() if key in program.secrets}
        write(path, stack_file.dump({**before, "config": {**program.config, **kept}}).encode())

    def _settings_file(self, program: Program) -> Path:
        return self.workspace / f"Pulumi.{program.stack}.yaml"

    def _passphrase(self) -> str:
        """A passphrase of this folder alone: the secrets of a simulation are made up, and still encrypted."""
        path = self._folder / _PASSPHRASE
        if not path.exists():
            write(path, secrets.token_urlsafe(32).encode())
        return path.read_text(encoding="utf-8")


class _Stack(automation.Stack):
    """A stack that nobody asks, after an operation, for its outputs and history: the state and the events have said it.

    Three more starts of the CLI after every `up` would take as long as a small `up` itself.
    """

    def info(self, show_secrets: bool = True) -> automation.UpdateSummary:  # noqa: ARG002
        """Nothing: the SDK wants a summary of each operation, for a result that is not looked at."""
        return automation.UpdateSummary("update", datetime.now(UTC), "", {}, {}, "")

    def outputs(self) -> automation.OutputMap:
        """None: see `Engine._outputs`."""
        return {}


def _without_secrets(value: Any) -> Any:
    """A value as the state has it, with `[secret]` for each secret in it."""
    if isinstance(value, dict):
        if value.get(wire.SIGNATURE) == wire.SECRET:
            return "[secret]"
        return {key: _without_secrets(each) for key, each in value.items()}
    return [_without_secrets(each) for each in value] if isinstance(value, list) else value


def _foresee(stack: automation.Stack, outcome: Outcome) -> None:
    """Preview a destruction: what is protected stops it before anything is deleted."""
    planned = Outcome("preview")
    try:
        stack.preview_destroy(on_event=planned.note, color="never")
    except automation.CommandError:
        outcome.failed += planned.failed
        outcome.messages += planned.messages
        raise
