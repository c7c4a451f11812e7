"""What a component registers with the engine on behalf of a program: itself, its children and their outputs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pulumi.runtime.proto import resource_pb2

from eks_accelerators.simulator.aws.errors import NotSimulatedError
from eks_accelerators.simulator.providers.values import UNKNOWN, to_python, to_struct
from eks_accelerators.simulator.providers.wire import RESOURCE, SIGNATURE

_PROVIDER = "pulumi:providers:"
_BUNDLED = {"aws": "7.25.0", "kubernetes": "4.19.0"}
"""Versions of the providers that the component brings. Source: pulumi-eks `nodejs/eks/package.json`, read 2026-11-20."""


@dataclass(frozen=True, slots=True)
class SimulatedClusterInputs:
    """A component as a program asks for it. ``depends`` has the URNs on which each input depends."""

    type: str
    name: str
    parent: str
    inputs: dict[str, Any]
    depends: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    dependencies: tuple[str, ...] = ()
    providers: Mapping[str, str] = field(default_factory=dict)
    protect: bool = False


@dataclass(frozen=True, slots=True)
class RegisteredChild:
    """A resource that is registered: its URN, its ID and its properties."""

    urn: str
    id: str
    state: dict[str, Any]

    @property
    def reference(self) -> dict[str, Any]:
        """The resource itself, as a value."""
        return {SIGNATURE: RESOURCE, "urn": self.urn, "id": self.id}


class Registrations:
    """Registers with ``monitor``, which is the engine's or has its methods, what the component ``wanted`` is made of."""

    def __init__(self, monitor: Any, wanted: SimulatedClusterInputs) -> None:
        self._monitor, self._wanted = monitor, wanted

    def partition(self) -> str:
        """The partition of AWS, as the component looks it up."""
        answer = self._monitor.Invoke(
            resource_pb2.ResourceInvokeRequest(
                tok="aws:index/getPartition:getPartition",
                provider=self._wanted.providers.get("aws", ""),
                version=_BUNDLED["aws"],
                acceptResources=True,
            )
        )
        if answer.failures:
            raise NotSimulatedError("; ".join(failure.reason for failure in answer.failures))
        return str(to_python(getattr(answer, "return")).get("partition", UNKNOWN))

    def component(self, token: str, name: str, parent: str, dependencies: list[str] | None = None) -> str:
        """Register a component; gives its URN."""
        answer = self._monitor.RegisterResource(
            resource_pb2.RegisterResourceRequest(
                type=token,
                name=name,
                parent=parent,
                custom=False,
                object=to_struct({}),
                protect=self._wanted.protect,
                dependencies=dependencies or [],
                providers=dict(self._wanted.providers),
                acceptResources=True,
            )
        )
        return str(answer.urn)

    def finish(self, component: str, outputs: dict[str, Any]) -> None:
        """Say what has come of a component: its ``outputs``."""
        self._monitor.RegisterResourceOutputs(
            resource_pb2.RegisterResourceOutputsRequest(urn=component, outputs=to_struct(outputs))
        )

    def resource(
        self,
        token: str,
        name: str,
        inputs: dict[str, Any],
        depends: dict[str, list[str]] | None = None,
        *,
        parent: str,
        dependencies: list[str] | None = None,
        ignore_changes: list[str] | None = None,
    ) -> RegisteredChild:
        """Register a resource. ``depends`` has the URNs on which each input depends."""
        depends = depends or {}
        every = sorted({*(dependencies or ()), *(urn for urns in depends.values() for urn in urns)})
        listed = resource_pb2.RegisterResourceRequest.PropertyDependencies
        answer = self._monitor.RegisterResource(
            resource_pb2.RegisterResourceRequest(
                type=token,
                name=name,
                parent=parent,
                custom=True,
                object=to_struct(inputs),
                protect=self._wanted.protect,
                dependencies=every,
                propertyDependencies={key: listed(urns=urns) for key, urns in depends.items()},
                provider="" if token.startswith(_PROVIDER) else self._wanted.providers.get("aws", ""),
                ignoreChanges=ignore_changes or [],
                acceptResources=True,
                supportsPartialValues=True,
                version=_BUNDLED[
                    token.partition(":")[0] if not token.startswith(_PROVIDER) else token.removeprefix(_PROVIDER)
                ],
            )
        )
        return RegisteredChild(answer.urn, answer.id, to_python(answer.object))
