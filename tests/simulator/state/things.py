"""A provider of things that are nothing but their inputs, which somebody else can change, and whose operations fail at will."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from google.protobuf import empty_pb2
from pulumi.runtime.proto import provider_pb2

from eks_accelerators.simulator import servers
from eks_accelerators.simulator.aws.errors import AwsError
from eks_accelerators.simulator.providers.kind import Created, PartlyCreatedError
from eks_accelerators.simulator.providers.server import ProviderServer, answered
from eks_accelerators.simulator.providers.values import to_python, to_struct


class Things(ProviderServer):
    """``there`` has what is there, by ID: the name of a thing, and how many of that name were made before it.

    A change of `kind` replaces a thing. ``failing`` has what fails: an operation and a name.
    """

    def __init__(self) -> None:
        self.there: dict[str, dict[str, Any]] = {}
        self.failing: set[tuple[str, str]] = set()
        self._made: dict[str, int] = {}

    def Check(self, request: Any, context: Any) -> Any:  # noqa: N802
        return provider_pb2.CheckResponse(inputs=request.news)

    def Diff(self, request: Any, context: Any) -> Any:  # noqa: N802
        old, new = to_python(request.old_inputs), to_python(request.news)
        changed = [key for key in sorted({*old, *new}) if old.get(key) != new.get(key)]
        return provider_pb2.DiffResponse(
            changes=provider_pb2.DiffResponse.DIFF_SOME if changed else provider_pb2.DiffResponse.DIFF_NONE,
            diffs=changed,
            replaces=[key for key in changed if key == "kind"],
        )

    def Create(self, request: Any, context: Any) -> Any:  # noqa: N802
        return answered(context, lambda: self._create(request), request.properties)

    def _create(self, request: Any) -> Any:
        name = request.urn.rpartition("::")[2]
        self._fail("create", name)
        self._made[name] = self._made.get(name, 0) + 1
        made = f"{name}-{self._made[name]}"
        self.there[made] = to_python(request.properties)
        if ("finish", name) in self.failing:
            raise PartlyCreatedError(Created(made, {}), f"{name} is there and no good")
        return provider_pb2.CreateResponse(id=made, properties=request.properties)

    def Read(self, request: Any, context: Any) -> Any:  # noqa: N802
        if request.id not in self.there:
            return provider_pb2.ReadResponse()
        found = to_struct(self.there[request.id])
        return provider_pb2.ReadResponse(id=request.id, properties=found, inputs=found)

    def Update(self, request: Any, context: Any) -> Any:  # noqa: N802
        return answered(context, lambda: self._update(request), request.news)

    def _update(self, request: Any) -> Any:
        self._fail("update", request.urn.rpartition("::")[2])
        self.there[request.id] = to_python(request.news)
        return provider_pb2.UpdateResponse(properties=request.news)

    def Delete(self, request: Any, context: Any) -> Any:  # noqa: N802
        return answered(context, lambda: self._delete(request))

    def _delete(self, request: Any) -> Any:
        self._fail("delete", request.urn.rpartition("::")[2])
        self.there.pop(request.id, None)
        return empty_pb2.Empty()

    def _fail(self, operation: str, name: str) -> None:
        if (operation, name) in self.failing:
            raise AwsError("Broken", f"the {operation} of {name} fails")


@contextmanager
def things() -> Iterator[tuple[Things, str]]:
    """A provider, and the value of PULUMI_DEBUG_PROVIDERS."""
    provider = Things()
    with servers.serving({"things": provider}) as addresses:
        yield provider, addresses
