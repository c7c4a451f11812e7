"""Calling a provider as the engine calls it, without one."""

from dataclasses import dataclass, field
from typing import Any

from pulumi.runtime.proto import provider_pb2, status_pb2

from eks_accelerators.simulator.aws.account import Account
from eks_accelerators.simulator.providers.aws_provider import Done, SimulatedAwsProvider
from eks_accelerators.simulator.providers.faults import Faults
from eks_accelerators.simulator.providers.values import to_python, to_struct


class AbortedError(Exception):
    """The call ended with a gRPC error."""


class Context:
    """What a call's servicer knows of it: how it was aborted."""

    def __init__(self) -> None:
        self.trailing: dict[str, bytes] = {}

    def set_trailing_metadata(self, metadata: tuple[tuple[str, bytes], ...]) -> None:
        """Details of an error."""
        self.trailing = dict(metadata)

    def abort(self, code: Any, details: str) -> None:
        """End the call."""
        raise AbortedError(details)

    def partly_created(self) -> dict[str, Any]:
        """Identifier, state and reasons of a resource that is there and no good; empty where there is none."""
        if "grpc-status-details-bin" not in self.trailing:
            return {}
        status = status_pb2.Status.FromString(self.trailing["grpc-status-details-bin"])
        failed = provider_pb2.ErrorResourceInitFailed()
        status.details[0].Unpack(failed)
        return {"id": failed.id, "state": to_python(failed.properties), "reasons": list(failed.reasons)}


@dataclass
class Resource:
    """A resource as the engine keeps it."""

    id: str
    inputs: dict[str, Any]
    state: dict[str, Any]


@dataclass
class Calls:
    """The `aws` provider over an account, for resources called ``name``."""

    aws: Account
    faults: Faults = field(default_factory=Faults)
    done: list[Done] = field(default_factory=list)
    context: Context = field(default_factory=Context)
    name: str = "it"
    made: list[tuple[str, Resource]] = field(default_factory=list)
    """What a test has made, with its type."""

    def __post_init__(self) -> None:
        self.provider = SimulatedAwsProvider(self.aws, self.faults, self.done.append)

    def urn(self, token: str) -> str:
        """URN of a resource of the type ``token``, below a component."""
        return f"urn:pulumi:test::project::eks-accelerators:index:Network${token}::{self.name}"

    def check(
        self, token: str, news: dict[str, Any], olds: dict[str, Any] | None = None, seed: bytes = b"seed"
    ) -> tuple[dict[str, Any], list[tuple[str, str]]]:
        """The inputs as the provider completes them, and what is wrong with them."""
        request = provider_pb2.CheckRequest(
            urn=self.urn(token), news=to_struct(news), olds=to_struct(olds or {}), randomSeed=seed
        )
        answer = self.provider.Check(request, self.context)
        return to_python(answer.inputs), [(each.property, each.reason) for each in answer.failures]

    def diff(self, token: str, before: Resource, news: dict[str, Any]) -> dict[str, Any]:
        """Kinds of difference by path, and the properties that replace."""
        answer = self.provider.Diff(
            provider_pb2.DiffRequest(
                id=before.id,
                urn=self.urn(token),
                olds=to_struct(before.state),
                old_inputs=to_struct(before.inputs),
                news=to_struct(news),
            ),
            self.context,
        )
        kinds = {
            path: provider_pb2.PropertyDiff.Kind.Name(each.kind).lower() for path, each in answer.detailedDiff.items()
        }
        changes = provider_pb2.DiffResponse.DiffChanges.Name(answer.changes)
        return {"changes": changes, "detailed": kinds, "replaces": list(answer.replaces), "diffs": list(answer.diffs)}

    def create(self, token: str, inputs: dict[str, Any], *, preview: bool = False) -> Resource:
        """Create it, from inputs that were checked."""
        checked, failures = self.check(token, inputs)
        assert failures == []
        request = provider_pb2.CreateRequest(urn=self.urn(token), properties=to_struct(checked), preview=preview)
        answer = self.provider.Create(request, self.context)
        return Resource(answer.id, checked, to_python(answer.properties))

    def read(self, token: str, made: Resource) -> Resource | None:
        """The resource as it is now, or None where it is gone."""
        request = provider_pb2.ReadRequest(
            id=made.id, urn=self.urn(token), properties=to_struct(made.state), inputs=to_struct(made.inputs)
        )
        answer = self.provider.Read(request, self.context)
        return Resource(answer.id, to_python(answer.inputs), to_python(answer.properties)) if answer.id else None

    def update(self, token: str, before: Resource, news: dict[str, Any], *, preview: bool = False) -> Resource:
        """Change it, to inputs that were checked."""
        checked, failures = self.check(token, news, before.inputs)
        assert failures == []
        request = provider_pb2.UpdateRequest(
            id=before.id,
            urn=self.urn(token),
            olds=to_struct(before.state),
            old_inputs=to_struct(before.inputs),
            news=to_struct(checked),
            preview=preview,
        )
        answer = self.provider.Update(request, self.context)
        return Resource(before.id, checked, to_python(answer.properties))

    def delete(self, token: str, made: Resource) -> None:
        """Delete it."""
        request = provider_pb2.DeleteRequest(
            id=made.id, urn=self.urn(token), properties=to_struct(made.state), old_inputs=to_struct(made.inputs)
        )
        self.provider.Delete(request, self.context)

    def invoke(self, token: str, **arguments: Any) -> dict[str, Any]:
        """Look something up."""
        answer = self.provider.Invoke(provider_pb2.InvokeRequest(tok=token, args=to_struct(arguments)), self.context)
        return to_python(getattr(answer, "return"))
