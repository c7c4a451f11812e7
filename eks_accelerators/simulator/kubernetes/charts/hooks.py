"""Hooks of a chart that Helm runs when it deletes a release: Jobs for which it waits."""

from dataclasses import dataclass
from typing import Literal

from eks_accelerators.simulator.kubernetes.objects import Manifest

When = Literal["pre-delete", "post-delete"]


@dataclass(frozen=True)
class Hook:
    """One Job; ``pod`` is the spec of its pod, as far as it says where that can run."""

    when: When
    job: str
    namespace: str
    pod: Manifest
    strips_labels: bool = False
    """Whether it takes from all nodes what Node Feature Discovery has written on them."""
