"""Deploys the Helm releases that a stack needs: one entry for each in `eks_accelerators.settings.releases`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pulumi

from eks_accelerators import components
from eks_accelerators.components.base import Component
from eks_accelerators.components.pod_identity import ClusterRef, Wired
from eks_accelerators.settings.model.base import Model
from eks_accelerators.settings.releases import RELEASES
from eks_accelerators.settings.resolved_stack import ResolvedStack


@dataclass(frozen=True, slots=True)
class Released:
    """What was released, by its name in `RELEASES`.

    ``awaited`` is what pods with GPUs wait for, ``kinds`` what objects of kinds of its own wait for.
    """

    awaited: list[Component[Any]] = field(default_factory=list)
    kinds: list[Component[Any]] = field(default_factory=list)
    by_name: dict[str, Component[Any]] = field(default_factory=dict)


def add_releases(
    stack: ResolvedStack,
    cluster: ClusterRef,
    opts: pulumi.ResourceOptions,
    before_kinds: Sequence[pulumi.Resource],
    before: Mapping[str, Sequence[pulumi.Resource]],
) -> Released:
    """Release what the stack needs in ``cluster``. What brings kinds waits for ``before_kinds``, and for it those that use its kinds.

    ``before`` is what further releases wait for, by their names in `RELEASES`.
    """
    released = Released()
    for each in RELEASES:
        if inputs := each.inputs(stack):
            component: type[Component[Any]] = getattr(components, each.component)
            waits_for: Sequence[pulumi.Resource] = ()
            if each.brings_kinds:
                waits_for = before_kinds
            elif _uses_kinds(inputs):
                waits_for = released.kinds
            named = [released.by_name[name] for name in each.after]
            waiting = after(opts, [*waits_for, *named, *before.get(each.name, ())])
            made = component.of(each.name, Wired(inputs, cluster) if each.wiring else inputs, waiting)
            released.by_name[each.name] = made
            released.awaited.extend([made] if each.serves_gpus else [])
            released.kinds.extend([made] if each.brings_kinds else [])
    return released


def after(opts: pulumi.ResourceOptions, resources: Sequence[pulumi.Resource]) -> pulumi.ResourceOptions:
    """``opts`` with ``resources`` among what is waited for."""
    return pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=list(resources))) if resources else opts


def _uses_kinds(inputs: Model) -> bool:
    """Whether the chart makes an object for the Prometheus Operator."""
    return bool(getattr(inputs, "service_monitor", False))
