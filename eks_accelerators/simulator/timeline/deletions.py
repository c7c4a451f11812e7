"""Tasks of deleting: in waves, each after the one before, when everything else is done.

A wave has everything that is equally many dependencies away from the ground, deepest first, so that a resource may
wait for others that it has nothing to do with: "This is not true delete parallelism", says the engine.
Source: Pulumi v3.250, pkg/resource/deploy/step_generator.go ScheduleDeletes, deployment_executor.go performPostSteps,
pkg/resource/graph/dependency_graph.go DependenciesOf; read 2026-11-20.
"""

from collections.abc import Iterator, Sequence

from eks_accelerators.simulator.timeline.family import Family
from eks_accelerators.simulator.timeline.operation import TimedOperation
from eks_accelerators.simulator.timeline.task import Key, Need, Task


def deletion_tasks(family: Family, before: Sequence[Task]) -> Iterator[Task]:
    """Tasks of deletions, and of the old half of replacements; ``before`` is everything that comes first."""
    last: list[Key] = [task.key for task in before]
    for number, wave in enumerate(_waves(family)):
        start: Key = (str(number), "wave")
        yield Task(start, 0, 0, tuple(Need(key, "wave") for key in last))
        for operation in wave:
            yield Task(
                (operation.urn, "deleted"), _seconds(operation), operation.order, (Need(start, "wave"),), operation
            )
        last = [(operation.urn, "deleted") for operation in wave]


def depends_on(operation: TimedOperation, family: Family) -> set[str]:
    """URNs that cannot be deleted before ``operation``: its dependencies and parent, as far as they came before it.

    A dependency on a component is one on its children; a parent's other children do not count.
    """
    found = {*operation.dependencies, *(urn for urns in operation.property_dependencies.values() for urn in urns)}
    for urn in found & family.members.keys():
        if not family.members[urn].custom:
            found |= set(family.descendants(urn))
    found.add(operation.parent)
    return {urn for urn in found if urn in family and family.members[urn].order < operation.order}


def _waves(family: Family) -> list[list[TimedOperation]]:
    depth: dict[str, int] = {}
    for operation in sorted(filter(_condemned, family), key=lambda o: o.order):
        below = [depth[urn] for urn in depends_on(operation, family) if urn in depth]
        depth[operation.urn] = 1 + max(below, default=-1)
    deepest = max(depth.values(), default=-1)
    return [[family.members[urn] for urn, at in depth.items() if at == level] for level in range(deepest, -1, -1)]


def _condemned(operation: TimedOperation) -> bool:
    if operation.action == "replace":
        return operation.custom and not operation.delete_before_replace
    return operation.action == "delete"


def _seconds(operation: TimedOperation) -> float:
    if not operation.custom:
        return 0
    return (operation.seconds if operation.action == "delete" else operation.delete_seconds) or 0
