"""What deploys each kind of workload: the component that its entry in `eks_accelerators.settings.workload_kinds` names."""

from typing import Any

import pulumi

from eks_accelerators import components
from eks_accelerators.components.workload_component import Surroundings, WorkloadComponent
from eks_accelerators.settings.model.workload import Workload
from eks_accelerators.settings.resolved_stack import PlacedWorkload
from eks_accelerators.settings.workload_kinds import KINDS


def component_of(kind: type[Workload]) -> type[WorkloadComponent[Any]]:
    """The component that deploys workloads of a kind, which is told by its model."""
    found: type[WorkloadComponent[Any]] = getattr(components, KINDS[kind].component)
    return found


def add_workload(placed: PlacedWorkload, around: Surroundings, opts: pulumi.ResourceOptions) -> None:
    """Deploy a workload. Its outputs that people use are exported by its name."""
    kind = component_of(type(placed.workload))
    component = kind.of(placed.name, kind.inputs_of(placed, around), opts)
    for suffix, output in kind.EXPORTED.items():
        pulumi.export(f"{placed.name}{suffix}", getattr(component, output))
