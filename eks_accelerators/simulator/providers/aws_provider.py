"""The `aws` provider over the simulated account."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import grpc
from google.protobuf import empty_pb2
from pulumi.runtime.proto import provider_pb2

from eks_accelerators.accelerators.replacement import replaces
from eks_accelerators.simulator.aws.account import Account
from eks_accelerators.simulator.aws.errors import AwsError, NotSimulatedError
from eks_accelerators.simulator.providers.aws import KINDS
from eks_accelerators.simulator.providers.aws.lookups import LOOKUPS
from eks_accelerators.simulator.providers.calls import Calls
from eks_accelerators.simulator.providers.differences import differences
from eks_accelerators.simulator.providers.faults import Faults
from eks_accelerators.simulator.providers.kind import Kind, is_gone
from eks_accelerators.simulator.providers.naming import generated
from eks_accelerators.simulator.providers.server import ProviderServer, answered, checked, diffed
from eks_accelerators.simulator.providers.values import UNKNOWN, has_unknown, observed, to_python, to_struct


@dataclass(frozen=True, slots=True)
class Done:
    """An operation that a provider has done: it changed something outside of Pulumi."""

    action: str
    token: str
    name: str
    urn: str
    id: str
    """The resource's ID in AWS, or in the cluster."""


class SimulatedAwsProvider(ProviderServer):
    """Creates, reads, updates and deletes the kinds of resources that the simulation knows."""

    version = "7.51.1"

    def __init__(self, account: Account, faults: Faults, done: Callable[[Done], None]) -> None:
        self._account, self._faults, self._done = account, faults, done

    def Check(self, request: Any, context: grpc.ServicerContext) -> Any:
        token, name = identity(request.urn)
        inputs, old = to_python(request.news), to_python(request.olds)
        kind = KINDS.get(token)
        if kind is None:
            return checked(inputs, [("", f"the simulation does not know the resource type {token}")])
        inputs.pop("__defaults", None)
        failures = [(each, f"the simulation does not know this property of {token}") for each in kind.unknown(inputs)]
        key = kind.name_property
        if key and key not in inputs:
            inputs[key] = old.get(key) or generated(name, request.randomSeed or name.encode(), kind.longest_name)
        return checked(inputs, failures)

    def Diff(self, request: Any, context: grpc.ServicerContext) -> Any:
        token, _ = identity(request.urn)
        kind, state = KINDS[token], to_python(request.olds)  # no other type gets past Check
        old, new = (_with_kept(kind, to_python(inputs), state) for inputs in (request.old_inputs, request.news))
        return diffed(differences(old, new), lambda path: replaces(token, path))

    def Create(self, request: Any, context: grpc.ServicerContext) -> Any:
        token, name = identity(request.urn)
        inputs = to_python(request.properties)
        if request.preview:
            return provider_pb2.CreateResponse(properties=request.properties)

        def work() -> Any:
            self._faults.check("create", token, name)
            kind = self._kind(token)
            created = kind.create(self._seen_by(kind), inputs)
            self._done(Done("create", token, name, request.urn, created.id))
            state = {**inputs, **_tags_all(inputs), **created.outputs}
            return provider_pb2.CreateResponse(id=created.id, properties=to_struct(state))

        return answered(context, work, request.properties)

    def Read(self, request: Any, context: grpc.ServicerContext) -> Any:
        token, _ = identity(request.urn)
        state, inputs = to_python(request.properties), to_python(request.inputs)

        def work() -> Any:
            kind = self._kind(token)
            try:
                found = kind.read(self._seen_by(kind), request.id, state)
            except (AwsError, IndexError) as error:
                if isinstance(error, AwsError) and not is_gone(error):
                    raise
                found = None
            if found is None:
                return provider_pb2.ReadResponse()
            # An input that AWS has otherwise now is a drift; one that the program never set stays unset.
            seen = {key: _seen(key, inputs[key], found[key]) for key in inputs if found.get(key) is not None}
            shown = {key: value for key, value in found.items() if key in inputs or value not in (None, {}, [])}
            return provider_pb2.ReadResponse(
                id=request.id,
                properties=to_struct({**state, **shown, **_tags_all(shown)}),
                inputs=to_struct({**inputs, **seen}),
            )

        return answered(context, work)

    def Update(self, request: Any, context: grpc.ServicerContext) -> Any:
        token, name = identity(request.urn)
        kind, state = KINDS[token], to_python(request.olds)
        old, new = (_with_kept(kind, to_python(inputs), state) for inputs in (request.old_inputs, request.news))
        changed = {each.top for each in differences(old, new)}
        if request.preview:
            unknown = dict.fromkeys(kind.changes_with(changed), UNKNOWN)
            return provider_pb2.UpdateResponse(properties=to_struct({**_over(state, old, new), **unknown}))

        def work() -> Any:
            if unable := sorted(changed - kind.changeable):
                raise NotSimulatedError(f"the simulation does not know how to change {', '.join(unable)} of {token}")
            self._faults.check("update", token, name)
            outputs = kind.update(self._seen_by(kind), request.id, old, new)
            self._done(Done("update", token, name, request.urn, request.id))
            properties = {**_over(state, old, new), **_tags_all(new), **outputs}
            return provider_pb2.UpdateResponse(properties=to_struct(properties))

        return answered(context, work, request.news)

    def Delete(self, request: Any, context: grpc.ServicerContext) -> Any:
        token, name = identity(request.urn)
        state = to_python(request.properties)

        def work() -> Any:
            self._faults.check("delete", token, name)
            kind = self._kind(token)
            try:
                kind.delete(self._seen_by(kind), request.id, state)
            except AwsError as error:
                if not is_gone(error):
                    raise
            self._done(Done("delete", token, name, request.urn, request.id))
            return empty_pb2.Empty()

        return answered(context, work)

    def Invoke(self, request: Any, context: grpc.ServicerContext) -> Any:
        arguments = to_python(request.args)
        if has_unknown(arguments):
            return provider_pb2.InvokeResponse()

        def work() -> Any:
            lookup = LOOKUPS.get(request.tok)
            if lookup is None:
                raise NotSimulatedError(f"the simulation does not know the look-up {request.tok}")
            if unknown := sorted(name for name in set(arguments) - lookup.arguments if arguments[name] is not None):
                raise NotSimulatedError(f"the simulation does not know {', '.join(unknown)} of {request.tok}")
            found = lookup.find(Calls(self._account, lookup.calls, request.tok), arguments)
            return provider_pb2.InvokeResponse(**{"return": to_struct(found)})

        return answered(context, work)

    def _seen_by(self, kind: Kind) -> Calls:
        return Calls(self._account, kind.calls, kind.token)

    @staticmethod
    def _kind(token: str) -> Kind:
        if token not in KINDS:
            raise NotSimulatedError(f"the simulation does not know the resource type {token}")
        return KINDS[token]


def identity(urn: str) -> tuple[str, str]:
    """Type and name of a resource, from its URN."""
    parts = urn.split("::")
    return parts[2].rpartition("$")[2], parts[3]


def _over(state: dict[str, Any], old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """``new`` inputs in the place of ``old`` ones. What AWS added to them in ``state`` stays, also inside of objects."""
    kept = {key: value for key, value in state.items() if key not in old}
    for key, value in new.items():
        was, before = state.get(key), old.get(key)
        inside = isinstance(was, dict) and isinstance(before, dict) and isinstance(value, dict)
        kept[key] = _over(was, before, value) if inside else value  # type: ignore[arg-type]
    return kept


def _seen(name: str, value: Any, live: Any) -> Any:
    """Maps of the user's own keys are compared as a whole, other objects where the program set something."""
    return live if name in ("tags", "labels") else observed(value, live)


def _with_kept(kind: Kind, inputs: dict[str, Any], state: dict[str, Any]) -> dict[str, Any]:
    """The inputs, and what the provider takes from its state where they say nothing."""
    return {**{name: state[name] for name in kind.kept if name in state}, **inputs}


def _tags_all(properties: dict[str, Any]) -> dict[str, Any]:
    """The provider repeats the tags, merged with its default ones, of which there are none."""
    return {"tagsAll": properties["tags"]} if "tags" in properties else {}
