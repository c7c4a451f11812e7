"""What changes in data files, one value a line."""

import json
from collections.abc import Iterator
from typing import Any

from eks_accelerators.capacity.facts.found import ABSENT, Change, Kept
from eks_accelerators.capacity.facts.refreshing import Refreshed
from eks_accelerators.settings.paths import dotted


def lines(files: list[Refreshed]) -> Iterator[str]:
    """What is added, changed and removed in each file, and what stays though AWS answers otherwise."""
    for each in files:
        merged = each.merged
        if merged.changes:
            count = len(merged.changes)
            yield f"{each.path.name}: {count} {'value changes' if count == 1 else 'values change'}"
            for change in merged.changes:
                yield from _change(change)
        for kept in merged.kept:
            yield from _kept(each, kept)


def _change(change: Change) -> Iterator[str]:
    name = dotted(change.path)
    if change.before is ABSENT and isinstance(change.after, dict):
        yield f"  + {name}"
        yield from (f"      {key}: {_json(value)}" for key, value in change.after.items())
    elif change.before is ABSENT:
        yield f"  + {name}: {_json(change.after)}"
    elif isinstance(change.before, list) and isinstance(change.after, list):
        yield f"  ~ {name}: {_of_lists(change.before, change.after)}"
    else:
        yield f"  ~ {name}: {_json(change.before)} -> {_json(change.after)}"
    yield f"      {change.source}"


def _of_lists(before: list[Any], after: list[Any]) -> str:
    gone = [f"- {_json(value)}" for value in before if value not in after]
    new = [f"+ {_json(value)}" for value in after if value not in before]
    return ", ".join([*gone, *new]) or f"{_json(before)} -> {_json(after)}"


def _kept(file: Refreshed, kept: Kept) -> Iterator[str]:
    yield f"{file.path.name}: {dotted(kept.path)} stays {_json(kept.value)}, AWS answers {_json(kept.answered)}"
    yield f"      by hand: {kept.reason}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
