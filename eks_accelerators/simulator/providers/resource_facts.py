"""What the rest of the product knows of a type of resource: written beside its kind, and read from a file made of it.

The plan's warnings of replacement, the policies of `accel policy` and the durations of a plan lie below the simulator and
cannot import a kind. `eks_accelerators.simulator.resource_types_file` writes for them what is said here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class UsualTime:
    """Seconds that an operation usually takes. ``source`` is a short name of `data/resource-types.json`, or one of the type's own."""

    seconds: float
    source: str


ONE_CALL: dict[str, UsualTime] = {
    "create": UsualTime(1, "estimate-aws-call"),
    "update": UsualTime(1, "estimate-aws-call"),
    "delete": UsualTime(1, "estimate-aws-call"),
}
"""The durations of what AWS does at once, by action."""


@dataclass(frozen=True, slots=True)
class Permissions:
    """IAM ``actions`` on the resources of a ``scope`` of `data/iam-actions.json`: ``where`` an input has a value, or always."""

    scope: str
    actions: tuple[str, ...]
    where: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceFacts:
    """Facts of a type, each with its source."""

    called: str | None = None
    """What people call such a resource; None where nobody waits for it."""
    replacing: tuple[str, ...] = ()
    """Paths of the properties that replace the resource when they change."""
    replacing_source: str = "pulumi-aws"
    grave: Mapping[str, str] = field(default_factory=dict)
    """What it means, in words, that it is replaced, removed or added (`replace`, `remove`, `add`), where that is grave."""
    follows: Mapping[str, str] = field(default_factory=dict)
    """By the type of another resource, what a change of that one in place does to this one."""
    scope: str = "any"
    """On which resources the caller must be allowed the calls of the kind that ``permissions`` do not name."""
    permissions: tuple[Permissions, ...] = ()
    """What the provider must be allowed besides, and calls of the kind that have another scope."""
    only_here: Mapping[str, str] = field(default_factory=dict)
    """Calls of the kind that the provider does not make, each with the reason: nobody must be allowed them."""
    durations: Mapping[str, UsualTime] = field(default_factory=dict)
    """By action: `create`, `update` and `delete`."""
    details: Mapping[str, Mapping[str, UsualTime]] = field(default_factory=dict)
    """The durations of what one type covers, such as an add-on by its name; `*` stands for any text."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """Sources that no other type has, by short names."""
