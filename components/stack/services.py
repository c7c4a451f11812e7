"""What serves the nodes and pods of a stack: device plugins, metrics, autoscalers, and who reads the metrics."""

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi

from eks_accelerators import components
from eks_accelerators.components.stack.chart_releases import Released, add_releases
from eks_accelerators.components.stack.foundation import Foundation
from eks_accelerators.components.stack.monitoring import (
    BlockEnds,
    add_cloud_watch,
    add_monitoring,
    before_keda,
    before_prometheus,
    managed_prometheus,
)
from eks_accelerators.components.workload_component import LoadSource
from eks_accelerators.settings.prometheus_address import prometheus_address
from eks_accelerators.settings.release_names import KARPENTER, KEDA, RELOADER


@dataclass(frozen=True, slots=True)
class Services:
    """What was released, and what tells of the load of servers; None where no Prometheus does."""

    released: Released
    load: LoadSource | None

    @property
    def karpenter(self) -> pulumi.Resource | None:
        """What makes the nodes of pools, where the stack has it."""
        return self.released.by_name.get(KARPENTER)

    @property
    def rolls(self) -> bool:
        """Whether pods are replaced once a secret that they read has changed."""
        return RELOADER in self.released.by_name


def add_services(
    base: Foundation, block_ends: BlockEnds, namespaces: Mapping[str, components.WorkloadNamespace]
) -> Services:
    """Add what the node groups and the monitoring of the stack need. What watches ``namespaces`` waits for them."""
    before_kinds = [base.addons, *before_prometheus(base)]
    managed = managed_prometheus(base, block_ends)
    before: dict[str, list[pulumi.Resource]] = {
        KEDA: before_keda(base, managed),
        RELOADER: list(namespaces.values()),
    }
    released = add_releases(base.stack, base.cluster_ref, base.in_cluster, before_kinds, before)
    add_monitoring(base, block_ends, released)
    add_cloud_watch(base)
    return Services(released, _load_source(base, released, managed))


def _load_source(
    base: Foundation, released: Released, managed: components.ManagedPrometheus | None
) -> LoadSource | None:
    """``managed`` is Amazon's, which is asked by signature."""
    keda = released.by_name.get(KEDA)
    if managed is not None:
        # What is asked is put behind it with a slash of its own.
        address = managed.endpoint.apply(lambda endpoint: endpoint.rstrip("/"))
        return LoadSource(address, base.settings.region, keda)
    known = prometheus_address(base.settings)
    return LoadSource(known, keda=keda) if known else None
