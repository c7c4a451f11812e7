"""What one tree of plain values has that another has not: short to read beside the other, and enough to make the one of it.

A difference has the shape of what it is about, and in it only what is not the same:

    whole       {"size": {"min": 1, "max": 6}, "efa": True, "zones": ["a", "b"], "disks": [{"gib": 50}, {"gib": 90}]}
    other       {"size": {"min": 1, "max": 2}, "zones": ["a"], "disks": [{"gib": 50}, {"gib": 95}], "spot": True}
    difference  {"size": {"max": 2}, "efa": "(not here)", "zones": ["a"], "disks": {"[1]": {"gib": 95}}, "spot": True}

It is a JSON merge patch (RFC 7386) but for three things: null is a value, the order of keys counts, and lists of as many
mappings are told item by item, others whole.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

NOT_HERE = "(not here)"
"""In the place of what only the whole has."""

INSTEAD = "(instead)"
"""The only key where a mapping replaces another, or a list, since the order of their keys is another one, say."""


def difference(whole: Any, other: Any) -> Any:
    """What `applied` makes ``other`` of, with ``whole``."""
    told = _told(whole, other)
    if told is not None and same(applied(whole, told), other):
        return told
    return {INSTEAD: other} if isinstance(whole, dict | list) and isinstance(other, dict) else other


def applied(whole: Any, told: Any) -> Any:
    """``whole`` with a `difference`."""
    if not isinstance(whole, dict | list) or not isinstance(told, dict):
        return told
    if list(told) == [INSTEAD]:
        return told[INSTEAD]
    if isinstance(whole, list):
        return [applied(item, told[key]) if (key := f"[{index}]") in told else item for index, item in enumerate(whole)]
    kept = [key for key in _keys(whole, told) if told.get(key) != NOT_HERE]
    changed = whole | told | {key: applied(whole[key], told[key]) for key in told if key in whole}
    return {key: changed[key] for key in kept}


def _told(whole: Any, other: Any) -> dict[str, Any] | None:
    """The members of a difference; None where only the whole of ``other`` can be told."""
    if isinstance(whole, list) and isinstance(other, list):
        if len(whole) != len(other) or not all(isinstance(item, dict) for item in [*whole, *other]):
            return None
        pairs = enumerate(zip(whole, other, strict=True))
        return {f"[{index}]": difference(one, two) for index, (one, two) in pairs if not same(one, two)}
    if not isinstance(whole, dict) or not isinstance(other, dict):
        return None
    told: dict[str, Any] = {}
    for key in _keys(whole, other):
        if key not in other:
            told[key] = NOT_HERE
        elif key not in whole:
            told[key] = other[key]
        elif not same(whole[key], other[key]):
            told[key] = difference(whole[key], other[key])
    return told


def _keys(whole: dict[str, Any], other: dict[str, Any]) -> list[str]:
    """All of both: new ones come last, or in their place where the others are in order."""
    keys = [*whole, *(key for key in other if key not in whole)]
    return sorted(keys) if list(whole) == sorted(whole) else keys


def same(one: Any, two: Any) -> bool:
    """Whether both are equal, with the order of keys, and no number is a truth value or of another kind."""
    return json.dumps(one) == json.dumps(two)


def by_name(items: Iterable[Mapping[str, Any]], name_of: Callable[[Mapping[str, Any]], str]) -> dict[str, Any]:
    """Items of a list by what names each of them, so that those of two lists meet; `listed` is the way back."""
    found: dict[str, Any] = {}
    for item in items:
        name = name_of(item)
        assert name not in found, f"{name} is there twice"
        found[name] = item
    return found


def listed(named: Mapping[str, Any]) -> list[Any]:
    """The items again."""
    return list(named.values())
