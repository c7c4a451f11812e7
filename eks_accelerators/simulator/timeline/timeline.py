"""A timeline: when each operation of a deployment runs, and which of them decide how long it takes."""

from dataclasses import dataclass
from typing import Literal

EdgeKind = Literal["value", "depends_on", "parent", "replacement", "dependent", "wave"]


@dataclass(frozen=True, slots=True)
class Step:
    """One operation, or one half of a replacement, with its start and end in seconds from the beginning."""

    urn: str
    type: str
    name: str
    action: Literal["create", "update", "delete"]
    start: float
    end: float
    known: bool
    """Whether its length is known; otherwise it counts as nothing."""
    detail: str | None
    part: str
    """The top-level part of the deployment that it belongs to, as people call it."""

    @property
    def seconds(self) -> float:
        """Its length; 0 where that is unknown."""
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Edge:
    """Two steps of the critical path, and how the second depends on the first."""

    before: Step
    after: Step
    kind: EdgeKind
    property: str = ""
    """The property of the second that needs a value of the first."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """All steps at a given parallelism, and the critical path: the longest chain, however many workers there are."""

    steps: tuple[Step, ...]
    makespan: float
    """Seconds until everything is done."""
    parallelism: int | None
    """Most operations at a time; None is no limit."""
    path: tuple[Step, ...]
    """The steps of the critical path, one after another, at unlimited parallelism."""
    edges: tuple[Edge, ...]
    """Why each step of the path waits for the one before it; one fewer than steps."""
    unknown: tuple[str, ...]
    """Types whose length is unknown and counts as nothing: with any, the deployment takes longer than this."""

    @property
    def critical_seconds(self) -> float:
        """Length of the critical path: no parallelism makes the deployment shorter."""
        return self.path[-1].end if self.path else 0.0
