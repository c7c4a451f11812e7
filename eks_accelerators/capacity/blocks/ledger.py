"""What was bought, or was about to be, from this machine: written down before the call, and never forgotten.

JSON lines, each on the disk before anything else happens. An attempt begins with `intended`; what became of it follows.
An attempt without an outcome is unclear: the money may be gone.
"""

import json
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from filelock import Timeout

from eks_accelerators.capacity.file_lock import lock_at

FILE, LOCK = "purchases.jsonl", "purchases.lock"


class PurchaseOutcome(StrEnum):
    """What is known of an attempt."""

    INTENDED = "intended"
    """The call was about to be made; nobody wrote down what came of it."""
    UNCLEAR = "unclear"
    """The call was made, and its answer did not come or could not be read."""
    BOUGHT = "bought"
    REFUSED = "refused"
    """AWS said no: nothing was bought."""
    CLEARED = "cleared"
    """The user said that nothing was bought, after AWS showed nothing for long enough."""

    @property
    def is_open(self) -> bool:
        """Whether something may have been bought, and nobody knows."""
        return self in (PurchaseOutcome.INTENDED, PurchaseOutcome.UNCLEAR)


class LedgerError(Exception):
    """The ledger cannot be used, so nothing may be bought; the message says why."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One purchase that was begun. ``extends`` is the reservation that it makes longer, for an extension."""

    id: str
    at: datetime
    account: str
    region: str
    request: str
    offering: str
    what: str
    """What was to be bought, in words, with its price."""
    stack: str | None = None
    block: str | None = None
    extends: str | None = None
    outcome: PurchaseOutcome = PurchaseOutcome.INTENDED
    reservation: str | None = None
    written: bool = False
    """Whether the ID of the reservation is in the stack file."""
    note: str = ""
    """What AWS said, where it was no."""


class Ledger:
    """The ledger in ``folder``, for the one who holds its lock: `alone`."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE

    @property
    def path(self) -> Path:
        """Path of the file that the purchases are written to."""
        return self._path

    def attempts(self) -> list[Attempt]:
        """Every attempt, the oldest first."""
        return attempts(self._path.parent)

    def intend(
        self,
        at: datetime,
        *,
        account: str,
        region: str,
        request: str,
        offering: str,
        what: str,
        stack: str | None = None,
        block: str | None = None,
        extends: str | None = None,
    ) -> Attempt:
        """Write down that a purchase is about to be made."""
        attempt = Attempt(
            uuid.uuid4().hex, at, account, region, request, offering, what, stack=stack, block=block, extends=extends
        )
        plain = {name: getattr(attempt, name) for name in _BEGINNING}
        self._append({"event": PurchaseOutcome.INTENDED.value, **plain, "at": at.isoformat()})
        return attempt

    def settle(
        self, attempt: Attempt, outcome: PurchaseOutcome, *, reservation: str | None = None, note: str = ""
    ) -> Attempt:
        """Write down what became of it."""
        self._append({"event": outcome.value, "id": attempt.id, "reservation": reservation, "note": note})
        return replace(attempt, outcome=outcome, reservation=reservation, note=note)

    def written(self, attempt: Attempt) -> None:
        """Write down that the stack file has the ID."""
        self._append({"event": "written", "id": attempt.id})

    def _append(self, entry: dict[str, Any]) -> None:
        try:
            with self._path.open("ab") as file:
                file.write(json.dumps(entry).encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise LedgerError(f"{self._path} cannot be written: {error.strerror}") from None


_BEGINNING = ("id", "account", "region", "request", "offering", "what", "stack", "block", "extends")


@contextmanager
def alone(folder: Path) -> Iterator[Ledger]:
    """The ledger, to oneself: whoever else wants to buy meanwhile is refused. Raises `LedgerError`."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        held = lock_at(folder / LOCK).acquire()
    except Timeout:
        raise LedgerError("another purchase is being made on this machine; wait for it") from None
    except OSError as error:
        raise LedgerError(f"purchases are written down in {folder}, which cannot be: {error.strerror}") from None
    with held:
        _prepare(folder / FILE)
        yield Ledger(folder)


def attempts(folder: Path) -> list[Attempt]:
    """Every attempt in the ledger of ``folder``, the oldest first. Raises `LedgerError` where it is damaged."""
    path = folder / FILE
    try:
        lines = path.read_bytes().splitlines(keepends=True)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise LedgerError(f"{path} cannot be read: {error.strerror}") from None
    found: dict[str, Attempt] = {}
    for number, line in enumerate(lines, 1):
        if line.endswith(b"\n"):
            try:
                _read(found, json.loads(line))
            except (ValueError, KeyError, TypeError):
                raise LedgerError(f"{path} is damaged in line {number}: fix it before anything is bought") from None
    return list(found.values())


def _read(found: dict[str, Attempt], entry: dict[str, Any]) -> None:
    event, identifier = entry["event"], entry["id"]
    if event == PurchaseOutcome.INTENDED:
        found[identifier] = Attempt(
            at=datetime.fromisoformat(entry["at"]), **{name: entry[name] for name in _BEGINNING}
        )
    elif event == "written":
        found[identifier] = replace(found[identifier], written=True)
    else:
        found[identifier] = replace(
            found[identifier], outcome=PurchaseOutcome(event), reservation=entry["reservation"], note=entry["note"]
        )


def _prepare(path: Path) -> None:
    """Make the file where it is new, and take away a line that a crash cut short: nothing happened after it."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        with os.fdopen(descriptor, "r+b") as file:
            content = file.read()
            file.truncate(content.rfind(b"\n") + 1)
            os.fsync(file.fileno())
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        raise LedgerError(f"{path} cannot be written: {error.strerror}") from None
