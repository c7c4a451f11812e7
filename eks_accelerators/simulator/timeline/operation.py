"""One thing that a deployment does to one resource."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Action = Literal["create", "update", "delete", "replace"]


@dataclass(frozen=True, slots=True)
class TimedOperation:
    """An operation of the engine, with what it waits for.

    ``seconds`` is None where nobody knows how long it takes. A component (``custom`` is false) takes no time: it is
    registered once its own dependencies are there, and its children come after it.
    """

    urn: str
    type: str
    name: str
    action: Action
    dependencies: tuple[str, ...]
    """URNs, as the engine is told them; those that are no operation of the deployment are there already."""
    order: int
    """Place among the registrations, or in the state."""
    seconds: float | None
    """Of the creation, where the resource is replaced."""
    custom: bool = True
    parent: str = ""
    detail: str | None = None
    """What tells it from others of its type, as in `eks_accelerators.accelerators.durations`."""
    property_dependencies: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Which of the dependencies give a value, by the property that needs it."""
    delete_seconds: float | None = None
    """Of the deletion of what is replaced."""
    delete_before_replace: bool = False
    """Whether the old goes before the new comes; otherwise it goes at the end."""
