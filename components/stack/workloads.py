"""The workloads of a stack: their namespaces, and each of them once its own nodes and what it uses are there."""

from collections.abc import Mapping

import pulumi

from eks_accelerators import components
from eks_accelerators.components.bucket_access import weights_access
from eks_accelerators.components.stack.chart_releases import after
from eks_accelerators.components.stack.foundation import Foundation
from eks_accelerators.components.stack.services import Services
from eks_accelerators.components.stack.storage import Volumes
from eks_accelerators.components.stack.workload_secrets import synced_secrets
from eks_accelerators.components.workload_component import Surroundings
from eks_accelerators.components.workload_kinds import add_workload, component_of
from eks_accelerators.components.workload_namespace import WorkloadNamespaceArgs
from eks_accelerators.settings.model import Settings
from eks_accelerators.settings.model.monitoring import PrometheusKind
from eks_accelerators.settings.release_inputs import KubePrometheusStackInputs
from eks_accelerators.settings.resolved_stack import PlacedWorkload, ResolvedStack

POD_SECURITY_LEVELS = ("restricted", "baseline", "privileged")
"""Levels of Pod Security admission, from the strictest."""

Namespaces = Mapping[str, components.WorkloadNamespace]
"""Namespaces of workloads by name."""


def add_namespaces(base: Foundation) -> Namespaces:
    """Add a namespace for all workloads that name it."""
    return {
        space: components.WorkloadNamespace(space, _namespace_args(base.stack, space), base.in_cluster)
        for space in dict.fromkeys(placed.workload.namespace for placed in base.stack.workloads)
    }


def add_workloads(
    base: Foundation,
    services: Services,
    namespaces: Namespaces,
    volumes: Volumes,
    nodes: Mapping[str, pulumi.Resource],
    ends: Mapping[str, pulumi.Output[str]],
) -> None:
    """Add each once its own ``nodes`` are there, by the name of their group, which is on a Capacity Block that ``ends``."""
    for placed in base.stack.workloads:
        waits = [*_before(base, services, namespaces, volumes, placed), nodes[placed.group.name]]
        around = Surroundings(
            namespaces[placed.workload.namespace].namespace_name,
            base.config,
            base.stack.demands[placed.group.name].fits_now,
            services.load,
            _scrapers_of(base.settings),
            block_end=ends.get(placed.group.name),
            rolls=services.rolls,
        )
        add_workload(placed, around, after(base.in_cluster, waits))


def _before(
    base: Foundation, services: Services, namespaces: Namespaces, volumes: Volumes, placed: PlacedWorkload
) -> list[pulumi.Resource]:
    """What a workload waits for: what its pods need at the start, its volumes, secrets and rights, charts of its kind."""
    workload, released = placed.workload, services.released
    needs_addons = component_of(type(workload)).NEEDS_ADDONS
    found: list[pulumi.Resource] = [base.addons] if needs_addons else [*released.awaited]
    found += [volumes[name, workload.namespace] for name in dict.fromkeys(use.storage for use in workload.storage_uses)]
    space = namespaces[workload.namespace].namespace_name
    found += synced_secrets(placed, base.settings.region, space, base.in_cluster, released.by_name)
    if weights := workload.streamed_weights:
        access = weights_access(placed.name, weights, base.cluster_ref, workload.namespace, base.before_nodes)
        found.append(access)
    return [*found, *(released.by_name[name] for name in workload.needs_releases)]


def _namespace_args(stack: ResolvedStack, namespace: str) -> WorkloadNamespaceArgs:
    """Of a namespace for all workloads in it: as strict as the least strict of them lets it be."""
    kinds = [component_of(type(one.workload)) for one in stack.workloads if one.workload.namespace == namespace]
    level = max((kind.POD_SECURITY for kind in kinds), key=POD_SECURITY_LEVELS.index)
    reasons = dict.fromkeys(kind.POD_SECURITY_REASON for kind in kinds if level == kind.POD_SECURITY)
    return {"pod_security": level, "reason": "; ".join(reasons)}


def _scrapers_of(settings: Settings) -> tuple[str, ...]:
    """The namespaces of the stack's own Prometheus."""
    own = settings.monitoring.prometheus is PrometheusKind.STACK
    return (KubePrometheusStackInputs.model_fields["namespace"].default,) if own else ()
