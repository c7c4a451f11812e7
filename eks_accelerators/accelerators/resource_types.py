"""What is known of each type of resource: what replaces it, what that means, which IAM actions it takes, how long it takes.

Source: of a resource that the simulation knows, its kind in `simulator/providers/aws/`, from which
`data/simulated-resource-types.json` is written; of others, which a real API server or nobody simulates, a file in
`data/resource_types/`. `data/resource-types.json` has the sources that several share; a type may have some of its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

from eks_accelerators.accelerators import data


@dataclass(frozen=True, slots=True)
class ResourceType:
    """One type, by its token in Pulumi, such as `aws:ec2/vpc:Vpc`; `*` in it stands for any text."""

    type: str
    name: str | None
    """What people call such a resource, with `{name}` for its own name; None where nobody waits for it."""
    replacing: frozenset[str]
    """Paths of the properties that replace the resource when they change."""
    grave: Mapping[str, str]
    """What it means, in words, that it is replaced, removed or added, where that is grave."""
    follows: Mapping[str, str]
    """By the type of another resource, what a change of that one in place does to this one."""
    iam: tuple[Mapping[str, Any], ...] | None
    """The IAM actions that it takes, by their scope; None where nobody has written them down."""
    durations: Mapping[str, Any]
    """Seconds by action, each with its source; under `details` those of what one type covers."""
    sources: Mapping[str, str]
    """What the sources of its figures are, by their short names."""


@cache
def every() -> Mapping[str, ResourceType]:
    """Each type that is written down, by its token."""
    shared = data.load("resource-types")["sources"]
    rows = [*data.load("simulated-resource-types")["types"], *data.load_each("resource_types")]
    return {row["type"]: parsed(row, shared) for row in rows}


def find(token: str) -> ResourceType | None:
    """What is known of the type, or None."""
    found = every().get(token)
    return found or next((each for pattern, each in every().items() if fnmatchcase(token, pattern)), None)


def parsed(row: Mapping[str, Any], shared: Mapping[str, str]) -> ResourceType:
    """The type that a row describes. ``shared`` are sources beside its own."""
    return ResourceType(
        type=row["type"],
        name=row.get("name"),
        replacing=frozenset(row.get("replacement", {}).get("properties", ())),
        grave=row.get("grave", {}),
        follows=row.get("follows", {}),
        iam=tuple(row["iam"]) if "iam" in row else None,
        durations=row.get("durations", {}),
        sources={**shared, **row.get("sources", {})},
    )
