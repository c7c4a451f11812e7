"""Where the states of stacks lie, laid out as the CLI's own backend of files does: people read and change them with it.

Source: Pulumi 3.250.0, `pkg/backend/diy` and `sdk/go/common/apitype/core.go` (`VersionedCheckpoint`), read 2026-11-23.
"""

import json
import threading
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eks_accelerators.simulator.files import write
from eks_accelerators.simulator.seal import JOURNALS, DamageError, read
from eks_accelerators.simulator.state.journal import Beginning, EngineJournal
from eks_accelerators.simulator.state.locks import ORGANIZATION, lock, lock_of
from eks_accelerators.simulator.state.replay import Replay, features, schema_version

_META = b"version: 1\n"
"""That projects have folders of their own."""


@dataclass(frozen=True, slots=True)
class StackName:
    """A stack of a project."""

    project: str
    name: str


class Store:
    """The states of stacks in ``folder``. Safe to use from several threads."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._open: dict[StackName, tuple[EngineJournal, Replay]] = {}

    def file(self, stack: StackName) -> Path:
        """Where the state of a stack lies, whose journal was folded."""
        return self._folder / ".pulumi" / "stacks" / stack.project / f"{stack.name}.json"

    def create(self, stack: StackName) -> None:
        """Make an empty state; raises `FileExistsError` where there is one."""
        file = self.file(stack)
        if file.exists():
            raise FileExistsError(file)
        file.parent.mkdir(parents=True, exist_ok=True)
        meta = self._folder / ".pulumi" / "meta.yaml"
        if not meta.exists():
            write(meta, _META)
        self._write(stack, None)

    def deployment(self, stack: StackName) -> dict[str, Any] | None:
        """The deployment by now; None where nothing was deployed. Raises `DamageError` where a file is not whole."""
        with self._lock:
            if found := self._open.get(stack):
                return found[1].deployment()
            return self._stored(stack)

    def begin(self, stack: StackName, version: str, process: int) -> None:
        """An engine, of this version of the CLI and as this ``process``, begins to change a stack.

        Raises `FileExistsError` where somebody else does.
        """
        with self._lock:
            lock(lock_of(self._folder, stack.project, stack.name), process)
            journal = self._journal(stack)
            journal.begin(Beginning(self._checksum(stack), version))
            self._open[stack] = journal, Replay(self._stored(stack), version)

    def add(self, stack: StackName, entries: Sequence[Mapping[str, Any]]) -> None:
        """Write entries of its journal; raises `UnknownEntryError` where one is not known, and then writes none."""
        with self._lock:
            journal, replay = self._open[stack]
            replay.check(entries)
            journal.add({"entries": entries})
            replay.add(entries)

    def save(self, stack: StackName, deployment: Mapping[str, Any]) -> None:
        """Write the whole deployment, as an engine sends it that keeps no journal; what its journal had goes."""
        with self._lock:
            journal, replay = self._open[stack]
            self._write(stack, deployment)
            journal.begin(Beginning(self._checksum(stack), replay.version))
            self._open[stack] = journal, Replay(deployment, replay.version)

    def replace(self, stack: StackName, deployment: Mapping[str, Any]) -> None:
        """Write another deployment in place of the one that is there; raises `FileExistsError` while it is changed."""
        with self._lock:
            if stack in self._open:
                raise FileExistsError(self._journal(stack).path)
            self._write(stack, deployment)

    def end(self, stack: StackName) -> None:
        """The engine has ended well: its journal is folded, and its lock goes."""
        with self._lock:
            self._fold(stack, *self._open[stack])
            del self._open[stack]
            lock_of(self._folder, stack.project, stack.name).unlink(missing_ok=True)

    def settle(self) -> None:
        """Fold the journals of engines that were killed, or whose command was. Their locks stay, to be told of.

        Raises `DamageError` where a journal is not whole, or not of the state that is there.
        """
        with self._lock:
            self._open.clear()
            for path in sorted(self._journals().glob("*/*.jsonl")):
                journal, stack = EngineJournal(path), StackName(path.parent.name, path.stem)
                if journal.is_open:
                    self._settle(stack, journal)

    def _settle(self, stack: StackName, journal: EngineJournal) -> None:
        found = journal.read()
        if found is None:
            journal.empty()
            return
        beginning, lines = found
        deployment, there = self._stored(stack), self._checksum(stack)
        if lines and lines[-1].get("folded") == there:
            journal.empty()
            return
        if beginning.base != there:
            raise DamageError(
                f"{self.file(stack)} was changed after a command on it was killed: the journal of that command, "
                f"{journal.path}, no longer fits; remove the journal, and what the command did is forgotten"
            )
        replay = Replay(deployment, beginning.version)
        for line in lines:
            replay.add(line.get("entries", ()))
        self._fold(stack, journal, replay)

    def _fold(self, stack: StackName, journal: EngineJournal, replay: Replay) -> None:
        content = _versioned(stack, replay.deployment())
        journal.add({"folded": zlib.crc32(content)})
        write(self.file(stack), content)
        journal.empty()

    def _write(self, stack: StackName, deployment: Mapping[str, Any] | None) -> None:
        write(self.file(stack), _versioned(stack, deployment))

    def _stored(self, stack: StackName) -> dict[str, Any] | None:
        file = self.file(stack)
        found: dict[str, Any] | None = (read(file, json.loads).get("checkpoint") or {}).get("latest")
        return found

    def _checksum(self, stack: StackName) -> int:
        return zlib.crc32(self.file(stack).read_bytes())

    def _journal(self, stack: StackName) -> EngineJournal:
        return EngineJournal(self._journals() / stack.project / f"{stack.name}.jsonl")

    def _journals(self) -> Path:
        return self._folder / JOURNALS


def _versioned(stack: StackName, deployment: Mapping[str, Any] | None) -> bytes:
    needed = features(deployment or {})
    found: dict[str, Any] = {"version": schema_version(needed)}
    if needed:
        found["features"] = needed
    found["checkpoint"] = {"stack": f"{ORGANIZATION}/{stack.project}/{stack.name}"}
    if deployment is not None:
        found["checkpoint"]["latest"] = deployment
    return json.dumps(found).encode()
