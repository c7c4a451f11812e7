"""Running the Pulumi program in process, under the SDK's own mocks, and recording what it registers.

No engine, no plugin, no network: what a provider would answer is unknown, as in a first preview. The same
`__main__.py` runs as under `pulumi up`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from google.protobuf import struct_pb2
from pulumi.runtime import mocks, rpc
from pulumi.runtime.proto import resource_pb2

from eks_accelerators.accel.plan.engineless import run_without_engine
from eks_accelerators.settings.launch_template_rules import UNKNOWN
from eks_accelerators.simulator.lean_program import untraced
from eks_accelerators.simulator.program import program_at
from eks_accelerators.simulator.providers import wire
from eks_accelerators.simulator.providers.eks_component import Construction
from eks_accelerators.simulator.providers.registrations import SimulatedClusterInputs
from eks_accelerators.simulator.providers.values import to_python

SECRET = "[secret]"  # noqa: S105  (what stands in place of one)


@dataclass(frozen=True, slots=True)
class Resource:
    """One resource as the program registered it. ``inputs`` have the provider's own camelCase keys."""

    urn: str
    type: str
    name: str
    parent: str
    custom: bool
    inputs: dict[str, Any]
    dependencies: tuple[str, ...] = ()
    property_dependencies: dict[str, tuple[str, ...]] = field(default_factory=dict)
    protect: bool = False
    retain_on_delete: bool = False
    ignore_changes: tuple[str, ...] = ()


@dataclass(slots=True)
class Recording:
    """Everything that a program registered, in order; its outputs and its log."""

    resources: list[Resource] = field(default_factory=list)
    outputs: dict[str, Any] = field(default_factory=dict)
    messages: list[tuple[str, str]] = field(default_factory=list)


class _Answers(mocks.Mocks):
    """Providers that know nothing: every output is unknown."""

    def call(self, args: mocks.MockCallArgs) -> Any:
        raise NotImplementedError(args.token)

    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str | None, dict[str, Any]]:
        return None, args.inputs


class _Monitor(mocks.MockMonitor):
    """Records registrations; answers as an engine does in the preview of a new stack."""

    def __init__(self, recording: Recording) -> None:
        super().__init__(_Answers())
        self._recording = recording

    def Invoke(self, request: Any) -> Any:  # noqa: N802  (gRPC's name)
        if request.tok == "pulumi:pulumi:getResource":
            # Not the mocks' own: it makes an event loop in a worker's thread and leaves it open.
            known = struct_pb2.Struct()
            known.update(self.resources[request.args["urn"]]._asdict())
            return resource_pb2.ResourceInvokeResponse(**{"return": known})
        return resource_pb2.ResourceInvokeResponse(unknown=True)

    def RegisterResource(self, request: Any) -> Any:  # noqa: N802
        urn = self.make_urn(request.parent, request.type, request.name)
        if request.type == "pulumi:pulumi:Stack":
            return resource_pb2.RegisterResourceResponse(urn=urn)
        self._record(urn, request)
        echoed = struct_pb2.Struct()
        if request.type == "eks:index:Cluster":
            echoed = self._eks_cluster(urn, request)
        elif request.custom:
            echoed.CopyFrom(request.object)
            _generate_kubernetes_name(request.type, echoed)
        self.resources[urn] = mocks.MockMonitor.ResourceRegistration(urn, "", _state(echoed))
        return resource_pb2.RegisterResourceResponse(urn=urn, id="", object=echoed)

    def RegisterResourceOutputs(self, request: Any) -> Any:  # noqa: N802
        if request.urn.split("::")[2] == "pulumi:pulumi:Stack":
            self._recording.outputs.update(_plain(request.outputs))
        return super().RegisterResourceOutputs(request)

    def _record(self, urn: str, request: Any) -> None:
        self._recording.resources.append(
            Resource(
                urn=urn,
                type=request.type,
                name=request.name,
                parent=request.parent,
                custom=request.custom,
                inputs=_plain(request.object),
                dependencies=tuple(request.dependencies),
                property_dependencies={
                    name: tuple(sorted(listed.urns)) for name, listed in sorted(request.propertyDependencies.items())
                },
                protect=request.protect,
                retain_on_delete=request.retainOnDelete,
                ignore_changes=tuple(request.ignoreChanges),
            )
        )

    def _eks_cluster(self, urn: str, request: Any) -> Any:
        """The remote component registers its children here, and answers with a reference to its cluster."""
        wanted = SimulatedClusterInputs(
            type=request.type,
            name=request.name,
            parent=request.parent,
            inputs=to_python(request.object),
            depends={name: tuple(listed.urns) for name, listed in request.propertyDependencies.items()},
            dependencies=tuple(request.dependencies),
            providers=dict(request.providers),
            protect=request.protect,
        )
        made = Construction(wanted, self, known_only=False).construct_inside(urn)
        answer = struct_pb2.Struct()
        answer.update({"eksCluster": made.outputs["eksCluster"]})
        return answer


def _generate_kubernetes_name(kind: str, state: struct_pb2.Struct) -> None:
    """The Kubernetes provider generates a name where none is given, which is known only with an engine."""
    if kind.startswith("kubernetes:") and "metadata" in state.fields:
        metadata = state.fields["metadata"].struct_value
        if "name" not in metadata.fields:
            metadata.fields["name"].string_value = rpc.UNKNOWN


def _state(echoed: struct_pb2.Struct) -> dict[str, Any]:
    """What a reference to the resource is answered with, beside its URN: a name that the program gives."""
    name = echoed.fields.get("name")
    return {"name": name.string_value} if name is not None and name.WhichOneof("kind") == "string_value" else {}


class _Engine:
    """The engine's log, recorded."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording

    def Log(self, request: Any) -> Any:  # noqa: N802
        names = {0: "debug", 1: "info", 2: "warning", 3: "error"}
        if request.severity > 0:
            self._recording.messages.append((names[request.severity], request.message))


def record(
    program: Callable[[], Any], *, project: str, stack_name: str, config: Mapping[str, str], secrets: set[str]
) -> Recording:
    """Run ``program`` as the engine would in a preview; ``config`` has full keys and text values.

    What the program raises is raised here.
    """
    recording = Recording()
    with untraced():
        run_without_engine(
            program,
            _Monitor(recording),
            engine=_Engine(recording),
            project=project,
            stack_name=stack_name,
            config=config,
            secrets=secrets,
        )
    return recording


def record_file(
    path: Path, *, project: str, stack_name: str, config: Mapping[str, str], secrets: set[str]
) -> Recording:
    """Run the Pulumi program at ``path``, a `__main__.py`, as the engine would in a preview."""
    return record(program_at(path), project=project, stack_name=stack_name, config=config, secrets=secrets)


def _plain(value: struct_pb2.Struct) -> dict[str, Any]:
    # Sorted: the order of a message's fields is not the same in every process.
    return {key: _plain_value(item) for key, item in sorted(value.fields.items())}


def _plain_value(value: struct_pb2.Value) -> Any:
    kind = value.WhichOneof("kind")
    if kind == "string_value":
        return UNKNOWN if value.string_value == rpc.UNKNOWN else value.string_value
    if kind == "number_value":
        number = value.number_value
        return int(number) if number.is_integer() else number
    if kind == "bool_value":
        return value.bool_value
    if kind == "list_value":
        return [_plain_value(item) for item in value.list_value.values]
    if kind == "struct_value":
        fields = value.struct_value.fields
        signature = fields[wire.SIGNATURE].string_value if wire.SIGNATURE in fields else ""
        if signature == wire.SECRET:
            return SECRET
        if signature == wire.RESOURCE:
            return fields["urn"].string_value
        return _plain(value.struct_value)
    return None
