"""Tasks: what the schedule is made of. An operation has one, a replacement two, a component one without length."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from eks_accelerators.simulator.timeline.operation import TimedOperation

Moment = Literal["registered", "done", "deleted", "wave"]
Key = tuple[str, Moment]
"""A URN and what happens to it; for a wave of deletions, its number."""

Why = Literal["value", "depends_on", "parent", "replacement", "dependent", "wave"]


@dataclass(frozen=True, slots=True)
class Need:
    """Another task that must be done before, and why."""

    key: Key
    why: Why
    property: str = ""
    """The property that needs the value."""


@dataclass(frozen=True, slots=True)
class Task:
    """A piece of work of known length; without an operation it is a point in time."""

    key: Key
    seconds: float
    order: int
    needs: tuple[Need, ...]
    operation: TimedOperation | None = None


def by_key(tasks: Iterable[Task]) -> dict[Key, Task]:
    """``tasks`` by their keys."""
    return {task.key: task for task in tasks}
