"""What AWS answered for one value of a data file, and what becomes of the file.

A value is where its path says; in a list, a text is the first value of the row that is meant: its name. A file keeps under
`answered` which values AWS answered since the file's own `sources` were written, and under `by_hand` which ones are known better
than AWS answers them, with the reason.
"""

from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from datetime import date
from typing import Any

from eks_accelerators.settings.paths import Part, dotted

Path = tuple[Part, ...]


class _Absent:
    """No value, which is another thing than null: that is one that is not known."""

    def __repr__(self) -> str:
        return "nothing"


ABSENT = _Absent()


@dataclass(frozen=True, slots=True)
class FactValue:
    """A value as AWS answered it. ``source`` says who answered.

    ``source_at`` is the path of the source where the file keeps it beside the value; otherwise it is in `answered`.
    """

    path: Path
    value: Any
    source: str
    source_at: Path | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """A value that is another than AWS answers. ``before`` is `ABSENT` where the file lacks it."""

    path: Path
    before: Any
    after: Any
    source: str


@dataclass(frozen=True, slots=True)
class Kept:
    """A value by hand that stays, though AWS answers another."""

    path: Path
    value: Any
    answered: Any
    reason: str


@dataclass(frozen=True, slots=True)
class Merged:
    """A data file with what AWS answered, and what that changes."""

    document: dict[str, Any]
    changes: tuple[Change, ...]
    kept: tuple[Kept, ...]


def merge(document: Mapping[str, Any], found: Iterable[FactValue], today: date) -> Merged:
    """``document`` with the values that were found. Those that were not asked for stay as they are.

    A value that is the same keeps its older source: who found it first.
    """
    new, changes, kept = deepcopy(dict(document)), [], []
    by_hand: dict[str, str] = new.get("by_hand", {})
    for each in found:
        before, name = _at(new, each.path), dotted(each.path)
        if before == each.value:
            continue
        if name in by_hand:
            kept.append(Kept(each.path, before, each.value, by_hand[name]))
            continue
        _set(new, each.path, each.value)
        source = f"{each.source}, {today.isoformat()}"
        if each.source_at:
            _set(new, each.source_at, source)
        else:
            _answer(new, name, source)
        changes.append(Change(each.path, before, each.value, source))
    return Merged(new, tuple(changes), tuple(kept))


def answered(document: Mapping[str, Any], path: Path) -> str | None:
    """Who answered the value at ``path``, and when; None where it is of the file's own sources."""
    notes: Mapping[str, str] = document.get("answered", {})
    for length in range(len(path), 0, -1):
        if source := notes.get(dotted(path[:length])):
            return source
    return None


def _answer(document: dict[str, Any], name: str, source: str) -> None:
    notes = document.setdefault("answered", {})
    for older in [key for key in notes if key.startswith((f"{name}.", f"{name}["))]:
        del notes[older]
    notes[name] = source


def _at(document: Any, path: Path) -> Any:
    for part in path:
        document = _child(document, part)
        if document is ABSENT:
            return ABSENT
    return document


def _child(node: Any, part: Part) -> Any:
    if isinstance(node, list):
        if isinstance(part, int):
            return node[part] if part < len(node) else ABSENT
        return next((row for row in node if _name(row) == part), ABSENT)
    return node.get(part, ABSENT) if isinstance(node, dict) else ABSENT


def _name(row: Any) -> Any:
    """The name of a row: its first value."""
    if isinstance(row, dict):
        return next(iter(row.values()), None)
    return row[0] if isinstance(row, list) and row else None


def _set(document: dict[str, Any], path: Path, value: Any) -> None:
    parent, last = _at(document, path[:-1]), path[-1]
    if parent is None or parent is ABSENT:
        parent = {}
        _set(document, path[:-1], parent)
    if isinstance(parent, dict):
        parent[str(last)] = value
    elif isinstance(last, int):
        parent[last] = value
    else:
        parent.append(value)
