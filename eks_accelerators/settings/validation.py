"""From plain data to typed settings; what pydantic refuses becomes problems in our own words."""

import json
import re
import types
import typing
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

from pydantic import AwareDatetime, BaseModel, ValidationError
from pydantic_core import ErrorDetails

from eks_accelerators.accelerators.suggest import closest
from eks_accelerators.settings import secret_keys
from eks_accelerators.settings.field_words import Field, field_at, places_of
from eks_accelerators.settings.former_names import renamed
from eks_accelerators.settings.key_parts import meant_below, with_word
from eks_accelerators.settings.model import Settings
from eks_accelerators.settings.model.base import UTC_TIME
from eks_accelerators.settings.pasted_secrets import HIDDEN, without_secrets
from eks_accelerators.settings.paths import Part, dotted
from eks_accelerators.settings.pattern_words import nearest
from eks_accelerators.settings.problems import Problem, Severity
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


_CREDENTIALS = re.compile(r"//[^/@\s]*@")
"""User and password in an address."""

_CLOSE = 0.8
"""From here on a key is a misspelling of another, rather than one that belongs elsewhere."""

_MOST_PLACES = 3

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
        with_times, dates = read_times(values, lambda path: _is_time(_field_at(path, model)))
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
    """The setting that the unknown key at ``loc`` is a misspelling of; None where it is no misspelling."""
    return closest(str(loc[-1]), field_at(loc[:-1], model).keys, at_least=_CLOSE)


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
        return _bad_name(loc[:-1], field_at(loc[:-2], model).names())
    field = field_at(loc, model)
    if kind == "extra_forbidden":
        around = field_at(loc[:-1], model)
        known = list(around.keys)
        if _is_inline_secret(loc[:-1]) and closest(str(loc[-1]), known) is None:
            return _inline_secret(loc[:-1])
        return renamed(loc, value) or unknown_key(
            loc, known, places_of(str(loc[-1]), model), meant_below(str(loc[-1]), value, around)
        )
    if kind == "missing":
        return missing_key(loc, written_key(loc), field, _names_for(loc, values), secret_keys.example(loc[-1]))
    if _is_inline_secret(loc):
        return _inline_secret(loc)
    found, fix = _shown(loc, value), fix_of(loc, value, field)
    if kind in ("enum", "literal_error"):
        return _wrong(loc, "not-allowed", f"{found} is not one of the allowed values", found, field.words, fix)
    if kind in _TYPES:
        expected = _TYPES[kind] if field.kind in ("number", "") else field.words.partition(":")[0]
        return _wrong(
            loc,
            "wrong-type",
            f"expected {_TYPES[kind]}, found {_kind_of(value)}",
            found,
            field.words or expected,
            fix,
        )
    allowed = field.exact_words if kind == "less_than_equal" else field.words
    return _wrong(loc, "invalid-value", _refusal(kind, found, field), found, allowed, fix)


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


def _bad_name(loc: Sequence[Part], names: Field) -> Problem:
    name = str(loc[-1])
    near = closest(name, names.words_allowed) or (nearest(name, names.pattern) if names.pattern else None)
    fix = f"call it `{near}`, also where it is named" if near else "choose another name"
    if names.words_allowed:
        fix = f"write `{near}`" if near else f"write one of: {names.words}"
    return _wrong(loc, "invalid-name", "this name is not allowed", name, names.words, fix)


def _wrong(loc: Sequence[Part], code: str, message: str, found: str, allowed: str, fix: str) -> Problem:
    return Problem(code, Severity.ERROR, dotted(loc), message, found or "nothing", allowed or "nothing", fix)


def _inline_secret(loc: Sequence[Part]) -> Problem:
    key = next(found for part in reversed(loc) if (found := secret_keys.meant(part)))
    name, sources = secret_keys.usual_name(key), secret_keys.sources(key)
    allowed = [f"{source}: <{words}>" for source, words in sources.items()]
    return _wrong(
        loc,
        "secret-inline",
        f"a {secret_keys.word(key)} must not stand in the stack file",
        HIDDEN,
        ", or ".join((", ".join(allowed[:-1]), allowed[-1])) if allowed[1:] else allowed[0],
        f"run `pulumi config set --secret {name}` and write `{key}: {secret_keys.example(key)}`",
    )


def unknown_key(
    loc: tuple[Part, ...], known: Sequence[str], elsewhere: Sequence[str] = (), below: str | None = None
) -> Problem:
    """The problem that there is no setting of this name among ``known``, with the nearest one that is.

    ``elsewhere`` are the paths below which a setting is called so; ``below`` is what the key means in a setting with keys
    of its own, as it is written.
    """
    key = str(loc[-1])
    sure = below or closest(key, known, at_least=_CLOSE) or with_word(key, known)
    guess = sure or closest(key, known)
    fix = f"did you mean `{guess}`?" if guess else "remove it, or write one of the allowed keys"
    if elsewhere and not sure:
        fix = f"remove it here: `{key}` is a setting of {' and '.join(elsewhere[:_MOST_PLACES])}"
    allowed = [written_key((*loc[:-1], name)) for name in known]
    return _wrong(loc, "unknown-key", f"there is no setting `{key}` here", key, ", ".join(allowed), fix)


def missing_key(
    loc: tuple[Part, ...],
    called: str | None = None,
    field: Field | None = None,
    names: Sequence[str] = (),
    value: str | None = None,
) -> Problem:
    """The problem that a required setting is not there; ``called`` where users know it by another name.

    ``field`` says what it may be, ``names`` which names it could give, ``value`` what to write where the field knows no better.
    """
    key = called or loc[-1]
    words, usual = (field.words, field.example) if field else ("a value", "")
    if names:
        words, usual = f"one of: {', '.join(names)}", names[0]
    value = value or usual
    example = f", such as `{key}: {value}`" if value else ""
    meaning = f": {field.summary}" if field and field.summary else ""
    return _wrong(loc, "missing-key", f"`{key}` is missing{meaning}", "nothing", words, f"add `{key}`{example}")


def _names_for(loc: Sequence[Part], values: Mapping[str, Any]) -> list[str]:
    """What the key at ``loc`` could name, of what the user has called so; nothing where it names nothing."""
    named = values.get(_NAMES.get(loc[-1], ""))
    return [str(name) for name in named] if isinstance(named, Mapping) else []


def wrong_type(loc: tuple[Part, ...], expected: str, found: str, fix: str) -> Problem:
    """The problem that a value is of another kind than ``expected``."""
    return _wrong(loc, "wrong-type", f"expected {expected}", found, expected, fix)


def _is_inline_secret(loc: Sequence[Part]) -> bool:
    return any(secret_keys.meant(part) for part in loc[-2:])


def _without_secrets(value: Any) -> Any:
    """``value`` with everything hidden that is, or stands where there would be, a secret."""
    if isinstance(value, dict):
        return {
            key: HIDDEN if key == "secure" or secret_keys.meant(str(key)) else _without_secrets(child)
            for key, child in value.items()
        }
    return [_without_secrets(child) for child in value] if isinstance(value, list) else value


def _shown(loc: Sequence[Part], value: Any) -> str:
    if _is_inline_secret(loc):
        return HIDDEN
    if value is None:
        return "nothing"
    text = json.dumps(_without_secrets(value), default=str, ensure_ascii=False)
    text = without_secrets(_CREDENTIALS.sub(f"//{HIDDEN}@", text))
    return text if len(text) <= 80 else text[:77] + "..."


def _is_time(annotation: Any) -> bool:
    """Whether the annotation is that of a time, or of a text that is one."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return UTC_TIME in arguments[1:] or _is_time(arguments[0])
    if origin in (typing.Union, types.UnionType):
        return any(_is_time(each) for each in arguments)
    return annotation in (datetime, AwareDatetime)


def _field_at(loc: Sequence[Part], model: type[BaseModel]) -> Any:
    """The annotation of the field at ``loc``, as it is written."""
    annotation: Any = model
    for part in loc:
        annotation = _unwrap(annotation)
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            fields = annotation.model_fields.items()
            field = next((f for name, f in fields if part in (f.alias, name)), None)
            annotation = field.annotation if field else None
        else:
            arguments = [a for a in typing.get_args(annotation) if a is not Ellipsis]
            annotation = arguments[-1] if arguments else None
    return annotation


def _unwrap(annotation: Any) -> Any:
    while True:
        origin = typing.get_origin(annotation)
        if origin is typing.Annotated:
            annotation = typing.get_args(annotation)[0]
        elif origin in (typing.Union, types.UnionType):
            annotation = next(a for a in typing.get_args(annotation) if a is not type(None))
        else:
            return annotation
