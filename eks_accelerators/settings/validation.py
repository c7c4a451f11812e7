"""From plain data to typed settings; what pydantic refuses becomes problems in our own words."""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from eks_accelerators.accelerators.suggest import closest
from eks_accelerators.settings import secret_keys
from eks_accelerators.settings.annotations import is_time
from eks_accelerators.settings.field_words import Field, field_at, places_of
from eks_accelerators.settings.former_names import renamed
from eks_accelerators.settings.key_parts import meant_below, with_word
from eks_accelerators.settings.model import Settings
from eks_accelerators.settings.paths import Part
from eks_accelerators.settings.problems import Problem, Severity
from eks_accelerators.settings.shape_problems import (
    CLOSE,
    bad_name,
    inline_secret,
    is_inline_secret,
    missing_key,
    shown,
    unknown_key,
    wrong,
)
from eks_accelerators.settings.times import read_times
from eks_accelerators.settings.value_fixes import fix_of, written_key

M = TypeVar("M", bound=BaseModel)

_TYPES = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "dict_type": "keys with values",
    "model_type": "keys with values",
    "model_attributes_type": "keys with values",
    "tuple_type": "a list",
    "list_type": "a list",
    "decimal_type": "a number",
    "decimal_parsing": "a number",
    "finite_number": "a finite number",
    "datetime_type": "a time such as 2026-12-01T11:30:00Z",
    "datetime_parsing": "a time such as 2026-12-01T11:30:00Z",
    "datetime_from_date_parsing": "a time such as 2026-12-01T11:30:00Z",
}


_NAMES: Mapping[Part, str] = {"nodeGroup": "nodeGroups", "capacityBlock": "capacityBlocks"}
"""Settings that name what stands elsewhere, and where."""

_NOT_PLAIN = Problem(
    "stack-file",
    Severity.ERROR,
    "config",
    "the configuration cannot be read",
    "values that are no plain data, or nested too deeply",
    "text, numbers, true, false, lists and keys with values",
    "write plain YAML without references to itself",
)


def validate(values: Mapping[str, Any]) -> Settings | tuple[Problem, ...]:
    """Typed settings from the project's configuration, or every problem of its shape.

    ``values`` has the keys of the stack file without the project's namespace, and `region`.
    """
    return validate_as(Settings, values, by_name=False)


def validate_as(model: type[M], values: Mapping[str, Any], *, by_name: bool = True) -> M | tuple[Problem, ...]:
    """A ``model`` from plain data with the keys of a stack file, or every problem of its shape.

    ``by_name`` takes the keys of arguments in Python as well.
    """
    try:
        with_times, dates = read_times(values, lambda path: is_time(path, model))
        text = json.dumps(with_times)
    except (TypeError, ValueError, RecursionError):
        return (_NOT_PLAIN,)
    try:
        found = model.model_validate_json(text, by_alias=True, by_name=by_name)
    except ValidationError as error:
        if any(details["type"] == "json_invalid" for details in error.errors(include_input=False)):
            return (_NOT_PLAIN,)
        told = {problem.path for problem in dates}
        refused = _without_meant([each for each in error.errors(include_url=False) if not _long_enough(each)], model)
        names = {details["loc"][-2] for details in refused if details["loc"][-1:] == ("[key]",)}
        problems = [_problem(each, model, values) for each in refused if not _names_refused(each, names)]
        return (*dates, *(problem for problem in problems if problem.path not in told))
    return dates or found


def meant_key(loc: Sequence[Part], model: type[BaseModel]) -> str | None:
    """The setting that the unknown key at ``loc`` is a misspelling or a part of; None where it is neither."""
    key, known = str(loc[-1]), field_at(loc[:-1], model).keys
    return closest(key, known, at_least=CLOSE) or with_word(key, known)


def _without_meant(refused: Sequence[ErrorDetails], model: type[BaseModel]) -> list[ErrorDetails]:
    """Those refused, without settings that are missing only because their key is misspelt."""
    unknown = [details["loc"] for details in refused if details["type"] == "extra_forbidden"]
    meant = {(*loc[:-1], meant_key(loc, model)) for loc in unknown}
    return [each for each in refused if each["type"] != "missing" or each["loc"] not in meant]


def _long_enough(details: ErrorDetails) -> bool:
    """Whether a list is called too short that is not: pydantic counts the parts that it takes, and of others there is a word each."""
    return details["type"] == "too_short" and len(details["input"]) >= details["ctx"]["min_length"]


def _names_refused(details: ErrorDetails, names: Collection[Part]) -> bool:
    """Whether a value is refused for being one of the ``names`` that are refused where they are given."""
    is_name = details["loc"][-1:] == ("[key]",)
    return details["type"] == "string_pattern_mismatch" and not is_name and details["input"] in names


def _problem(details: ErrorDetails, model: type[BaseModel], values: Mapping[str, Any]) -> Problem:
    loc: tuple[Part, ...] = details["loc"]
    kind, value = details["type"], details["input"]
    if loc and loc[-1] == "[key]":
        return bad_name(loc[:-1], field_at(loc[:-2], model).names())
    field = field_at(loc, model)
    if kind == "extra_forbidden":
        around = field_at(loc[:-1], model)
        known = list(around.keys)
        if is_inline_secret(loc[:-1]) and closest(str(loc[-1]), known) is None:
            return inline_secret(loc[:-1])
        return renamed(loc, value) or unknown_key(
            loc, known, places_of(str(loc[-1]), model), meant_below(str(loc[-1]), value, around)
        )
    if kind == "missing":
        return missing_key(loc, written_key(loc), field, _names_for(loc, values), secret_keys.example(loc[-1]))
    if is_inline_secret(loc):
        return inline_secret(loc)
    if kind in _TYPES and _is_beyond(value, field):
        kind, value = "less_than_equal" if value > 0 else "greater_than_equal", int(value)
    found, fix = shown(loc, value), fix_of(loc, value, field)
    if kind in ("enum", "literal_error"):
        return wrong(loc, "not-allowed", f"{found} is not one of the allowed values", found, field.words, fix)
    if kind in _TYPES:
        expected = _TYPES[kind] if field.kind in ("number", "") else field.words.partition(":")[0]
        return wrong(
            loc,
            "wrong-type",
            f"expected {_TYPES[kind]}, found {_kind_of(value)}",
            found,
            field.words or expected,
            fix,
        )
    allowed = field.exact_words if kind == "less_than_equal" else field.words
    return wrong(loc, "invalid-value", _refusal(kind, found, field), found, allowed, fix)


def _is_beyond(value: Any, field: Field) -> bool:
    """Whether a whole number was wanted, and the one found has so many digits that Pulumi reads it as a fraction."""
    return field.kind == "integer" and isinstance(value, float) and abs(value) >= _READ_IN_FULL


_READ_IN_FULL = 1e21
"""From here on the Pulumi CLI hands numbers over with an exponent."""

_REFUSALS = {
    "greater_than_equal": "is too small",
    "greater_than": "is too small",
    "less_than_equal": "is too large",
    "less_than": "is too large",
    "string_too_long": "is too long",
    "too_long": "is too long",
    "too_short": "is too short",
}
"""What is wrong with a value of the right kind, by pydantic's name for it."""


def _refusal(kind: str, found: str, field: Field) -> str:
    if kind == "string_too_short":
        return "there is no text here"
    if kind in _REFUSALS:
        return f"{found} {_REFUSALS[kind]}"
    return f"{found} has the wrong form" if field.pattern else f"{found} is not {field.words}"


def _kind_of(value: Any) -> str:
    """What a value is, in the words of `_TYPES`."""
    if value is None:
        return "nothing"
    kinds = ((bool, "true or false"), (int, "a number"), (float, "a number"), (str, "text"), (list, "a list"))
    return next((words for kind, words in kinds if isinstance(value, kind)), "keys with values")


def _names_for(loc: Sequence[Part], values: Mapping[str, Any]) -> list[str]:
    """What the key at ``loc`` could name, of what the user has called so; nothing where it names nothing."""
    named = values.get(_NAMES.get(loc[-1], ""))
    return [str(name) for name in named] if isinstance(named, Mapping) else []
