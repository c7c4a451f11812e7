"""The Pulumi CLI as a process that can be interrupted."""

import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, get_args

from pulumi import automation
from pulumi.automation.errors import create_command_error
from semver import VersionInfo

from eks_accelerators.simulator.interruption import Interrupted
from eks_accelerators.simulator.outcome import Action

QUIET = {
    "PULUMI_SKIP_UPDATE_CHECK": "true",
    "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
    "PULUMI_EXPERIMENTAL": "",
    "NO_COLOR": "1",
}

_PACE = {"GOGC": "400", "PULUMI_JOURNALING_BATCH_PERIOD": "5"}
"""How the engine uses memory and time; who sets a variable has it otherwise.

With five times its live memory before Go's collector runs, instead of twice, a deployment takes a seventh less CPU. A step waits
until its entries are acknowledged: they are sent every 5 milliseconds, instead of every 50.
"""


class PulumiCommand(automation.PulumiCommand):
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
    said = subprocess.run([str(pulumi), "version"], capture_output=True, text=True, check=True, env=QUIET).stdout
    return VersionInfo.parse(said.strip().removeprefix("v"))
