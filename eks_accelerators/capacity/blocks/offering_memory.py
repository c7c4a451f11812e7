"""Offerings as they were shown, so that a purchase by ID knows what the buyer has seen."""

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from eks_accelerators.capacity.aws_calls.call import iso_text
from eks_accelerators.capacity.blocks.offering import Offering
from eks_accelerators.capacity.blocks.state_folder import state_folder

FILE = "offerings.json"
_MOST = 500
"""Offerings that are remembered; the oldest go."""


def remember(folder: Path | None, offerings: Iterable[Offering]) -> None:
    """Keep what was shown, in ``folder`` or the user's own. Where that cannot be written, a purchase asks for more words."""
    path = (folder or state_folder()) / FILE
    known = {**_read(path), **{offering.id: _written(offering) for offering in offerings}}
    kept = dict(list(known.items())[-_MOST:])
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        unfinished = path.with_name(f"{FILE}.{os.getpid()}.new")
        unfinished.write_text(json.dumps(kept, indent=1), encoding="utf-8")
        unfinished.replace(path)
    except OSError:
        return


def recall(folder: Path | None, identifier: str) -> Offering | None:
    """The offering as it was last shown, or None."""
    found = _read((folder or state_folder()) / FILE).get(identifier)
    try:
        return _offering(found) if found else None
    except (KeyError, TypeError, ValueError, ArithmeticError):
        return None


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _written(offering: Offering) -> dict[str, Any]:
    return {key: value if isinstance(value, int) else iso_text(value) for key, value in asdict(offering).items()}


def _offering(found: Mapping[str, Any]) -> Offering:
    values = {field.name: found[field.name] for field in fields(Offering)}
    for name in ("start", "end"):
        values[name] = datetime.fromisoformat(values[name])
    return Offering(**{**values, "fee": Decimal(values["fee"])})
