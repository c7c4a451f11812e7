"""Deploys the Helm releases that a stack needs: one entry for each in `eks_accelerators.settings.releases`."""

from typing import Any

import pulumi

from eks_accelerators import components
from eks_accelerators.components.base import Component
from eks_accelerators.components.pod_identity import ClusterRef, Wired
from eks_accelerators.settings.releases import RELEASES
from eks_accelerators.settings.resolved_stack import ResolvedStack


def add_releases(stack: ResolvedStack, cluster: ClusterRef, opts: pulumi.ResourceOptions) -> list[Component[Any]]:
    """Release what the stack needs. Returned are those that pods with GPUs wait for."""
    awaited = []
    for each in RELEASES:
        if inputs := each.inputs(stack):
            component: type[Component[Any]] = getattr(components, each.component)
            made = component.of(each.name, Wired(inputs, cluster) if each.wiring else inputs, opts)
            awaited += [made] if each.serves_gpus else []
    return awaited
