"""How resources of a deployment refer to each other, and what becomes of that when some are gone or have other names.

Source: Pulumi 3.250.0, `sdk/go/common/apitype/core.go` (`NormalizeURNReferences`), `pkg/backend/journal.go`
(`rebuildDependencies`) and `pkg/resource/deploy/deployment_executor.go` (`rebuildBaseState`), read 2026-11-23.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

Resource = Mapping[str, Any]
"""A resource as a deployment has it."""

_STACK = "pulumi:pulumi:Stack"


def renamed(resources: Iterable[Resource]) -> list[Resource]:
    """References to an alias become references to the resource that has it, and the aliases go.

    That concerns resources to which the program has not come yet: they still refer to the old names.
    """
    kept = list(resources)
    names = _names(kept)
    return [_with_references(each, names) for each in kept] if names else kept


def without_dangling(resources: Iterable[Resource]) -> list[Resource]:
    """References to what no resource before has any more go: a refresh removes also what others depend on.

    Several resources can have one URN, so what can be referred to depends on the place in the list. A resource whose
    parent is gone has none.
    """
    kept = list(resources)
    there = {each["urn"] for each in kept}
    before: set[str] = set()
    found = []
    for each in kept:
        found.append(_pruned(each, before, there))
        before.add(each["urn"])
    return found


def _pruned(resource: Resource, before: set[str], there: set[str]) -> Resource:
    by_property = {
        key: left
        for key, urns in (resource.get("propertyDependencies") or {}).items()
        if (left := [urn for urn in urns or () if urn in before])
    }
    replaced_with = resource.get("replaceWith") or []
    changed = {
        **resource,
        "dependencies": [urn for urn in resource.get("dependencies") or () if urn in before],
        "propertyDependencies": by_property,
        "replaceWith": replaced_with if before.issuperset(replaced_with) else [],
        "deletedWith": resource.get("deletedWith") if resource.get("deletedWith") in before else "",
        "parent": resource.get("parent") if resource.get("parent") in there else "",
    }
    emptied = ("dependencies", "propertyDependencies", "replaceWith", "deletedWith", "parent")
    return {key: value for key, value in changed.items() if value or key not in emptied}


def _names(resources: Iterable[Resource]) -> dict[str, str]:
    """URNs by the ones that they had before: aliases, and those of children whose parent has another type now."""
    names: dict[str, str] = {}
    for each in resources:
        urn = each["urn"]
        names.update(dict.fromkeys(each.get("aliases") or (), urn))
        parent = names.get(each.get("parent", ""))
        if parent and _qualified_type(parent) != _STACK:
            stack, project, qualified, name = urn.split("::", 3)
            names[urn] = "::".join((stack, project, f"{_qualified_type(parent)}${qualified.rpartition('$')[2]}", name))
    return names


def _qualified_type(urn: str) -> str:
    return urn.split("::", 3)[2]


def _with_references(resource: Resource, names: Mapping[str, str]) -> Resource:
    def name(urn: str) -> str:
        return names.get(urn, urn)

    def of_all(urns: Iterable[str] | None) -> list[str]:
        return [name(urn) for urn in urns or ()]

    ways: dict[str, Callable[[Any], Any]] = {
        "urn": name,
        "parent": name,
        "deletedWith": name,
        "viewOf": name,
        "provider": lambda reference: _provider(reference, name),
        "dependencies": of_all,
        "propertyDependencies": lambda found: {key: of_all(urns) for key, urns in found.items()},
    }
    return {key: ways[key](value) if key in ways else value for key, value in resource.items() if key != "aliases"}


def _provider(reference: str, name: Callable[[str], str]) -> str:
    urn, _, identity = reference.rpartition("::")
    return f"{name(urn)}::{identity}"
