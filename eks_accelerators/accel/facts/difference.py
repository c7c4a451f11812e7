"""What changes in data files, one value a line."""

import json
from collections.abc import Iterator, Sequence

from pydantic import JsonValue

from eks_accelerators.accel.reports.facts_refresh import FactsRefreshReport, RefreshedFile, RefreshedValue, ValueByHand


def lines(report: FactsRefreshReport) -> Iterator[str]:
    """What is added and changed in each file, what stays though AWS answers otherwise, and what AWS did not say."""
    for each in report.files:
        if each.changes:
            count = len(each.changes)
            yield f"{each.file}: {count} {'value changes' if count == 1 else 'values change'}"
            for change in each.changes:
                yield from _change(change)
        for kept in each.kept:
            yield from _kept(each, kept)
    yield from (f"stays as it is: {line}" for line in report.untold)
    yield from (f"not answered: {line}" for line in report.unanswered)
    if not report.changed:
        yield "No value changes."


def _change(change: RefreshedValue) -> Iterator[str]:
    if change.change == "added" and isinstance(change.after, dict):
        yield f"  + {change.path}"
        yield from (f"      {key}: {_json(value)}" for key, value in change.after.items())
    elif change.change == "added":
        yield f"  + {change.path}: {_json(change.after)}"
    elif isinstance(change.before, list | tuple) and isinstance(change.after, list | tuple):
        yield f"  ~ {change.path}: {_of_lists(change.before, change.after)}"
    else:
        yield f"  ~ {change.path}: {_json(change.before)} -> {_json(change.after)}"
    yield f"      {change.source}"


def _of_lists(before: Sequence[JsonValue], after: Sequence[JsonValue]) -> str:
    gone = [f"- {_json(value)}" for value in before if value not in after]
    new = [f"+ {_json(value)}" for value in after if value not in before]
    return ", ".join([*gone, *new]) or f"{_json(before)} -> {_json(after)}"


def _kept(file: RefreshedFile, kept: ValueByHand) -> Iterator[str]:
    yield f"{file.file}: {kept.path} stays {_json(kept.value)}, AWS answers {_json(kept.answered)}"
    yield f"      by hand: {kept.reason}"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
