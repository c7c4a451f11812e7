"""Tasks of creating and updating: in the order of dependencies.

The language SDK registers a resource once the values that it needs, its `depends_on` and its parent are there (Pulumi
SDK for Python, `prepare_resource`); a dependency on a component is one on its children. Read 2026-11-20.
"""

from collections.abc import Iterator

from simulator.timeline.family import Family
from simulator.timeline.operation import Operation
from simulator.timeline.task import Key, Need, Task


def forward_tasks(family: Family) -> Iterator[Task]:
    """Tasks of everything that is not deleted, with the deletions that come before a replacement."""
    for operation in family:
        if operation.action == "delete":
            continue
        if operation.custom:
            yield from _custom(operation, family)
        else:
            yield from _component(operation, family)


def needs(operation: Operation, family: Family) -> tuple[Need, ...]:
    """What must be there before the operation starts."""
    found = {}
    ancestors = set(family.ancestors(operation.urn))
    values = {urn: key for key, urns in operation.property_dependencies.items() for urn in urns}
    for urn in (*operation.dependencies, *values):
        if urn == operation.urn or not _moves_forward(urn, family):
            continue
        # A component is done when its children are: a child can only wait for its registration.
        key: Key = _registered(urn, family) if urn in ancestors else (urn, "done")
        found[urn] = Need(key, "value", values[urn]) if urn in values else Need(key, "depends_on")
    if _moves_forward(operation.parent, family):
        found.setdefault(operation.parent, Need(_registered(operation.parent, family), "parent"))
    return tuple(found.values())


def _custom(operation: Operation, family: Family) -> Iterator[Task]:
    waits = needs(operation, family)
    if operation.action == "replace" and operation.delete_before_replace:
        deleted: Key = (operation.urn, "deleted")
        yield Task(
            deleted,
            operation.delete_seconds or 0,
            operation.order,
            (*_before_deletion(operation, family), *_deleted_dependents(operation, family)),
            operation,
        )
        waits = (*waits, Need(deleted, "replacement"))
    yield Task((operation.urn, "done"), operation.seconds or 0, operation.order, waits, operation)


def _component(operation: Operation, family: Family) -> Iterator[Task]:
    registered: Key = (operation.urn, "registered")
    yield Task(registered, 0, operation.order, needs(operation, family))
    inside = [Need((child, "done"), "inside") for child in family.children(operation.urn)]
    inside = [need for need in inside if _moves_forward(need.key[0], family)]
    yield Task((operation.urn, "done"), 0, operation.order, (Need(registered, "inside"), *inside))


def _registered(urn: str, family: Family) -> Key:
    return (urn, "done" if family.members[urn].custom else "registered")


def _moves_forward(urn: str, family: Family) -> bool:
    return urn in family and family.members[urn].action != "delete"


def _replaced_in_place(operation: Operation) -> bool:
    return operation.custom and operation.action == "replace" and operation.delete_before_replace


def _deleted_dependents(operation: Operation, family: Family) -> Iterator[Need]:
    """Dependents that are replaced in place as well: they go first."""
    for other in family:
        if operation.urn in other.dependencies and _replaced_in_place(other):
            yield Need((other.urn, "deleted"), "dependent")


def _before_deletion(operation: Operation, family: Family) -> tuple[Need, ...]:
    """The engine deletes all dependents when the first of the chain is registered."""
    above = [family.members[urn] for urn in operation.dependencies if urn in family]
    above = [other for other in above if _replaced_in_place(other) and other.order < operation.order]
    if not above:
        return needs(operation, family)
    return tuple({need.key: need for other in above for need in _before_deletion(other, family)}.values())
