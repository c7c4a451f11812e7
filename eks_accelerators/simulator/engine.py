"""The real Pulumi engine, with a state of its own in a folder."""

import asyncio
import os
import re
import secrets
import signal
import subprocess
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

import yaml
from pulumi import automation
from pulumi.automation._stack import StackInitMode
from pulumi.automation.errors import create_command_error
from pulumi.automation.events import EngineEvent
from semver import VersionInfo

from eks_accelerators.settings import stack_file
from eks_accelerators.simulator import grpc_channels
from eks_accelerators.simulator.files import write
from eks_accelerators.simulator.interruption import Interrupted, handed_on
from eks_accelerators.simulator.providers import wire
from eks_accelerators.simulator.seal import read
from eks_accelerators.simulator.state.locks import is_own, locks, process_of
from eks_accelerators.simulator.state.service import StateService
from eks_accelerators.simulator.state.store import StackName, Store

Action = Literal["preview", "up", "refresh", "destroy"]

BACKEND, WORKSPACE = "pulumi", "workspace"
"""Folders of the engine in that of a simulation."""

_PASSPHRASE, _HOME = "passphrase", "home"
_QUIET = {
    "PULUMI_SKIP_UPDATE_CHECK": "true",
    "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
    "PULUMI_EXPERIMENTAL": "",
    "NO_COLOR": "1",
}
_TIDY_SECONDS, _STILL = 10, 10
_PATIENCE_SECONDS = 30
"""For an engine whose command was killed: without its providers it ends by itself, in a second or two."""


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


@dataclass(frozen=True, slots=True)
class EngineStep:
    """One step that the engine has taken, or plans."""

    op: str
    urn: str

    @property
    def changes(self) -> bool:
        """Whether something changes that is told: the engine's own default providers are not, as in `pulumi up`."""
        is_own = self.type.startswith("pulumi:providers:") and self.name.startswith("default")
        return self.op not in ("same", "read", "refresh") and not is_own

    @property
    def type(self) -> str:
        """Type token of the resource, as its URN has it."""
        return self.urn.split("::")[2].rpartition("$")[2]

    @property
    def name(self) -> str:
        """The resource's name in the program."""
        return self.urn.split("::")[3]


@dataclass(slots=True)
class Outcome:
    """What an operation of the engine did. ``failed`` has the steps that failed, ``messages`` what was said."""

    action: Action
    ok: bool = True
    steps: list[EngineStep] = field(default_factory=list)
    failed: list[EngineStep] = field(default_factory=list)
    messages: list[tuple[str, str]] = field(default_factory=list)
    outputs: dict[str, Any] = field(default_factory=dict)
    crashed: bool = False
    waits: dict[str, float] = field(default_factory=dict)
    """Seconds for which a provider would have waited on real AWS, by URN of what failed so."""
    interrupted: int | None = None
    """The signal by which somebody ended it."""

    @property
    def changes(self) -> dict[str, int]:
        """Number of resources by operation, those that stay the same left out."""
        counted: dict[str, int] = {}
        for step in self.steps:
            if step.changes:
                counted[step.op] = counted.get(step.op, 0) + 1
        return counted

    @property
    def errors(self) -> list[str]:
        """What went wrong, in the engine's and the providers' words."""
        return [text for severity, text in self.messages if severity == "error"]


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
        if not self._unlocked(outcome):
            return outcome
        command = _Command(self._pulumi, flags)
        with handed_on(command.interrupt):
            try:
                self._run(command, program, providers, listen, outcome)
            finally:
                self._store.settle()
        outcome.interrupted = command.interrupted
        return outcome

    def _run(
        self, command: "_Command", program: Program, providers: str, listen: Listener | None, outcome: Outcome
    ) -> None:
        loops: list[asyncio.AbstractEventLoop] = []
        action = outcome.action
        deaf: list[BaseException] = []

        def hear(event: EngineEvent) -> None:
            _note(outcome, event)
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
            _fail(outcome, str(error))
            _end(loops)
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

    def _unlocked(self, outcome: Outcome) -> bool:
        """Remove the locks of engines that were killed, as `pulumi cancel` does; False where one is still at work.

        One command at a time is at work in a folder, so any lock is of a command before. Where only that was killed, its
        engine is still there, which has nobody to tell what it does, and nobody to ask: it is ended. Somebody who runs
        the CLI by himself is waited for.
        """
        until = time.monotonic() + _PATIENCE_SECONDS
        for lock in locks(self.backend):
            number = process_of(lock)
            while number and _is_engine(number) and lock.exists():
                if is_own(lock):
                    with suppress(ProcessLookupError):
                        os.kill(number, signal.SIGKILL)
                elif time.monotonic() > until:
                    outcome.ok = False
                    told = f"the engine of a command before, process {number}, is still at work: wait for it, or end it"
                    outcome.messages.append(("error", told))
                    return False
                time.sleep(0.05)
            if lock.exists():
                lock.unlink()
                told = "the engine of a command before was killed; its lock was removed, as `pulumi cancel` does"
                outcome.messages.append(("warning", told))
        return True

    def _stack(
        self,
        command: "_Command",
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
                **_QUIET,
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


def _end(loops: list[asyncio.AbstractEventLoop]) -> None:
    """End the event loops of programs whose engine ended first.

    The SDK leaves them open, with coroutines that never ran to their end: Python would complain of them some time later.
    """
    for loop in loops:
        until, still = time.monotonic() + _TIDY_SECONDS, 0
        while still < _STILL and time.monotonic() < until:  # the SDK runs it again and again, to cancel its tasks
            time.sleep(0.01)
            still = 0 if loop.is_running() else still + 1
        if still == _STILL and not loop.is_closed():
            loop.set_exception_handler(lambda _loop, _context: None)  # the SDK's stops the loop at the next error
            with suppress(RuntimeError):  # the SDK has come back to it
                loop.run_until_complete(_cancelled(asyncio.all_tasks(loop)))
                loop.close()


async def _cancelled(tasks: set["asyncio.Task[Any]"]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


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


_PACE = {"GOGC": "400", "PULUMI_JOURNALING_BATCH_PERIOD": "5"}
"""How the engine uses memory and time; who sets a variable has it otherwise.

With five times its live memory before Go's collector runs, instead of twice, a deployment takes a seventh less CPU. A step waits
until its entries are acknowledged: they are sent every 5 milliseconds, instead of every 50.
"""


class _Command(automation.PulumiCommand):
    """The CLI at a path of its own, with flags of its own, which the SDK has no word for.

    It runs in a session of its own, where no Ctrl-C of the terminal reaches it: `interrupt` tells it once, so that it
    ends what it has begun and writes that down. Told a second time it ends at once.
    """

    def __init__(self, path: Path, flags: Sequence[str] = ()) -> None:
        self.command = str(path)
        self.version = _version(path)
        self.flags = flags
        self.interrupted: int | None = None
        self._process: subprocess.Popen[str] | None = None

    def interrupt(self, number: int) -> None:
        """End what runs, because of signal ``number``; nothing else is begun."""
        self.interrupted = number
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)  # which does nothing to one that has ended

    def process(self) -> int:
        """ID of the process of the last command; 0 where there was none."""
        return self._process.pid if self._process else 0

    def run(
        self,
        args: list[str],
        cwd: str,
        additional_env: Mapping[str, str],
        on_output: Callable[[str], Any] | None = None,
        on_error: Callable[[str], Any] | None = None,
    ) -> automation.CommandResult:
        """Run a command, as the SDK's own does; raises `CommandError` where it fails."""
        if self.interrupted is not None:
            raise Interrupted(self.interrupted)
        if args[0] in get_args(Action):
            args = [args[0], *self.flags, *args[1:]]
        process = subprocess.Popen(
            [self.command, "--non-interactive", *args],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=self._environment(additional_env),
            encoding="utf-8",
            start_new_session=True,
        )
        self._process = process
        if self.interrupted is not None:  # meanwhile
            process.send_signal(signal.SIGINT)
        with process, ThreadPoolExecutor(2) as pool:
            heard = [
                pool.submit(_lines, stream, tell)
                for stream, tell in ((process.stdout, on_output), (process.stderr, on_error))
            ]
            out, err = (each.result() for each in heard)
        result = automation.CommandResult(stdout=out, stderr=err, code=process.wait())
        if result.code != 0:
            raise create_command_error(result)
        return result

    @staticmethod
    def _environment(additional: Mapping[str, str]) -> dict[str, str]:
        return {**_PACE, **os.environ, **additional, "PULUMI_AUTOMATION_API": "true"}


def _lines(stream: Any, tell: Callable[[str], Any] | None) -> str:
    lines = []
    for line in stream:
        lines.append(line.rstrip())
        if tell:
            tell(lines[-1])
    return "\n".join(lines)


@cache
def _version(pulumi: Path) -> VersionInfo:
    said = subprocess.run([str(pulumi), "version"], capture_output=True, text=True, check=True, env=_QUIET).stdout
    return VersionInfo.parse(said.strip().removeprefix("v"))


def _foresee(stack: automation.Stack, outcome: Outcome) -> None:
    """Preview a destruction: what is protected stops it before anything is deleted."""
    planned = Outcome("preview")
    try:
        stack.preview_destroy(on_event=lambda event: _note(planned, event), color="never")
    except automation.CommandError:
        outcome.failed += planned.failed
        outcome.messages += planned.messages
        raise


def _note(outcome: Outcome, event: EngineEvent) -> None:
    if planned := event.resource_pre_event:
        if outcome.action == "preview":
            outcome.steps.append(_step(planned.metadata))
    elif done := event.res_outputs_event:
        if outcome.action != "preview":
            outcome.steps.append(_step(done.metadata))
    elif failed := event.res_op_failed_event:
        outcome.failed.append(_step(failed.metadata))
    elif said := event.diagnostic_event:
        text = said.message.strip()
        if said.severity in ("error", "warning", "info#err") and text:
            outcome.messages.append(("error" if said.severity == "error" else "warning", text))


def _step(metadata: Any) -> EngineStep:
    op = metadata.op.value if hasattr(metadata.op, "value") else str(metadata.op)
    return EngineStep(op, metadata.urn)


def _is_engine(number: int) -> bool:
    """Whether an engine runs as process ``number``, which may be a stranger's by now."""
    if Path("/proc/self").exists():
        try:
            return Path(f"/proc/{number}/exe").readlink().name.startswith("pulumi")
        except OSError:  # it has ended, or is another user's
            return False
    said = subprocess.run(["ps", "-p", str(number), "-o", "comm="], capture_output=True, text=True, check=False)  # noqa: S607
    return Path(said.stdout.strip()).name.startswith("pulumi")


def _fail(outcome: Outcome, text: str) -> None:
    """Note that the engine ended badly, of which the SDK says ``text``."""
    outcome.ok = False
    if killed := re.match(r"\s*code: -(\d+)", text):
        outcome.crashed = True
        outcome.messages.append(("error", f"the engine was killed by signal {killed[1]}"))
    elif not outcome.errors:
        outcome.messages.append(("error", _first_error(text)))


def _first_error(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if "error:" in line]
    return lines[0] if lines else text.strip().splitlines()[-1]
