"""What the provider's SDK says of a resource: names of its properties, inside of objects too."""

import importlib
from collections.abc import Iterator, Mapping
from typing import Any, get_args

from pulumi import _types


def of_token(token: str) -> Any:
    """The module of the SDK with the resource or look-up of a type, such as `pulumi_aws.ec2`."""
    _, module, _ = token.split(":")
    name = module.partition("/")[0]
    return importlib.import_module("pulumi_aws" if name == "index" else f"pulumi_aws.{name}")


def inputs_of(token: str) -> Mapping[str, Any]:
    """The inputs of a resource, and the type of each."""
    name = token.rpartition(":")[2]
    return _types.input_type_types(getattr(of_token(token), f"{name}Args"))


def outputs_of(token: str) -> set[str]:
    """The names of everything that a resource has."""
    return set(_types.resource_types(getattr(of_token(token), token.rpartition(":")[2])))


def unknown_names(value: Any, types: Mapping[str, Any], path: str = "") -> Iterator[str]:
    """Paths in ``value`` that the SDK does not have; ``types`` are those of its properties."""
    for name, item in value.items():
        here = f"{path}{name}"
        if name not in types:
            yield here
            continue
        for each in item if isinstance(item, list) else [item]:
            if isinstance(each, dict) and (below := _object_in(types[name])):
                yield from unknown_names(each, _types.input_type_types(below), f"{here}.")


def _object_in(kind: Any) -> type | None:
    """The class of objects in the type of a property, or None where it has none, such as a map of tags."""
    if isinstance(kind, type) and _types.is_input_type(kind):
        return kind
    return next((found for each in get_args(kind) if (found := _object_in(each))), None)
