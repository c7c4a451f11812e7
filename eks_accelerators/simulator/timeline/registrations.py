"""From what a program registers, or a state holds, to operations with their usual length."""

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from eks_accelerators.accelerators import durations
from eks_accelerators.simulator.timeline.operation import TimedOperation


class Registration(Protocol):
    """A resource as a program registers it. ``inputs`` have the provider's own camelCase keys."""

    @property
    def urn(self) -> str:
        """The URN of the resource that is registered."""

    @property
    def type(self) -> str:
        """Type token, such as `aws:eks/cluster:Cluster`."""

    @property
    def name(self) -> str:
        """Its name in the program."""

    @property
    def parent(self) -> str:
        """URN of the parent resource."""

    @property
    def custom(self) -> bool:
        """Whether a provider manages it; a component is none."""

    @property
    def inputs(self) -> Mapping[str, Any]:
        """The inputs with which the resource is registered."""

    @property
    def dependencies(self) -> tuple[str, ...]:
        """URNs of all that it depends on."""

    @property
    def property_dependencies(self) -> Mapping[str, tuple[str, ...]]:
        """URNs by the property that needs a value of them."""


def operations(
    registrations: Iterable[Registration], action: durations.Action = "create"
) -> tuple[TimedOperation, ...]:
    """One ``action`` for every resource, each with its usual length, in the order of registration."""
    known = {registration.urn: registration for registration in registrations}
    return tuple(_operation(registration, order, action, known) for order, registration in enumerate(known.values()))


def _operation(
    registration: Registration, order: int, action: durations.Action, known: Mapping[str, Registration]
) -> TimedOperation:
    detail = detail_of(registration, known)
    usual = durations.seconds(registration.type, action, detail) if registration.custom else None
    return TimedOperation(
        urn=registration.urn,
        type=registration.type,
        name=registration.name,
        action=action,
        dependencies=tuple(sorted(registration.dependencies)),
        order=order,
        seconds=usual.seconds if usual else None,
        custom=registration.custom,
        parent=registration.parent,
        detail=detail,
        property_dependencies=registration.property_dependencies,
    )


def detail_of(registration: Registration, known: Mapping[str, Registration]) -> str | None:
    """What `eks_accelerators.accelerators.durations` wants to know beside the type; ``known`` are the others, by URN."""
    inputs = registration.inputs
    match registration.type:
        case "aws:ec2/vpcEndpoint:VpcEndpoint":
            return _text(inputs.get("vpcEndpointType"))
        case "aws:eks/addon:Addon":
            return _text(inputs.get("addonName"))
        case "aws:eks/nodeGroup:NodeGroup":
            return _nodes(registration, known)
        case "kubernetes:helm.sh/v3:Release":
            return "skipAwait" if inputs.get("skipAwait") else None
        case kind if kind.startswith("kubernetes:"):
            return _kubernetes(inputs)
    return None


def _nodes(group: Registration, known: Mapping[str, Registration]) -> str | None:
    """The instance type, of the group or of its launch template; `0 nodes` where it starts none."""
    desired = (group.inputs.get("scalingConfig") or {}).get("desiredSize")
    # A block that has not begun gives no nodes, and whether it has is known at deployment only.
    if desired == 0 or (not isinstance(desired, int) and group.inputs.get("capacityType") == "CAPACITY_BLOCK"):
        return "0 nodes"
    if types := group.inputs.get("instanceTypes"):
        return _text(types[0])
    templates = [known[urn] for urn in group.property_dependencies.get("launchTemplate", ()) if urn in known]
    return next((_text(template.inputs.get("instanceType")) for template in templates), None)


def _kubernetes(inputs: Mapping[str, Any]) -> str | None:
    if _within(inputs, "metadata", "annotations").get("pulumi.com/skipAwait") == "true":
        return "skipAwait"
    pod = _within(inputs, "spec", "template", "spec")
    return next((_text(container.get("image")) for container in pod.get("containers") or []), None)


def _within(value: Mapping[str, Any], *keys: str) -> Mapping[str, Any]:
    """The object at the end of the keys; an empty one where there is none, or where it is known at deployment only."""
    for key in keys:
        found = value.get(key)
        value = found if isinstance(found, Mapping) else {}
    return value


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
