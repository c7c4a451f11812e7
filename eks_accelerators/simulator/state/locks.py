"""Who is at work on the state of a stack: files as the CLI's own backend of files has them, so that it heeds them too.

Source: Pulumi 3.250.0, `pkg/backend/diy/lock.go`, read 2026-11-23.
"""

import json
import os
import socket
from datetime import UTC, datetime
from pathlib import Path

from eks_accelerators.simulator.files import write

ORGANIZATION = "organization"
"""Whose stacks they are: what the CLI's own backend of files calls it, so that programs are told the same."""

_OWN = "simulation.json"


def locks(folder: Path) -> list[Path]:
    """All locks in a folder of states."""
    return sorted((folder / ".pulumi" / "locks").rglob("*.json"))


def lock_of(folder: Path, project: str, stack: str) -> Path:
    """The lock that a simulation's engine holds while it changes a stack."""
    return folder / ".pulumi" / "locks" / ORGANIZATION / project / stack / _OWN


def lock(path: Path, process: int) -> None:
    """Note that ``process`` is at work; raises `FileExistsError` where another is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {
        "pid": process,
        "username": os.environ.get("USER") or str(os.getuid()),
        "hostname": socket.gethostname(),
        "timestamp": datetime.now(UTC).isoformat(),
    }
    if others := [each for each in path.parent.glob("*.json") if each != path]:
        raise FileExistsError(others[0])
    write(path, json.dumps(content).encode())


def process_of(path: Path) -> int | None:
    """Who holds a lock; None where it was being written, or removed."""
    try:
        return int(json.loads(path.read_text(encoding="utf-8"))["pid"])
    except (OSError, ValueError, KeyError):
        return None


def is_own(path: Path) -> bool:
    """Whether a simulation's engine holds a lock, and not somebody who runs the CLI by himself."""
    return path.name == _OWN
