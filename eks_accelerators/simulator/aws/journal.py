"""The journal of an account: a file to which lines are added while it is in use, and that shows when it is not whole.

Every line has a checksum over itself and all before it. A second file says how many lines there are, and the checksum of
the last one: it is written after each line, so a process that is killed leaves at most one line more than it says, and
that one perhaps torn. Whatever else differs is damage, and refused.
"""

import json
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from eks_accelerators.simulator.files import write

_END = "%d %08x\n"
_CHECK = b'{"check": "%08x", '
START_OVER = "start again with --fresh, which removes what is deployed there"


class JournalError(ValueError):
    """The journal cannot be used; the message names the file, and what to do."""


class Journal:
    """The journal at ``path``, and the file beside it that says where it ends."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.end = path.with_suffix(".end")
        self._count, self._check = 0, 0

    def begin(self) -> None:
        """Make the journal, without an entry."""
        self._write_end()

    def entries(self) -> Iterator[dict[str, Any]]:
        """All entries, in order. A last line that was cut short by a crash is a call whose answer nobody got: it goes, so
        that the next one does not become its end. Raises `JournalError` where anything else is not as it was written.
        """
        self._count, self._check = 0, 0
        expected = self._read_end()
        lines = self._lines(whole=expected[0])
        if len(lines) not in (expected[0], expected[0] + 1):
            raise self._damaged(f"has {len(lines)} lines, and {self.end.name} says {expected[0]}")
        for line in lines:
            yield self._parsed(line)
            if self._count == expected[0] and self._check != expected[1]:
                raise self._damaged(f"is not the one that {self.end.name} is of")
        if self._count != expected[0]:
            self._write_end()

    def check(self) -> None:
        """Raise `JournalError` where it is not whole."""
        for _ in self.entries():
            pass

    def add(self, entry: dict[str, Any]) -> None:
        """Append ``entry`` as a line with its checksum, before this returns."""
        body = json.dumps(entry, default=_as_text).encode()[1:]
        self._count, self._check = self._count + 1, zlib.crc32(body, self._check)
        with self.path.open("ab") as file:
            file.write(_CHECK % self._check + body + b"\n")
        self._write_end()

    def refused(self, number: int, error: Exception) -> JournalError:
        """Why line ``number``, which is whole, cannot be done again."""
        return JournalError(
            f"{self.path} was written by another version: this one cannot do line {number} again ({error}); {START_OVER}"
        )

    def _lines(self, whole: int) -> list[bytes]:
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            content = b""
        except OSError as error:
            raise JournalError(
                f"{self.path} cannot be read: {error.strerror}; make it readable, or {START_OVER}"
            ) from None
        lines = content.splitlines(keepends=True)
        if len(lines) == whole + 1 and not lines[-1].endswith(b"\n"):
            os.truncate(self.path, sum(map(len, lines[:-1])))
            lines.pop()
        return lines

    def _parsed(self, line: bytes) -> dict[str, Any]:
        self._count += 1
        head, body = line[: len(_CHECK % 0)], line[len(_CHECK % 0) :].removesuffix(b"\n")
        self._check = zlib.crc32(body, self._check)
        if head != _CHECK % self._check or not line.endswith(b"\n"):
            raise self._damaged(f"is damaged in line {self._count}")
        return cast("dict[str, Any]", json.loads(b"{" + body))

    def _read_end(self) -> tuple[int, int]:
        try:
            said = self.end.read_text(encoding="ascii")
            count, check = (int(part, base) for part, base in zip(said.split(), (10, 16), strict=True))
        except FileNotFoundError:
            if self.path.exists():
                raise self._damaged("is missing", self.end) from None
            self.begin()
            return 0, 0
        except OSError as error:
            raise JournalError(
                f"{self.end} cannot be read: {error.strerror}; make it readable, or {START_OVER}"
            ) from None
        except ValueError:
            raise self._damaged("is damaged", self.end) from None
        if said != _END % (count, check):
            raise self._damaged("is damaged", self.end)
        return count, check

    def _write_end(self) -> None:
        write(self.end, (_END % (self._count, self._check)).encode())

    def _damaged(self, how: str, path: Path | None = None) -> JournalError:
        return JournalError(f"{path or self.path} {how}; {START_OVER}")


def _as_text(value: Any) -> str:
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    raise TypeError(f"{value!r} cannot be in the journal")
