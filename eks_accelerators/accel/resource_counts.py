"""How many resources there are, counted as the engine counts them in `pulumi up`.

The stack itself counts, and so does what is inside of a remote component; the default providers, which the engine makes
for itself, do not. Source: pulumi/pulumi `pkg/engine/update.go`, `isDefaultProviderStep`.
"""

from collections.abc import Sequence
from typing import Protocol


class _Resource(Protocol):
    @property
    def custom(self) -> bool: ...


def resource_counts(resources: Sequence[_Resource]) -> tuple[int, int]:
    """How many there are with the stack around them, which is a component, and how many of them are components."""
    return len(resources) + 1, sum(not resource.custom for resource in resources) + 1
