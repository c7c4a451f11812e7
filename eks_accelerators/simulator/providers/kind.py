"""One kind of resource: what a provider does with it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from eks_accelerators.simulator.aws.errors import AwsError
from eks_accelerators.simulator.providers.calls import Calls
from eks_accelerators.simulator.providers.resource_facts import ResourceFacts


@dataclass(frozen=True, slots=True)
class Created:
    """A resource that is there now: its ID, and the properties that AWS added to the inputs."""

    id: str
    outputs: dict[str, Any] = field(default_factory=dict)


class PartlyCreatedError(Exception):
    """The resource is there, and is no good: it is in the state, and the operation has failed."""

    def __init__(self, created: Created, reason: str) -> None:
        self.created, self.reason = created, reason
        super().__init__(reason)


class Kind:
    """A type of resource on the simulated account.

    ``properties`` are the inputs that the simulation knows; any other is an error that names it.
    ``changeable`` are those that `update` knows how to change; those that replace the resource are in ``facts``.
    """

    token: ClassVar[str]
    properties: ClassVar[frozenset[str]]
    inside: ClassVar[Mapping[str, frozenset[str]]] = {}
    """By path, such as `metricQueries.metric`, the properties of objects of which the simulation hands on only those.
    Of all others AWS's own API is the judge: they reach it whole."""
    changeable: ClassVar[frozenset[str]] = frozenset()
    kept: ClassVar[frozenset[str]] = frozenset()
    """Inputs that the provider takes from its state where the program leaves them out, or does so now: Optional and
    Computed in its schema. To leave one out is no difference."""
    calls: ClassVar[frozenset[str]] = frozenset()
    """What it asks of AWS's API, such as `ec2.create_vpc`: it can make no other call."""
    facts: ClassVar[ResourceFacts]
    """What the plan, the policies and the durations know of it."""
    source: ClassVar[str | None] = None
    """Who judged this kind, besides the source of its chapter."""
    name_property: ClassVar[str | None] = None
    """Property that gets a generated name where the program gives none."""
    longest_name: ClassVar[int] = 255

    def unknown(self, inputs: Mapping[str, Any]) -> list[str]:
        """Paths of the properties in ``inputs`` that the simulation does not know."""
        found = set(inputs) - self.properties
        for path, known in self.inside.items():
            for here, value in _objects_at(inputs, path.split(".")):
                found |= {f"{here}.{each}" for each in set(value) - known}
        return sorted(found)

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        """Make the resource by calls of AWS. Raises `AwsError` where one is refused."""
        raise NotImplementedError

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        """The properties as AWS has them now, or None where the resource is gone.

        Raises `AwsError` for any other refusal. A kind that leaves a property out does not observe it.
        """
        raise NotImplementedError

    def update(self, aws: Calls, identifier: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        """Change the resource in place; returns properties that AWS changed with it."""
        raise NotImplementedError

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        """Remove the resource. Not to find it is no error."""
        raise NotImplementedError

    def changes_with(self, changed: set[str]) -> frozenset[str]:
        """Outputs that become unknown in a preview that changes the properties ``changed``."""
        return frozenset()


def _objects_at(value: Mapping[str, Any], path: list[str], above: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The objects at ``path``, in lists too, each with its path as Pulumi writes it."""
    name, *below = path
    here, found = f"{above}{name}", value.get(name)
    listed = [(f"{here}[{index}]", each) for index, each in enumerate(found)] if isinstance(found, list) else []
    for at, each in listed or [(here, found)]:
        if isinstance(each, Mapping):
            yield from _objects_at(each, below, f"{at}.") if below else [(at, each)]


def is_gone(error: AwsError) -> bool:
    """Whether AWS says that it does not have the thing."""
    return error.code.endswith(
        (".NotFound", ".Unknown", "NotFoundException", "NoSuchEntity", "NotFound", ".NonExistentQueue")
    )
