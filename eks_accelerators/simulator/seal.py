"""What the files of a simulation were when the last command ended: whatever happened to them since is said, with a remedy.

The seal is broken while a command is at work, so one that is killed leaves none, and the next takes the files as they
are. Two things have no place under it: the journal of the account, which tells by itself whether it is whole, and the
state of the engine, which people change with the engine's own command line; that one must be readable at least.
"""

import json
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from eks_accelerators.simulator.files import write

FILE = "seal.json"
JOURNALS = "journals"
"""Folder of the engine's journals in that of its states; the journal of a state stays, emptied, as long as the state does."""

START_OVER = "start again with --fresh, which removes what is deployed there"
_SEALED = ("simulation.json", "passphrase", "kubernetes/**/*", "workspace/Pulumi.*.yaml", "pulumi/.pulumi/meta.yaml")
_MADE_ANEW = (
    "kubernetes/lock",
    "kubernetes/kubeconfig",
    *(f"kubernetes/{name}.{part}" for name in ("apiserver", "front-proxy-client") for part in ("crt", "key")),
)
"""Files that every command makes, or that say nothing."""
_CHUNK = 1 << 20


class DamageError(ValueError):
    """A file is not what it was; the message names it, and what to do."""


@contextmanager
def sealed(folder: Path) -> Iterator[None]:
    """Inside, the files may change. Raises `DamageError` where they have changed since the last command."""
    _check(folder)
    (folder / FILE).unlink(missing_ok=True)
    try:
        yield
    finally:
        sums = {str(path.relative_to(folder)): _checksum(path) for path in _files(folder)}
        write(folder / FILE, json.dumps(sums, indent=1).encode())


def check_engine(backend: Path, workspace: Path) -> None:
    """Raise `DamageError` where files of the engine cannot be read, or are missing although something is deployed.

    Settings that an engine left unfinished before anything was deployed are removed: they are made again.
    """
    stacks = {path.stem: path for path in sorted((backend / ".pulumi" / "stacks").glob("*/*.json"))}
    deployed = {name for name, path in stacks.items() if _resources(path)}
    for name in deployed:
        _must_have("version", backend / ".pulumi" / "meta.yaml")
        _must_have("encryptionsalt", workspace / f"Pulumi.{name}.yaml")
    for settings in workspace.glob("Pulumi.*.yaml"):
        try:
            read(settings, yaml.safe_load)
        except DamageError:
            settings.unlink()
    for kept in sorted((backend / JOURNALS).glob("*/*.jsonl")):
        if kept.stem not in stacks:
            path = backend / ".pulumi" / "stacks" / kept.parent.name / f"{kept.stem}.json"
            raise DamageError(f"{path} is missing; put it back, or {START_OVER}")


def _resources(state: Path) -> list[Any]:
    checkpoint = read(state, json.loads).get("checkpoint")
    if not isinstance(checkpoint, dict):
        raise DamageError(f"{state} is damaged: it has no checkpoint; put a whole one in its place, or {START_OVER}")
    return (checkpoint.get("latest") or {}).get("resources") or []


def _must_have(key: str, path: Path) -> None:
    if key not in read(path, yaml.safe_load):
        raise DamageError(f"{path} is damaged: it has no {key}; put a whole one in its place, or {START_OVER}")


def read(path: Path, parse: Callable[[str], Any]) -> dict[str, Any]:
    """The object in a file; raises `DamageError` where it cannot be read."""
    try:
        found = parse(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DamageError(f"{path} is missing; put it back, or {START_OVER}") from None
    except OSError as error:
        raise DamageError(f"{path} cannot be read: {error.strerror}; make it readable, or {START_OVER}") from None
    except (ValueError, yaml.YAMLError):
        found = None
    if not isinstance(found, dict):
        raise DamageError(f"{path} is damaged; put a whole one in its place, or {START_OVER}")
    return found


def _check(folder: Path) -> None:
    seal = folder / FILE
    if not seal.exists():
        return
    try:
        sums = {str(name): int(found) for name, found in json.loads(seal.read_bytes()).items()}
    except (OSError, ValueError, TypeError, AttributeError):
        raise DamageError(f"{seal} is damaged; remove it, and the other files are taken as they are") from None
    for name, before in sums.items():
        try:
            now = _checksum(folder / name)
        except FileNotFoundError:
            raise DamageError(f"{folder / name} is missing; put it back, or {START_OVER}") from None
        except OSError as error:
            raise DamageError(
                f"{folder / name} cannot be read: {error.strerror}; make it readable, or {START_OVER}"
            ) from None
        if now != before:
            raise DamageError(f"{folder / name} is damaged: it is not what the last command left; {START_OVER}")


def _files(folder: Path) -> list[Path]:
    found = {path for pattern in _SEALED for path in folder.glob(pattern) if path.is_file()}
    return sorted(found - {folder / name for name in _MADE_ANEW})


def _checksum(path: Path) -> int:
    found = 0
    with path.open("rb", buffering=0) as file:
        while chunk := file.read(_CHUNK):
            found = zlib.crc32(chunk, found)
    return found
