"""Conditions of Kubernetes objects, as their status has them."""

from collections.abc import Mapping
from typing import Any


def condition(obj: Mapping[str, Any], kind: str) -> dict[str, Any] | None:
    """The condition ``kind`` where it is `True` of an object; None where it is not, or is not there."""
    conditions = (obj.get("status") or {}).get("conditions") or ()
    return next((each for each in conditions if each["type"] == kind and each["status"] == "True"), None)


def is_true(obj: Mapping[str, Any], kind: str) -> bool:
    """Whether the condition ``kind`` of an object is `True`."""
    return condition(obj, kind) is not None
