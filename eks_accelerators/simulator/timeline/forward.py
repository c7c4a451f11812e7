"""Tasks of creating and updating: in the order of dependencies.

The language SDK registers a resource once the values that it needs, its `depends_on` and its parent are there (Pulumi
SDK for Python, `prepare_resource`); a dependency on a component is one on its children. Read 2026-11-20.
"""

from collections.abc import Iterator

from eks_accelerators.simulator.timeline.family import Family
from eks_accelerators.simulator.timeline.operation import TimedOperation
from eks_accelerators.simulator.timeline.task import Key, Need, Task, Why


def forward_tasks(family: Family) -> Iterator[Task]:
    """Tasks of everything that is not deleted, with the deletions that come before a replacement."""
    for operation in family:
        if operation.action == "delete":
            continue
        if operation.custom:
            yield from _custom(operation, family)
        else:
            yield Task((operation.urn, "registered"), 0, operation.order, needs(operation, family))


def needs(operation: TimedOperation, family: Family) -> tuple[Need, ...]:
    """What must be there before the operation starts."""
    found: dict[Key, Need] = {}
    values = {urn: key for key, urns in operation.property_dependencies.items() for urn in urns}
    for urn in (*operation.dependencies, *values):
        why: Why = "value" if urn in values else "depends_on"
        for key in _stands_for(urn, operation, family):
            found.setdefault(key, Need(key, why, values.get(urn, "")))
    if _moves_forward(operation.parent, family):
        key = _registered(operation.parent, family)
        found.setdefault(key, Need(key, "parent"))
    return tuple(found.values())


def _stands_for(urn: str, dependent: TimedOperation, family: Family) -> Iterator[Key]:
    """What a dependency on ``urn`` waits for; of a component the children that were registered before ``dependent``."""
    if urn == dependent.urn or not _moves_forward(urn, family):
        return
    yield _registered(urn, family)
    if family.members[urn].custom or urn in family.ancestors(dependent.urn):
        return  # a child waits for the component's registration only
    for child in family.descendants(urn):
        if family.members[child].order < dependent.order and _moves_forward(child, family):
            yield _registered(child, family)


def _custom(operation: TimedOperation, family: Family) -> Iterator[Task]:
    waits = needs(operation, family)
    if operation.action == "replace" and operation.delete_before_replace:
        deleted: Key = (operation.urn, "deleted")
        yield Task(
            deleted,
            operation.delete_seconds or 0,
            operation.order,
            (*needs(_begins(operation, family), family), *_deleted_dependents(operation, family)),
            operation,
        )
        waits = (*waits, Need(deleted, "replacement"))
    yield Task((operation.urn, "done"), operation.seconds or 0, operation.order, waits, operation)


def _registered(urn: str, family: Family) -> Key:
    """When the engine has answered: with a resource once it is made, with a component at once."""
    return (urn, "done" if family.members[urn].custom else "registered")


def _moves_forward(urn: str, family: Family) -> bool:
    return urn in family and family.members[urn].action != "delete"


def _replaced_in_place(operation: TimedOperation) -> bool:
    return operation.custom and operation.action == "replace" and operation.delete_before_replace


def _deleted_dependents(operation: TimedOperation, family: Family) -> Iterator[Need]:
    """Dependents that are replaced in place as well: they go first."""
    for other in family:
        if operation.urn in other.dependencies and _replaced_in_place(other):
            yield Need((other.urn, "deleted"), "dependent")


def _begins(operation: TimedOperation, family: Family) -> TimedOperation:
    """The first registered of the chain of replacements in place: with it the engine deletes all dependents."""
    above = [family.members[urn] for urn in operation.dependencies if urn in family]
    roots = [_begins(o, family) for o in above if _replaced_in_place(o) and o.order < operation.order]
    return min(roots, key=lambda root: root.order, default=operation)
