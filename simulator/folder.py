"""The folder of a simulation: whose it is, who is at work in it, and the account in it."""

import fcntl
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from simulator.aws.account import Account
from simulator.aws.existing_cluster import make_cluster
from simulator.aws.world import ExistingCluster
from simulator.files import write

FORMAT = 1
"""Of the folder; another one is not read."""


class SimulationError(Exception):
    """The simulation cannot go on; the message says why and what to do."""


@contextmanager
def own(folder: Path) -> Iterator[None]:
    """The folder to oneself: one command at a time. It is made where it is new, and nobody else's is touched."""
    _refuse_foreign(folder)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise SimulationError(
                f"another command is at work in {folder}; wait for it, or use another --state"
            ) from None
        yield


@contextmanager
def account_in(
    folder: Path, *, region: str, now: datetime, world: Mapping[str, Any] | None = None
) -> Iterator[Account]:
    """The account of one's own ``folder``. Where it is new its clock begins at ``now``, and ``world`` is put into it."""
    with Account(folder / "aws.jsonl", region, _began(folder, region, now)) as account:
        if account.is_new and world:
            account.set_up(world)
            if found := world.get("cluster"):
                make_cluster(account, ExistingCluster.model_validate(found))
        yield account


def began(folder: Path) -> tuple[str, datetime] | None:
    """Region of the simulation in ``folder`` and where its clock began; None where there is none."""
    path = folder / "simulation.json"
    if not path.exists():
        return None
    found = json.loads(path.read_text(encoding="utf-8"))
    if found["format"] != FORMAT:
        raise SimulationError(f"{folder} was made by another version; start again with --fresh")
    return found["region"], datetime.fromisoformat(found["began"])


def refuse_another_region(folder: Path, region: str) -> None:
    """Raise `SimulationError` where the simulation in ``folder`` is of another region."""
    found = began(folder)
    if found is not None and found[0] != region:
        raise SimulationError(
            f"the simulation in {folder} is of an account in {found[0]}, the stack is in {region}; "
            "destroy it there first, or use another --state"
        )


def _refuse_foreign(folder: Path) -> None:
    """Touch nothing in a folder that is somebody else's."""
    if not folder.exists() or (folder / "simulation.json").exists():
        return
    if not folder.is_dir() or any(each.name not in ("lock", "simulation.json.new") for each in folder.iterdir()):
        raise SimulationError(f"{folder} is not empty and is not a simulation; choose another --state")


def _began(folder: Path, region: str, now: datetime) -> datetime:
    """Where the clock of the simulation began: at ``now``, where it is new."""
    if (found := began(folder)) is not None:
        refuse_another_region(folder, region)
        return found[1]
    beginning = {"format": FORMAT, "region": region, "began": now.isoformat()}
    write(folder / "simulation.json", json.dumps(beginning).encode())
    return now
