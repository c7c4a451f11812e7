"""Deploying components in process: what they register, and what becomes of them when AWS answers.

Built on the SDK's own mocks. `preview=True` answers as an engine does for a stack that is not there yet:
everything a provider would decide is unknown. `preview=False` answers as AWS would.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pulumi
from google.protobuf import struct_pb2
from pulumi.runtime import mocks, rpc
from pulumi.runtime.proto import resource_pb2

from eks_accelerators.accel.plan.engineless import run_without_engine
from eks_accelerators.simulator.providers import wire
from tests.conftest import NOW

PROJECT, STACK, REGION = "eks-accelerators", "test", "us-east-2"
UNKNOWN = "[unknown]"
SECRET = "[secret]"
TAGS = {"owner": "ml-platform", "stack": STACK}
ACCOUNT = "123456789012"
VPC, CLUSTER_GROUP, NODE_ROLE = "vpc-0a", "sg-0cluster", f"arn:aws:iam::{ACCOUNT}:role/node"
SUBNETS = [{"id": "subnet-a", "zone": "us-east-2a"}, {"id": "subnet-b", "zone": "us-east-2b"}]

_INNER_CLUSTER = "aws:eks/cluster:Cluster"


def reservation(**changes: Any) -> dict[str, Any]:
    """What AWS answers about a Capacity Block: active, four p5.48xlarge in zone b."""
    return {
        "id": "cr-0123456789abcdef0",
        "reservationType": "capacity-block",
        "state": "active",
        "instanceType": "p5.48xlarge",
        "instanceCount": 4,
        "availabilityZone": "us-east-2b",
        "availabilityZoneId": "use2-az2",
        "startDate": (NOW - timedelta(days=1)).isoformat(),
        "endDate": (NOW + timedelta(days=30_000)).isoformat(),
        "tags": {},
        **changes,
    }


@dataclass(frozen=True)
class Registered:
    """One resource as it was registered. ``inputs`` have the provider's camelCase keys."""

    urn: str
    type: str
    name: str
    parent: str
    custom: bool
    inputs: dict[str, Any]
    dependencies: frozenset[str]
    provider: str
    protect: bool
    retain_on_delete: bool
    ignore_changes: tuple[str, ...]
    aliases: tuple[str, ...]
    before_create: tuple[str, ...]
    raw: Any = field(repr=False, compare=False)

    @property
    def kind(self) -> str:
        """The last part of the type, such as `LaunchTemplate`; `EksCluster` for the one that is not ours."""
        last = self.type.rpartition(":")[2]
        return f"Eks{last}" if self.type.startswith("eks:") else last


@dataclass
class Deployment:
    """Everything that a program registered, in order, and how it ended."""

    resources: list[Registered] = field(default_factory=list)
    outputs: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Outputs that components registered, by URN."""
    log: list[str] = field(default_factory=list)
    hooks: dict[str, pulumi.ResourceHook] = field(default_factory=dict)
    error: Exception | None = None

    def of(self, kind: str) -> list[Registered]:
        """The resources of one kind, such as `LaunchTemplate`."""
        return [resource for resource in self.resources if resource.kind == kind]

    def one(self, kind: str, name: str | None = None) -> Registered:
        """The only resource of one kind, or the only one with that name too."""
        (found,) = [resource for resource in self.of(kind) if name in (None, resource.name)]
        return found

    def component_outputs(self, kind: str) -> dict[str, Any]:
        """The outputs of the only component of one kind."""
        return self.outputs[self.one(kind).urn]

    def children(self, urn: str) -> list[Registered]:
        """What is parented under a resource."""
        return [resource for resource in self.resources if resource.parent == urn]


def deploy(program: Callable[[], Any], **options: Any) -> Deployment:
    """Run ``program``; raise what it raises."""
    deployment = attempt(program, **options)
    if deployment.error:
        raise deployment.error
    return deployment


def attempt(
    program: Callable[[], Any],
    *,
    preview: bool = False,
    answers: Mapping[str, Any] | None = None,
    config: Mapping[str, str] | None = None,
    secrets: tuple[str, ...] = (),
) -> Deployment:
    """Run ``program`` and keep what it registered, also where it fails. ``answers`` are those to invokes, or
    functions of their arguments.
    """
    deployment = Deployment()
    monitor = _Monitor(deployment, preview, answers or {"getCapacityBlockReservation": reservation()})
    try:
        run_without_engine(
            program,
            monitor,
            engine=_Engine(deployment),
            project=PROJECT,
            stack_name=STACK,
            config=config or {},
            secrets=secrets,
            preview=preview,
            callbacks=_Hooks(deployment),
        )
    except Exception as error:
        deployment.error = error
    return deployment


class _Hooks:
    """In place of the callback server that an engine would call: hooks are kept by name."""

    def __init__(self, deployment: Deployment) -> None:
        self._deployment = deployment

    def register_resource_hook(self, hook: pulumi.ResourceHook) -> None:
        self._deployment.hooks[hook.name] = hook


class _Engine:
    def __init__(self, deployment: Deployment) -> None:
        self._deployment = deployment

    def Log(self, request: Any) -> None:  # noqa: N802
        if request.severity > 0:
            self._deployment.log.append(request.message)


class _NoMocks(mocks.Mocks):
    def call(self, args: mocks.MockCallArgs) -> Any:
        raise NotImplementedError(args.token)

    def new_resource(self, args: mocks.MockResourceArgs) -> Any:
        raise NotImplementedError(args.typ)


class _Monitor(mocks.MockMonitor):
    """Records every request, and answers it without deserializing: what a test compares is what was sent."""

    def __init__(self, deployment: Deployment, preview: bool, answers: Mapping[str, Any]) -> None:
        super().__init__(_NoMocks())
        self._deployment, self._preview, self._answers = deployment, preview, answers

    def Invoke(self, request: Any) -> Any:  # noqa: N802
        if request.tok == "pulumi:pulumi:getResource":
            return _invoked(self.resources[request.args["urn"]]._asdict())
        if self._preview:
            return resource_pb2.ResourceInvokeResponse(unknown=True)
        answer = self._answers[request.tok.rpartition(":")[2]]
        return _invoked(answer(plain(request.args)) if callable(answer) else answer)

    def RegisterResource(self, request: Any) -> Any:  # noqa: N802
        urn = self.make_urn(request.parent, request.type, request.name)
        if request.type == "pulumi:pulumi:Stack":
            return resource_pb2.RegisterResourceResponse(urn=urn)
        self._deployment.resources.append(_registered(urn, request))
        identity = "" if self._preview or not request.custom else _identity(request)
        state = struct_pb2.Struct()
        if request.type == "eks:index:Cluster":
            state = self._eks_cluster(urn, request)
        elif request.custom:
            state.CopyFrom(request.object)
            _complete(state, request, self._preview)
        self.resources[urn] = mocks.MockMonitor.ResourceRegistration(urn, identity, {})
        return resource_pb2.RegisterResourceResponse(urn=urn, id=identity, object=state)

    def RegisterResourceOutputs(self, request: Any) -> Any:  # noqa: N802
        self._deployment.outputs[request.urn] = plain(request.outputs)
        return super().RegisterResourceOutputs(request)

    def _eks_cluster(self, urn: str, request: Any) -> struct_pb2.Struct:
        """The remote component answers with a reference to the cluster that it made."""
        inner = self.make_urn(urn, _INNER_CLUSTER, f"{request.name}-eksCluster")
        name = plain(request.object)["name"]
        state: dict[str, Any] = {"name": name}
        if not self._preview:
            state |= {
                "endpoint": "https://0123.eks.amazonaws.com",
                "arn": f"arn:aws:eks:{REGION}:{ACCOUNT}:cluster/{name}",
                "certificateAuthority": {"data": "Q0E="},
                "kubernetesNetworkConfig": {"serviceIpv4Cidr": "172.20.0.0/16"},
                "vpcConfig": {"clusterSecurityGroupId": CLUSTER_GROUP},
            }
        identity = "" if self._preview else name
        self.resources[inner] = mocks.MockMonitor.ResourceRegistration(inner, identity, state)
        answer = struct_pb2.Struct()
        answer.update({"eksCluster": {wire.SIGNATURE: wire.RESOURCE, "urn": inner, "id": identity}})
        if not self._preview:
            answer.update({"kubeconfigJson": "{}"})
        return answer


def _invoked(answer: Mapping[str, Any]) -> Any:
    returned = struct_pb2.Struct()
    returned.update(answer)
    return resource_pb2.ResourceInvokeResponse(**{"return": returned})


def _identity(request: Any) -> str:
    return f"{request.name}-id"


def _complete(state: struct_pb2.Struct, request: Any, preview: bool) -> None:
    """Add what the provider decides; in a preview it is unknown, and the SDK takes what is missing for that."""
    if request.type.startswith("kubernetes:") and "metadata" in state.fields:
        metadata = state.fields["metadata"].struct_value
        if "name" not in metadata.fields:
            metadata.update({"name": rpc.UNKNOWN if preview else f"{request.name}-1a2b3c4d"})
    if preview:
        return
    name = plain(state).get("name") or f"{request.name}-1a2b3c4"
    kind, given = request.type.rpartition(":")[2], set(state.fields)
    decided = {
        "LaunchTemplate": {"latestVersion": 7},
        "NodeGroup": {
            "nodeGroupName": name,
            "resources": [{"autoscalingGroups": [{"name": f"eks-{name}"}]}],
        },
        "Role": {"name": name, "arn": f"arn:aws:iam::{ACCOUNT}:role/{name}"},
        "Workspace": {
            "arn": f"arn:aws:aps:{REGION}:{ACCOUNT}:workspace/{name}",
            "prometheusEndpoint": f"https://aps-workspaces.{REGION}.amazonaws.com/workspaces/{name}/",
        },
        "Topic": {"name": name, "arn": f"arn:aws:sns:{REGION}:{ACCOUNT}:{name}"},
        "LustreFileSystem": {
            "arn": f"arn:aws:fsx:{REGION}:{ACCOUNT}:file-system/fs-1",
            "dnsName": f"fs-1.fsx.{REGION}.amazonaws.com",
            "mountName": "abcdefgh",
        },
        "FileSystem": {"arn": f"arn:aws:elasticfilesystem:{REGION}:{ACCOUNT}:file-system/fs-2"},
        "FilesFileSystem": {"arn": f"arn:aws:s3files:{REGION}:{ACCOUNT}:file-system/fs-3"},
        "Queue": {
            "name": name,
            "arn": f"arn:aws:sqs:{REGION}:{ACCOUNT}:{name}",
            "url": f"https://sqs.{REGION}.amazonaws.com/{ACCOUNT}/{name}",
        },
        "EventRule": {"name": name, "arn": f"arn:aws:events:{REGION}:{ACCOUNT}:rule/{name}"},
        "PlacementGroup": {"name": name},
        "Eip": {"allocationId": "eipalloc-0a"},
        "Release": {"name": name},
    }
    state.update({key: value for key, value in decided.get(kind, {}).items() if key not in given})


def _registered(urn: str, request: Any) -> Registered:
    return Registered(
        urn=urn,
        type=request.type,
        name=request.name,
        parent=request.parent,
        custom=request.custom,
        inputs=plain(request.object),
        dependencies=frozenset(request.dependencies),
        provider=request.provider or request.providers.get("kubernetes", ""),
        protect=request.protect,
        retain_on_delete=request.retainOnDelete,
        ignore_changes=tuple(request.ignoreChanges),
        aliases=tuple(str(alias) for alias in request.aliases),
        before_create=tuple(request.hooks.before_create),
        raw=request,
    )


def plain(value: struct_pb2.Struct) -> dict[str, Any]:
    """A message's fields as Python values; secrets and unknown values become a word each."""
    return {key: _plain_value(item) for key, item in value.fields.items()}


def _plain_value(value: struct_pb2.Value) -> Any:
    kind = value.WhichOneof("kind")
    if kind == "struct_value":
        fields = value.struct_value.fields
        mark = fields[wire.SIGNATURE].string_value if wire.SIGNATURE in fields else ""
        if mark == wire.SECRET:
            return SECRET
        return fields["urn"].string_value if mark == wire.RESOURCE else plain(value.struct_value)
    if kind == "list_value":
        return [_plain_value(item) for item in value.list_value.values]
    if kind == "number_value" and value.number_value.is_integer():
        return int(value.number_value)
    scalar = getattr(value, kind) if kind and kind != "null_value" else None
    return UNKNOWN if scalar == rpc.UNKNOWN else scalar


def leaves(value: Any) -> Iterator[Any]:
    """Every scalar in nested data."""
    if isinstance(value, Mapping | list):
        for child in value.values() if isinstance(value, Mapping) else value:
            yield from leaves(child)
    else:
        yield value
