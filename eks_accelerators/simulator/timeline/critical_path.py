"""The critical path: from what ends last, back over what each step waited for."""

from collections.abc import Mapping

from eks_accelerators.simulator.timeline.task import Key, Need, Task, Why
from eks_accelerators.simulator.timeline.workers import Span

Link = tuple[Need, ...]
"""What lies between two steps: one need, or several over components and waves, which take no time themselves."""

_PREFERENCE: dict[Why, int] = {"value": 3, "replacement": 2, "dependent": 2, "depends_on": 2, "parent": 1, "wave": 1}


def critical_keys(tasks: Mapping[Key, Task], spans: Mapping[Key, Span]) -> tuple[list[Key], list[Link]]:
    """The path's operations, first to last, and what links each to the next.

    ``spans`` are those of unlimited parallelism, where a task starts at the very end of one that it needs. Of several
    that end together the one that gives a value is named, then the last by URN: registrations are not in the same
    order at every run of a program.
    """
    work = [key for key, task in tasks.items() if task.operation and task.operation.custom]
    if not work:
        return [], []
    path = [max(work, key=lambda key: (spans[key].end, spans[key].start, key))]
    links: list[Link] = []
    link: Link = ()
    current = path[0]
    while spans[current].start > 0:
        need = max(tasks[current].needs, key=lambda n: (spans[n.key].end, _PREFERENCE[n.why], n.key))
        link, current = (*link, need), need.key
        operation = tasks[current].operation
        if operation and operation.custom:
            path.append(current)
            links.append(link)
            link = ()
    return path[::-1], links[::-1]
