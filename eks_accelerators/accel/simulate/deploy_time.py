"""How long on real AWS what the engine has just done would take: from its steps and its state to a timeline."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from eks_accelerators.accelerators import durations
from eks_accelerators.simulator.outcome import EngineStep
from eks_accelerators.simulator.timeline import TimedOperation, Timeline, operations, schedule

_ACTIONS: Mapping[str, durations.Action] = {
    "create": "create",
    "create-replacement": "create",
    "replace": "create",
    "update": "update",
    "delete": "delete",
    "delete-replaced": "delete",
}


@dataclass(frozen=True, slots=True)
class _Registered:
    """A resource of the state as something that a program registers."""

    urn: str
    type: str
    name: str
    parent: str
    custom: bool
    inputs: Mapping[str, Any]
    dependencies: tuple[str, ...]
    property_dependencies: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def timeline_of(
    steps: Iterable[EngineStep],
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    waits: Mapping[str, float] | None = None,
) -> Timeline:
    """The timeline of ``steps``; ``before`` and ``after`` are the engine's deployments around them.

    ``waits`` has the seconds that steps take which failed, by URN: what never became ready is waited for as long as one may.

    A replacement counts as its creation: the old goes at the end, and nothing waits for it.
    """
    registered = {each.urn: each for each in (*_registered(before), *_registered(after))}
    every = list(registered.values())
    by_action = {
        action: {operation.urn: operation for operation in operations(every, action)}
        for action in ("create", "update", "delete")
    }
    found: dict[str, TimedOperation] = {}
    for step in steps:
        action = _ACTIONS.get(step.op)
        if action and step.urn in registered and found.get(step.urn) is None:
            usual = by_action[action][step.urn]
            found[step.urn] = replace(usual, seconds=waits[step.urn]) if waits and step.urn in waits else usual
    return schedule(found.values())


def _registered(deployment: Mapping[str, Any]) -> list[_Registered]:
    return [
        _Registered(
            urn=resource["urn"],
            type=resource["type"],
            name=resource["urn"].rpartition("::")[2],
            parent=resource.get("parent", ""),
            custom=resource.get("custom", False),
            inputs=resource.get("inputs") or {},
            dependencies=tuple({*(resource.get("dependencies") or ()), *_provider(resource)}),
            property_dependencies={
                key: tuple(urns or ()) for key, urns in (resource.get("propertyDependencies") or {}).items()
            },
        )
        for resource in deployment.get("resources", [])
        if resource["type"] != "pulumi:pulumi:Stack"
    ]


def _provider(resource: Mapping[str, Any]) -> tuple[str, ...]:
    """The URN of the resource's provider, which must be there first."""
    reference = resource.get("provider", "")
    return (reference.rpartition("::")[0],) if "::" in reference else ()
