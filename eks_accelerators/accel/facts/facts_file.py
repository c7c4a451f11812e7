"""Writing the user's own facts, `facts/instance-types.json` in the folder of the Pulumi program."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from eks_accelerators.capacity.facts.layout import written
from eks_accelerators.settings.own_facts import own_facts
from eks_accelerators.settings.problems import SettingsError, errors
from eks_accelerators.settings.project import OWN_FACTS

_DEPTH = 2


def put(project: Path, row: Mapping[str, Any]) -> Path:
    """Write the row, in place of one of the same name. Raises `SettingsError` where the file cannot be read."""
    name = row["instance_type"]
    return _write(project, [*(each for each in _rows(project) if each["instance_type"] != name), row])


def take(project: Path, name: str) -> bool:
    """Remove the row called ``name``; whether there was one. Raises `SettingsError` where the file cannot be read."""
    rows = _rows(project)
    kept = [row for row in rows if row["instance_type"] != name]
    if len(kept) < len(rows):
        _write(project, kept)
    return len(kept) < len(rows)


def _rows(project: Path) -> list[dict[str, Any]]:
    if problems := errors(own_facts(project).problems):
        raise SettingsError(problems)
    path = project / OWN_FACTS
    if not path.exists():
        return []
    rows: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["instance_types"]
    return rows


def _write(project: Path, rows: list[Any]) -> Path:
    path = project / OWN_FACTS
    path.parent.mkdir(exist_ok=True)
    document = {"schema": 1, "units": {"memory_mib": "MiB", "prices": "USD per hour"}, "instance_types": rows}
    path.write_text(written(document, _DEPTH), encoding="utf-8")
    return path
