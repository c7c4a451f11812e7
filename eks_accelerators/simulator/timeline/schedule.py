"""From the operations of a deployment to its timeline."""

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Literal

from eks_accelerators.accelerators import durations
from eks_accelerators.simulator.timeline.critical_path import Link, critical_keys
from eks_accelerators.simulator.timeline.deletions import deletion_tasks, depends_on
from eks_accelerators.simulator.timeline.family import Family
from eks_accelerators.simulator.timeline.forward import forward_tasks
from eks_accelerators.simulator.timeline.operation import TimedOperation
from eks_accelerators.simulator.timeline.task import Key, Task, by_key
from eks_accelerators.simulator.timeline.timeline import Edge, EdgeKind, Step, Timeline
from eks_accelerators.simulator.timeline.workers import Span, spans

OPERATIONS_PER_PROCESSOR = 4
"""`pulumi up` does four operations at a time for each processor, unless `--parallel` says otherwise.

Source: Pulumi v3.250, pkg/cmd/pulumi/operations/up.go defaultParallel, and pulumi/pulumi issue 14989; read 2026-11-20.
"""

DEFAULT_PARALLELISM = 4 * OPERATIONS_PER_PROCESSOR
"""That of a machine with four processors, such as a hosted runner in CI."""


def schedule(operations: Iterable[TimedOperation], parallelism: int | None = DEFAULT_PARALLELISM) -> Timeline:
    """When each operation runs, as the engine would do it; ``parallelism`` None is no limit.

    Raises ValueError where two operations have one URN, or operations wait for each other in a circle.
    """
    family = Family(operations)
    tasks = _tasks(family)
    unlimited = spans(tasks, None)
    limited = unlimited if parallelism is None else spans(tasks, parallelism)
    keys, links = critical_keys(tasks, unlimited)
    path = [_step(tasks[key], unlimited[key], family) for key in keys]
    edges = [_edge(first, second, link, family) for (first, second), link in zip(pairwise(path), links, strict=True)]
    # Where several start together, first what was registered first.
    work = sorted(filter(_is_work, tasks.values()), key=lambda task: (limited[task.key].start, task.order))
    steps = [_step(task, limited[task.key], family) for task in work]
    return Timeline(
        steps=tuple(steps),
        makespan=max((step.end for step in steps), default=0.0),
        parallelism=parallelism,
        path=tuple(path),
        edges=tuple(edges),
        unknown=tuple(sorted({step.type for step in steps if not step.known})),
    )


def _tasks(family: Family) -> Mapping[Key, Task]:
    forward = list(forward_tasks(family))
    return by_key([*forward, *deletion_tasks(family, forward)])


def _is_work(task: Task) -> bool:
    return task.operation is not None and task.operation.custom


def _step(task: Task, span: Span, family: Family) -> Step:
    operation = task.operation
    if operation is None:
        raise ValueError(f"{task.key} is a point in time")
    deleted = task.key[1] == "deleted"
    made: Literal["create", "update"] = "update" if operation.action == "update" else "create"
    length = operation.delete_seconds if deleted and operation.action == "replace" else operation.seconds
    top = family.top(operation.urn)
    part = durations.name(top.type, top.name) if top.custom else durations.component_name(top.type, top.name)
    return Step(
        urn=operation.urn,
        type=operation.type,
        name=operation.name,
        action="delete" if deleted else made,
        start=span.start,
        end=span.end,
        known=length is not None,
        detail=operation.detail,
        part=part[:1].upper() + part[1:],
    )


def _edge(before: Step, after: Step, link: Link, family: Family) -> Edge:
    if any(need.why == "wave" for need in link):
        first = family.members[before.urn]
        waited_for = before.action == "delete" and after.urn in depends_on(first, family)
        return Edge(before, after, "dependent" if waited_for else "wave")
    # Over components: what one of them waits for, its children wait for.
    said = next((need for need in link if need.why != "parent"), None)
    if said is None:
        return Edge(before, after, "parent")
    kinds: dict[str, EdgeKind] = {"value": "value", "depends_on": "depends_on", "dependent": "dependent"}
    return Edge(before, after, kinds.get(said.why, "replacement"), said.property)
