"""Fields that a program leaves to somebody else, such as the replicas of a Deployment that an autoscaler sets.

The engine puts the value of the last deployment in place of what the program says. Applied as it is, it would set back what
somebody else has set since. Source: pulumi-kubernetes at 9497796 (4.34), `handleSSAIgnoreFields` in `provider/pkg/await/await.go`:
a field that others manage and we do not is left out of what is applied; otherwise it is applied as it is in the cluster. Read
2026-11-22.
"""

from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import Any

from eks_accelerators.simulator.kubernetes.api import MANAGER


def left_to_others(inputs: dict[str, Any], live: Mapping[str, Any] | None, ignored: Iterable[str]) -> dict[str, Any]:
    """``inputs`` as they are applied, where changes of the fields at the paths ``ignored`` are: `spec.replicas`."""
    result = deepcopy(inputs)
    for path in ignored:
        parts = path.split(".")
        found, value = _at(live or {}, parts)
        if found and _is_of_others(live or {}, parts):
            _remove(result, parts)
        elif found:
            _set(result, parts, value)
    return result


def _is_of_others(live: Mapping[str, Any], parts: list[str]) -> bool:
    managers = {
        entry["manager"] == MANAGER
        for entry in live["metadata"].get("managedFields", ())
        if _at(entry.get("fieldsV1", {}), [f"f:{part}" for part in parts])[0]
    }
    return managers == {False}


def _at(value: Any, parts: list[str]) -> tuple[bool, Any]:
    for part in parts:
        if not (isinstance(value, Mapping) and part in value):
            return False, None
        value = value[part]
    return True, value


def _remove(value: dict[str, Any], parts: list[str]) -> None:
    *above, last = parts
    found, holder = _at(value, above)
    if found and isinstance(holder, dict):
        holder.pop(last, None)


def _set(value: dict[str, Any], parts: list[str], wanted: Any) -> None:
    *above, last = parts
    for part in above:
        value = value.setdefault(part, {})
    value[last] = wanted
