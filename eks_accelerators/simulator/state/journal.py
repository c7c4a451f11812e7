"""The file to which the engine's journal is added, and that shows when it is not whole.

It has a line for each batch of entries, with a checksum over itself and all before it. The first says which state the
entries go on from, by its checksum, and the last one which state they have become: with them nobody folds entries into a
state that is not theirs, or twice. A line that a killed process has torn was never acknowledged. An empty file says that
there is a state.
"""

import json
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eks_accelerators.simulator.files import write
from eks_accelerators.simulator.seal import START_OVER, DamageError

_CHECK = b"%08x "


@dataclass(frozen=True, slots=True)
class Beginning:
    """The first line: the checksum of the state before, and the version of the CLI that writes the entries."""

    base: int
    version: str


class EngineJournal:
    """The journal of one stack, at ``path``."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._check = 0

    @property
    def is_open(self) -> bool:
        """Whether there are entries, or could be: an update has begun, and nobody has folded its entries."""
        return self.path.exists() and self.path.stat().st_size > 0

    def begin(self, beginning: Beginning) -> None:
        """Begin anew."""
        self.empty()
        self._check = 0
        self.add({"base": beginning.base, "version": beginning.version})

    def add(self, line: dict[str, Any]) -> None:
        """Write a line, at once: ``entries`` of the engine, or the checksum of the state that they become, ``folded``."""
        body = json.dumps(line, separators=(",", ":")).encode()
        self._check = zlib.crc32(body, self._check)
        with self.path.open("ab") as file:
            file.write(_CHECK % self._check + body + b"\n")

    def empty(self) -> None:
        """Nothing is open any more."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write(self.path, b"")

    def read(self) -> tuple[Beginning, list[dict[str, Any]]] | None:
        """The beginning, and the lines after it; None where not even that was written. A torn line goes.

        Raises `DamageError` where anything but the last line is not as it was written.
        """
        self._check = 0
        lines = list(self._lines())
        if not lines:
            return None
        try:
            return Beginning(**lines[0]), lines[1:]
        except TypeError:
            raise self._damaged() from None

    def _lines(self) -> Iterator[dict[str, Any]]:
        try:
            content = self.path.read_bytes()
        except OSError as error:
            raise DamageError(
                f"{self.path} cannot be read: {error.strerror}; make it readable, or {START_OVER}"
            ) from None
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            os.truncate(self.path, whole)
        for line in content.split(b"\n")[:-1]:
            body = line[len(_CHECK % 0) :]
            self._check = zlib.crc32(body, self._check)
            if line[: len(_CHECK % 0)] != _CHECK % self._check:
                raise self._damaged()
            yield json.loads(body)

    def _damaged(self) -> DamageError:
        return DamageError(f"{self.path} is damaged: it is not what the engine has sent; {START_OVER}")
