"""The folder of a simulation: whose it is, who is at work in it, and the account in it."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from filelock import Timeout

from eks_accelerators.capacity.file_lock import lock_at
from eks_accelerators.simulator.aws.account import Account
from eks_accelerators.simulator.aws.bounds import in_bounds
from eks_accelerators.simulator.aws.existing_cluster import make_cluster
from eks_accelerators.simulator.aws.journal import Journal
from eks_accelerators.simulator.aws.world import ExistingCluster
from eks_accelerators.simulator.files import write
from eks_accelerators.simulator.seal import FILE as SEAL
from eks_accelerators.simulator.seal import START_OVER, read, sealed

FORMAT = 2
"""Of the folder; another one is not read."""

_JOURNAL, BEGINNING = "aws.jsonl", "simulation.json"


class SimulationError(Exception):
    """The simulation cannot go on; the message says why and what to do."""


@contextmanager
def own(folder: Path) -> Iterator[None]:
    """The folder to oneself: one command at a time. It is made where it is new, and nobody else's is touched."""
    _refuse_foreign(folder)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        held = lock_at(folder / "lock").acquire()
    except Timeout:
        raise SimulationError(f"another command is at work in {folder}; wait for it, or use another --state") from None
    except OSError as error:
        raise SimulationError(f"{error.filename or folder}: {error.strerror}; choose another --state") from None
    with held, sealed(folder):
        yield


@contextmanager
def account_in(folder: Path, *, region: str, now: datetime, world: Mapping[str, Any] | None) -> Iterator[Account]:
    """The account of one's own ``folder``. Where it is new its clock begins at ``now``, and ``world`` is put into it."""
    with Account(folder / _JOURNAL, region, begin(folder, region, now)) as account:
        if account.is_new and world:
            account.set_up(world)
            if found := world.get("cluster"):
                make_cluster(account, ExistingCluster.model_validate(found))
        yield account


def began(folder: Path) -> tuple[str, datetime] | None:
    """Region of the simulation in ``folder`` and where its clock began; None where there is none."""
    path = folder / BEGINNING
    if not path.exists():
        return None
    found = read(path, json.loads)
    if found.get("format") != FORMAT:
        raise SimulationError(f"{path} is damaged, or of another version; {START_OVER}")
    try:
        region, moment = found["region"], in_bounds(datetime.fromisoformat(found["began"]))
    except (KeyError, TypeError, ValueError):
        region = moment = None
    if not isinstance(region, str) or moment is None:
        raise SimulationError(f"{path} is damaged; {START_OVER}")
    if not Journal(folder / _JOURNAL).end.exists():
        raise SimulationError(f"{Journal(folder / _JOURNAL).end} is missing; put it back, or {START_OVER}")
    return region, moment


def begin(folder: Path, region: str, now: datetime) -> datetime:
    """Where the clock of the simulation in ``folder``, which is one's own, began: at ``now``, where it is new.

    Raises `SimulationError` where it is of another region, and `JournalError` where its journal is not whole.
    """
    if (found := began(folder)) is not None:
        if found[0] != region:
            raise SimulationError(
                f"the simulation in {folder} is of an account in {found[0]}, the stack is in {region}; "
                "destroy it there first, or use another --state"
            )
        Journal(folder / _JOURNAL).check()
        return found[1]
    beginning = {"format": FORMAT, "region": region, "began": now.isoformat()}
    Journal(folder / _JOURNAL).begin()
    write(folder / BEGINNING, json.dumps(beginning).encode())
    return now


def _refuse_foreign(folder: Path) -> None:
    """Touch nothing in a folder that is somebody else's."""
    if not folder.exists() or (folder / BEGINNING).exists():
        return
    end = Journal(folder / _JOURNAL).end.name
    begun = {"lock", SEAL, *(f"{name}{new}" for name in (BEGINNING, end, SEAL) for new in ("", ".new"))}
    if not folder.is_dir() or any(each.name not in begun for each in folder.iterdir()):
        raise SimulationError(
            f"{folder} is not empty and is not a simulation: it has no {BEGINNING}; choose another --state"
        )
