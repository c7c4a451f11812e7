"""Property values between Pulumi's wire format and plain Python."""

from collections.abc import Mapping
from typing import Any

from google.protobuf import struct_pb2

from eks_accelerators.simulator.providers.wire import RESOURCE, SECRET, SIGNATURE, UNKNOWN

__all__ = ["UNKNOWN", "has_unknown", "observed", "to_python", "to_struct"]


def to_python(message: struct_pb2.Struct) -> dict[str, Any]:
    """Properties as plain values: whole numbers as int, secrets without their mark, resources as their IDs."""
    return {key: _value(value) for key, value in message.fields.items()}


def to_struct(values: Mapping[str, Any]) -> struct_pb2.Struct:
    """Plain values as properties; what is None is left out."""
    message = struct_pb2.Struct()
    message.update(_without_none(values))
    return message


def has_unknown(value: Any) -> bool:
    """Whether anything in ``value`` is not known yet."""
    if isinstance(value, Mapping):
        return any(has_unknown(item) for item in value.values())
    if isinstance(value, list):
        return any(has_unknown(item) for item in value)
    return bool(value == UNKNOWN)


def observed(inputs: Any, live: Any) -> Any:
    """``inputs`` with the values that ``live`` has in their places; what it does not have is left out.

    What was never set stays unset: a provider's defaults are no drift. Nor is an empty mapping or list that a server does
    not keep.
    """
    if isinstance(inputs, dict):
        if not isinstance(live, dict):
            return live
        there = {key: item for key, item in inputs.items() if live.get(key) is not None or item in ({}, [])}
        return {key: item if live.get(key) is None else observed(item, live[key]) for key, item in there.items()}
    if isinstance(inputs, list) and isinstance(live, list) and len(inputs) == len(live):
        return [observed(item, other) for item, other in zip(inputs, live, strict=True)]
    return live


def _value(value: struct_pb2.Value) -> Any:
    kind = value.WhichOneof("kind")
    if kind == "number_value":
        return int(value.number_value) if value.number_value.is_integer() else value.number_value
    if kind == "list_value":
        return [_value(item) for item in value.list_value.values]
    if kind == "struct_value":
        fields = value.struct_value.fields
        mark = fields[SIGNATURE].string_value if SIGNATURE in fields else ""
        if mark == SECRET:
            return _value(fields["value"])
        if mark == RESOURCE:
            return fields["id"].string_value or UNKNOWN
        return to_python(value.struct_value)
    return getattr(value, kind) if kind and kind != "null_value" else None


def _without_none(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_none(item) for key, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        return [_without_none(item) for item in value]
    return value
