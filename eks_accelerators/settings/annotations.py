"""Types of settings as their models write them."""

import types
import typing
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from pydantic import AwareDatetime, BaseModel

from eks_accelerators.settings.model.base import UTC_TIME
from eks_accelerators.settings.paths import Part


def is_time(loc: Sequence[Part], model: type[BaseModel]) -> bool:
    """Whether the setting at ``loc`` below ``model`` is a time, or a text that is one."""
    return _is_time(_field_at(loc, model))


def _is_time(annotation: Any) -> bool:
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
