"""The fix of a value of the wrong kind, or beyond a limit, as the user can type it."""

import math
import re
from collections.abc import Sequence
from typing import Any

from eks_accelerators.accelerators.suggest import closest
from eks_accelerators.settings.field_words import Field, in_yaml
from eks_accelerators.settings.paths import Part
from eks_accelerators.settings.pattern_words import nearest

_BOOLEANS = {
    **dict.fromkeys(("true", "yes", "on", "y", "1", "enabled"), "true"),
    **dict.fromkeys(("false", "no", "off", "n", "0", "disabled"), "false"),
}
_LONGEST = 60
"""Characters of a text that is repeated in a fix."""

_LARGEST = 1e15
"""Numbers beyond it are in no field, so that nobody can say what was meant; a float of more digits is another number."""

_MEASURED = re.compile(r"\s*\$?\s*(-?\d+(?:\.\d+)?)\s*([A-Za-z%/$]*)\s*")
_UNITS = {"gib": 1, "gi": 1, "g": 1, "gb": 1, "tib": 1024, "ti": 1024, "t": 1024, "tb": 1024}
"""GiB in a unit, as people mean it who write it for the size of a disk."""


def fix_of(loc: Sequence[Part], value: Any, field: Field) -> str:
    """What to write in place of ``value`` at ``loc``, where ``field`` says what is allowed."""
    key = written_key(loc)
    in_list = bool(loc) and isinstance(loc[-1], int)
    better = _better(key, value, field)
    if better is not None:
        return f"write `{_written(key, better, in_list)}`{_aside(value, field)}"
    if field.words_allowed:
        return f"write one of: {field.words}"
    if field.example and field.kind == "string":
        return f"write for example `{_written(key, field.example, in_list)}`"
    return _general(key, value, field, in_list)


def written_key(loc: Sequence[Part]) -> str:
    """The key of the value at ``loc``, or of the list that it stands in, as the user writes it."""
    key = next((str(part) for part in reversed(loc) if isinstance(part, str)), "")
    return "aws:region" if tuple(loc) == ("region",) else key


def _written(key: str, value: str, in_list: bool) -> str:
    return value if in_list or not key else f"{key}: {value}"


def _better(key: str, value: Any, field: Field) -> str | None:
    """What was most likely meant, as it is written; None where nobody knows."""
    if field.words_allowed:
        return closest(str(value), map(str, field.words_allowed)) if isinstance(value, str) else None
    match field.kind:
        case "integer" | "number":
            return _number(key, value, field)
        case "boolean":
            return _BOOLEANS.get(str(value).strip().lower())
        case "string":
            return None if field.is_time else _text(value, field)
        case "array":
            return _list(value, field)
        case "object":
            return _below(value, field)
    return None


def _number(key: str, value: Any, field: Field) -> str | None:
    if isinstance(value, str):
        found = _MEASURED.fullmatch(value.replace(",", ""))
        if not found:
            return None
        in_gib = key.endswith("Gib") or key == "gib"
        factor = _UNITS.get(found[2].lower(), 1) if in_gib else 1
        value = float(found[1]) * factor
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    limited = max(value, field.schema.get("minimum", value))
    limited = min(limited, field.schema.get("maximum", limited))
    if not -_LARGEST < limited < _LARGEST or (isinstance(value, float) and abs(value) >= _LARGEST):
        return None
    if limited <= field.schema.get("exclusiveMinimum", -math.inf):
        return None
    return str(round(limited)) if field.kind == "integer" or limited == int(limited) else str(limited)


def _text(value: Any, field: Field) -> str | None:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, int | float):
        value = in_yaml(value)
    if not isinstance(value, str) or not value.strip() or len(value) > _LONGEST:
        return None
    pattern, most = field.schema.get("pattern"), field.schema.get("maxLength")
    found = nearest(value, pattern) if pattern else value
    return in_yaml(found) if found and (most is None or len(found) <= most) else None


def _below(value: Any, field: Field) -> str | None:
    """The keys with which ``value`` means what it says: it names one of them, or is the value of the only one that it can be."""
    if isinstance(value, str) and (named := closest(value, field.keys)):
        child = field.child(named)
        return f"{{{named}: {'{}' if child.kind == 'object' and not child.required else child.example or '...'}}}"
    candidates = field.required or tuple(field.keys)
    for name in candidates if isinstance(value, str | int | float) else ():
        child = field.child(name)
        is_word = bool(child.words_allowed) and value in child.words_allowed
        is_only = len(field.required) == 1 and child.kind in ("integer", "number") and not isinstance(value, bool)
        is_switch = child.kind == "boolean" and name == "enabled"
        if is_word or (is_only and not isinstance(value, str)) or is_switch:
            better = str(value) if is_word else _better(name, value, child)
            return f"{{{name}: {better}}}" if better else None
    return _by_form(value, field)


def _by_form(value: Any, field: Field) -> str | None:
    """The only key below ``field`` whose pattern takes ``value``, with it: an ID says what it is the ID of."""
    if not isinstance(value, str):
        return None
    takes = [name for name in field.keys if (form := field.child(name).pattern) and re.fullmatch(form, value)]
    return f"{{{takes[0]}: {in_yaml(value)}}}" if len(takes) == 1 else None


def _list(value: Any, field: Field) -> str | None:
    if isinstance(value, str) and value.strip():
        return (
            in_yaml([part for part in re.split(r"[,\s]+", value) if part]) if field.child(0).kind == "string" else None
        )
    return in_yaml([value]) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _aside(value: Any, field: Field) -> str:
    """What changed, where that is easily overlooked."""
    if field.kind in ("integer", "number", "boolean") and isinstance(value, str):
        return (
            ", without quotes"
            if value.strip().lstrip("-").replace(".", "").isalnum() and not _has_unit(value)
            else ", a number alone"
        )
    if field.kind == "string" and isinstance(value, int | float):
        return ", in quotes"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    if value < field.schema.get("minimum", value):
        return " or more"
    return " or less" if value > field.schema.get("maximum", value) else ""


def _has_unit(value: str) -> bool:
    found = _MEASURED.fullmatch(value)
    return bool(found and found[2])


def _general(key: str, value: Any, field: Field, in_list: bool) -> str:
    if field.kind == "object":
        without = ", without dashes" if isinstance(value, list) else ""
        example = f"- {field.example}" if in_list else f"{key}: {field.example}"
        return f"write keys with values{'' if in_list else ' below it'}{without}, such as `{example}`"
    if field.kind == "array":
        return f"write a list, each part on a line of its own that begins with a dash below `{key}:`"
    return f"write {field.words}" + (f": {field.summary}" if field.kind == "string" and field.summary else "")
