"""From plain data to typed settings; what pydantic refuses becomes problems in our own words."""

import json
import types
import typing
from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import Enum
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from eks_accelerators.accelerators.suggest import closest
from eks_accelerators.settings.model import Settings
from eks_accelerators.settings.model.base import UTC_TIME
from eks_accelerators.settings.paths import Part, dotted
from eks_accelerators.settings.problems import Problem, Severity
from eks_accelerators.settings.renamed import renamed
from eks_accelerators.settings.times import read_times

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
    return validate_as(Settings, values)


def validate_as(model: type[M], values: Mapping[str, Any]) -> M | tuple[Problem, ...]:
    """A ``model`` from plain data with the keys of a stack file, or every problem of its shape."""
    try:
        with_times, dates = read_times(values, lambda path: _is_time(_field_at(path, model)))
        text = json.dumps(with_times)
    except (TypeError, ValueError, RecursionError):
        return (_NOT_PLAIN,)
    try:
        found = model.model_validate_json(text)
    except ValidationError as error:
        if any(details["type"] == "json_invalid" for details in error.errors(include_input=False)):
            return (_NOT_PLAIN,)
        told = {problem.path for problem in dates}
        problems = [_problem(details, model) for details in error.errors(include_url=False)]
        return (*dates, *(problem for problem in problems if problem.path not in told))
    return dates or found


def _problem(details: ErrorDetails, model: type[BaseModel]) -> Problem:
    loc: tuple[Part, ...] = details["loc"]
    kind, context = details["type"], details.get("ctx", {})
    if loc and loc[-1] == "[key]":
        return _wrong(
            loc[:-1],
            "invalid-name",
            "this name is not allowed",
            str(loc[-2]),
            _name_rule(context),
            "choose another name",
        )
    if kind == "extra_forbidden":
        known = _keys_at(loc[:-1], model)
        if _is_inline_secret(loc[:-1]) and closest(str(loc[-1]), known) is None:
            return _inline_secret(loc[:-1])
        return renamed(loc, details["input"]) or unknown_key(loc, known)
    if kind == "missing":
        return missing_key(loc, "aws:region" if loc == ("region",) else None)
    found = _shown(loc, details["input"])
    if _is_inline_secret(loc):
        return _inline_secret(loc)
    if kind == "enum":
        allowed = [str(word) for word in _enum_at(loc, model)]
        guess = closest(str(details["input"]), allowed)
        return _wrong(
            loc,
            "not-allowed",
            f"{found} is not one of the allowed values",
            found,
            ", ".join(allowed),
            f"write `{guess}`" if guess else f"write one of: {', '.join(allowed)}",
        )
    if kind in _TYPES:
        hint = (
            "put it in quotes"
            if kind == "string_type" and isinstance(details["input"], int | float)
            else f"write {_TYPES[kind]}"
        )
        return _wrong(loc, "wrong-type", f"expected {_TYPES[kind]}", found, _TYPES[kind], hint)
    return _wrong(loc, "invalid-value", details["msg"], found, _constraint(kind, context), "write an allowed value")


def _wrong(loc: Sequence[Part], code: str, message: str, found: str, allowed: str, fix: str) -> Problem:
    return Problem(code, Severity.ERROR, dotted(loc), message, found or "nothing", allowed or "nothing", fix)


def _inline_secret(loc: Sequence[Part]) -> Problem:
    key = str(next(part for part in reversed(loc) if _is_of_a_secret(part)))
    is_token = key.endswith("Token")
    name, in_cluster = (
        (key, ", or existingSecret: <name of a Kubernetes Secret>") if is_token else (f"slack{key.title()}", "")
    )
    return _wrong(
        loc,
        "secret-inline",
        f"a {'token' if is_token else key} must not stand in the stack file",
        "[hidden]",
        f"configSecret: <name of a Pulumi secret>{in_cluster}",
        f"run `pulumi config set --secret {name}` and write `{key}: {{configSecret: {name}}}`",
    )


def unknown_key(loc: tuple[Part, ...], known: Sequence[str]) -> Problem:
    """The problem that there is no setting of this name among ``known``, with the nearest one that is."""
    key = str(loc[-1])
    guess = closest(key, known)
    return _wrong(
        loc,
        "unknown-key",
        f"there is no setting `{key}` here",
        key,
        ", ".join(known),
        f"did you mean `{guess}`?" if guess else "remove it, or write one of the allowed keys",
    )


def missing_key(loc: tuple[Part, ...], called: str | None = None) -> Problem:
    """The problem that a required setting is not there; ``called`` where users know it by another name."""
    key = called or loc[-1]
    return _wrong(loc, "missing-key", f"`{key}` is missing", "nothing", "a value", f"add `{key}`")


def wrong_type(loc: tuple[Part, ...], expected: str, found: str, fix: str) -> Problem:
    """The problem that a value is of another kind than ``expected``."""
    return _wrong(loc, "wrong-type", f"expected {expected}", found, expected, fix)


def _is_inline_secret(loc: Sequence[Part]) -> bool:
    return any(_is_of_a_secret(part) for part in loc[-2:])


def _is_of_a_secret(part: Part) -> bool:
    """Whether a key names where a secret comes from."""
    return isinstance(part, str) and (part.endswith("Token") or part == "webhook")


def _without_secrets(value: Any) -> Any:
    """``value`` with everything hidden that is, or stands where there would be, a secret."""
    if isinstance(value, dict):
        return {
            key: "[hidden]" if key == "secure" or _is_of_a_secret(str(key)) else _without_secrets(child)
            for key, child in value.items()
        }
    return [_without_secrets(child) for child in value] if isinstance(value, list) else value


def _shown(loc: Sequence[Part], value: Any) -> str:
    if _is_inline_secret(loc):
        return "[hidden]"
    text = json.dumps(_without_secrets(value), default=str)
    return text if len(text) <= 80 else text[:77] + "..."


def _name_rule(context: Mapping[str, Any]) -> str:
    pattern = context.get("pattern")
    return f"a name that matches {pattern}" if pattern else str(context.get("expected", "one of the known names"))


def _constraint(kind: str, context: Mapping[str, Any]) -> str:
    words = {
        "pattern": "text that matches",
        "ge": "at least",
        "gt": "more than",
        "le": "at most",
        "lt": "less than",
        "min_length": "a length of at least",
        "max_length": "a length of at most",
    }
    parts = [f"{words[key]} {value}" for key, value in context.items() if key in words]
    return ", ".join(parts) or kind.replace("_", " ")


def _is_time(annotation: Any) -> bool:
    """Whether the annotation is that of a time, or of a text that is one."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return UTC_TIME in arguments[1:] or _is_time(arguments[0])
    if origin in (typing.Union, types.UnionType):
        return any(_is_time(each) for each in arguments)
    return annotation is datetime


def _annotation_at(loc: Sequence[Part], model: type[BaseModel]) -> Any:
    """The annotation of the field at ``loc``, seen through Optional, lists and mappings."""
    return _unwrap(_field_at(loc, model))


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


def _keys_at(loc: Sequence[Part], model: type[BaseModel]) -> list[str]:
    annotation = _annotation_at(loc, model)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [field.alias or name for name, field in annotation.model_fields.items()]
    return []


def _enum_at(loc: Sequence[Part], model: type[BaseModel]) -> list[Any]:
    annotation = _annotation_at(loc, model)
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return [member.value for member in annotation]
    return []
